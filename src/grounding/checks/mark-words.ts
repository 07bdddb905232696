import { escapeText } from "../../base/text.ts";

/** Words to mark, by their offsets in the whole text of which `text` begins at `start`. */
export interface MarkedText {
  readonly text: string;
  readonly start: number;
  readonly words: readonly { readonly start: number; readonly end: number }[];
}

/** The most characters of a text that are shown. */
const MAX_TEXT = 400;

/**
 * Shows a text on one line, its marked words as `⟦word⟧`. Safe to print; cut after 400 characters, never within a word.
 */
export function markWords({ text, start, words }: MarkedText): string {
  const limit = cutAt(
    text,
    words.map((word) => ({ start: word.start - start, end: word.end - start })),
  );
  let shown = "";
  let from = 0;
  for (const word of words.toSorted((one, other) => one.start - other.start)) {
    const [begin, end] = [word.start - start, word.end - start];
    if (begin < from || end > limit) continue;
    shown += `${oneLine(text.slice(from, begin))}⟦${oneLine(text.slice(begin, end))}⟧`;
    from = end;
  }
  const rest = text.length - limit;
  return shown + oneLine(text.slice(from, limit)) + (rest > 0 ? `… (+${rest} characters)` : "");
}

function cutAt(text: string, words: readonly { readonly start: number; readonly end: number }[]): number {
  if (text.length <= MAX_TEXT) return text.length;
  const split = words.find(({ start, end }) => start < MAX_TEXT && end > MAX_TEXT);
  const limit = split?.start ?? MAX_TEXT;
  return /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
}

function oneLine(text: string): string {
  return escapeText(text).replace(/\s+/g, " ");
}
