import type { Draw } from "./draw.ts";

/** Changes a text; undefined where this one has nothing to change so. */
export type TextChange = (text: string, generated: Draw) => string | undefined;

/** Letters that look like Latin ones, in Cyrillic. */
const TWINS: Readonly<Record<string, string>> = {
  a: "а",
  c: "с",
  e: "е",
  o: "о",
  p: "р",
  x: "х",
  A: "А",
  C: "С",
  E: "Е",
  O: "О",
  P: "Р",
  T: "Т",
};

/** The ways in which a short text, such as a name, comes out otherwise. */
export const TEXT_CHANGES: Readonly<Record<string, TextChange>> = {
  "text: one letter": (text, generated) =>
    at({ text, draw: generated, pattern: /\p{L}/gu }, (found) => (found === "q" ? "z" : "q")),
  "text: one digit": (text, generated) =>
    at({ text, draw: generated, pattern: /\d/g }, (found) => String((Number(found) + 1) % 10)),
  "text: case": (text, generated) => at({ text, draw: generated, pattern: /[a-z]/gi }, flip),
  "text: all lower case": (text) => text.toLowerCase(),
  "text: space before": (text) => ` ${text}`,
  "text: line break after": (text) => `${text}\n`,
  "text: two spaces for one": (text, generated) => at({ text, draw: generated, pattern: / /g }, () => "  "),
  "text: line break for a space": (text, generated) => at({ text, draw: generated, pattern: / /g }, () => "\n"),
  "text: no-break space": (text, generated) => at({ text, draw: generated, pattern: / /g }, () => "\u00a0"),
  "text: zero-width space": (text, generated) =>
    at({ text, draw: generated, pattern: /(?<=\p{L})\p{L}/gu }, (found) => `\u200b${found}`),
  "text: look-alike letter": (text, generated) =>
    at({ text, draw: generated, pattern: /[acepoxACEOPT]/g }, (found) => TWINS[found] ?? found),
  "text: accent composed otherwise": (text, generated) =>
    text.normalize("NFD") === text
      ? at({ text, draw: generated, pattern: /[aeou]/gi }, (found) => `${found}\u0301`)
      : text.normalize("NFD"),
  "text: O for 0": (text, generated) => at({ text, draw: generated, pattern: /0/g }, () => "O"),
  "text: cut in half": (text) => (text.length < 2 ? undefined : text.slice(0, Math.floor(text.length / 2))),
  "text: last letter lost": (text) => text.slice(0, -1),
  "text: emptied": () => "",
  "text: punctuation": (text, generated) =>
    at({ text, draw: generated, pattern: /[.,:;!-]/g }, (found) => (found === "." ? "," : ".")),
  "text: line ends as on Windows": (text) => `${text}\r\n`,
};

/** The ways in which long prose comes out otherwise. */
export const PROSE_CHANGES: Readonly<Record<string, TextChange>> = {
  "prose: one word": (text, generated) =>
    at({ text, draw: generated, pattern: /\S+/g }, (found) => (found === "otherwise" ? "so" : "otherwise")),
  "prose: one word lost": (text, generated) => at({ text, draw: generated, pattern: /\S+ /g }, () => ""),
  "prose: two words change places": (text, generated) =>
    at({ text, draw: generated, pattern: /\S+ \S+/g }, (found) => found.split(" ").toReversed().join(" ")),
  "prose: not": (text, generated) => at({ text, draw: generated, pattern: / /g }, () => " not "),
  "prose: last sentence lost": (text) => text.slice(0, -40),
};

interface Place {
  readonly text: string;
  readonly pattern: RegExp;
  readonly draw: Draw;
}

/** Replaces one drawn match; undefined where there is none. */
function at({ text, pattern, draw: generated }: Place, replace: (found: string) => string): string | undefined {
  const found = [...text.matchAll(pattern)];
  const [first, ...rest] = found;
  if (first === undefined) return undefined;
  const { 0: piece, index } = generated.pick([first, ...rest]);
  return `${text.slice(0, index)}${replace(piece)}${text.slice(index + piece.length)}`;
}

function flip(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}
