import { lookOf } from "../../../kernel/diff/look-alikes.ts";
import { JOINED } from "../../../kernel/text.ts";

/** Characters without a shape, and more combining marks than a language needs. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{M}(?<=\p{M}{9})/gu;
/** Other characters that can look like different ones, and blanks at the end of a line. */
const UNSURE = /[^\n\t\u0020-\u007e]| (?= *(?:\n|$))/gu;
const SHAPED = new RegExp(`^[${JOINED}]`, "u");
const JOINER = /^(?:\u200c|\u200d|\ufe0e|\ufe0f)$/;

/**
 * Mode of showing a text: `line` escapes line ends and tabs, too, `prose` keeps them, `strict` escapes all that isn't
 * ASCII.
 */
export type Manner = "line" | "prose" | "strict";

/** Splits a text into plain and escaped parts, so that no part is invisible or moves the text around it. */
export function pieces(text: string, manner: Manner): { text: string; escaped: boolean }[] {
  const parts: { text: string; escaped: boolean }[] = [];
  let end = 0;
  for (const match of text.matchAll(manner === "strict" ? UNSURE : UNSEEN)) {
    if (isKept({ character: match[0], before: text.slice(Math.max(0, match.index - 2), match.index), manner }))
      continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), escaped: false });
    parts.push({ text: escapeOf(match[0]), escaped: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), escaped: false });
  return parts;
}

/** A text with escapes for invisible characters. */
export function visible(text: string, manner: Manner = "line") {
  return pieces(text, manner)
    .map((piece) => piece.text)
    .join("");
}

/** Returns true if two different texts look the same, by the rule of the terminal. */
export function looksEqual(a: string, b: string) {
  return a !== b && lookOf(a) === lookOf(b);
}

function isKept({ character, before, manner }: { character: string; before: string; manner: Manner }) {
  if (character === "\n" || character === "\t") return manner !== "line";
  // By its last character alone: some Chromium finds no emoji by a class of characters before the end of a text.
  return manner !== "strict" && JOINER.test(character) && SHAPED.test(Array.from(before).at(-1) ?? "");
}

function escapeOf(character: string) {
  const code = character.codePointAt(0) ?? 0;
  if (code < 32) return JSON.stringify(character).slice(1, -1);
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
