import * as fc from "fast-check";

/** Words that a reader can mistake, and runs without a space. */
const word = fc.constantFrom(
  "the",
  "Café",
  "naïve",
  "12,50",
  "–",
  "“quoted”",
  "a-b",
  "見積書",
  "ใบเสนอราคา",
  "",
  "\t",
  "a\u00a0b",
  "x".repeat(50),
  "sha256:0a1b2c3d4e5f",
  '{"a":1}',
  "\\n",
);
const run = fc
  .tuple(
    fc.constantFrom("漢字仮名交文章の例を書く", "0123456789abcdef", "กขคงจฉชซ"),
    fc.array(fc.nat(), { minLength: 60 }),
  )
  .map(([letters, indexes]) => indexes.map((index) => letters[index % letters.length]).join(""));
const line = fc.oneof(
  fc.array(word, { maxLength: 20 }).map((words) => words.join(" ")),
  fc.array(run, { minLength: 1, maxLength: 3 }).map((runs) => runs.join("")),
);
const text = fc.oneof(
  line,
  fc.tuple(line, line).map((lines) => lines.join(" ")),
  fc.array(line, { minLength: 2, maxLength: 12 }).map((lines) => lines.join("\n")),
);

type Edit = (text: string, at: number) => string;

/** Changes of a text, of which many can't be seen. */
const EDITS: readonly Edit[] = [
  (before) => `${before} `,
  (before) => before.replace("\n", " \n"),
  (before) => `${before}\n`,
  (before) => before.replaceAll("\n", "\r\n"),
  (before) => before.replace("\n", "\r\n"),
  (before) => before.replace("\n", "\\n"),
  (before) => before.replace("\n", "\n\n"),
  (before) => before.replace(" ", "\u00a0"),
  (before) => before.replace(" ", "\t"),
  (before) => before.replace(" ", "  "),
  (before) => before.replace(" ", "\n"),
  (before) => before.replace("a", "а"),
  (before) => before.replace("1", "１"),
  (before) => before.replace("-", "–"),
  (before) => before.replace("“", '"'),
  (before) => before.normalize("NFD"),
  (before) => before.toUpperCase(),
  (before) => before.slice(0, -1),
  (before) => ` ${before}`,
  (before) => `\ufeff${before}`,
  (before) => `${before}\ufe0f`,
  (before, at) => `${before.slice(0, at)}\u200b${before.slice(at)}`,
  (before, at) => `${before.slice(0, at)}\\u200b${before.slice(at)}`,
  (before, at) => `${before.slice(0, at)}Q${before.slice(at)}`,
  (before, at) => `${before.slice(0, at)}Q${before.slice(at + 1)}`,
  (before, at) => before.slice(0, at) + before.slice(at + 1),
];

/** A text, and the same with one or two edits. */
export const changedTexts: fc.Arbitrary<readonly [before: string, after: string]> = fc
  .tuple(text, fc.array(fc.constantFrom(...EDITS), { minLength: 1, maxLength: 2 }), fc.nat())
  .map(([before, edits, at]) => {
    const after = edits.reduce((made, edit, index) => edit(made, (at * (index + 1)) % (made.length + 1)), before);
    return [before, after] as const;
  })
  .filter(([before, after]) => before !== after);

/**
 * Returns what lines show of both sides of a change of `t`: `t: … → …`, pieces in `[- -]` and `{+ +}`, or rows with
 * signs. Two empty texts if they show neither.
 */
export function shownSidesOf(lines: readonly string[]): readonly [before: string, after: string] {
  const all = lines.map((each) => each.trim()).join(" ");
  const sidesOf = (shown: string): readonly [string, string] => {
    const [before = "", after = ""] = shown.split(" → ");
    return [before, after];
  };
  if (all.includes("line endings: ")) return sidesOf(all.slice(all.indexOf("endings: ") + "endings: ".length));
  if (/\bword \d+: /.test(all)) {
    const pieces = (pattern: RegExp): string => (all.match(pattern) ?? []).map((piece) => piece.slice(2, -2)).join(" ");
    return [pieces(/\[-.*?-\]/g), pieces(/\{\+.*?\+\}/g)];
  }
  const rows = (sign: string): string =>
    lines
      .map((each) => each.trim())
      .filter((each) => each === sign || each.startsWith(`${sign} `))
      .map((each) => each.slice(1).trim())
      .join("\n");
  const [removed, added] = [rows("-"), rows("+")];
  const hasRows = lines.some((each) => /^\s*[-+](?: |$)/.test(each));
  return hasRows ? [`removed ${removed}`.trim(), `removed ${added}`.trim()] : sidesOf(all.replace(/^t: /, ""));
}
