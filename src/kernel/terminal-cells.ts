import { escapeText } from "./text.ts";

/**
 * Characters that join their neighbours into one shape, which not every terminal renders: its width would be a guess.
 */
const JOINER = /[\u200c\u200d]/g;

/** Marks rendered over the character before. */
const MARK = /[\p{Mn}\p{Me}]/u;

/** Marks on one character that count as no cell; with more, some terminals begin to render them separately. */
const MAX_MARKS = 3;

/**
 * Characters of two cells, by Unicode's East Asian Width and emoji data. Estimated too wide rather than too narrow: a
 * line that ends early is harmless, one that wraps breaks the screen.
 */
const WIDE: readonly RegExp[] = [
  /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf]/u,
  /[\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff]/u,
  /[\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]/u,
  /[\u{16fe0}-\u{191ff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u,
  /[\p{Emoji_Presentation}\p{Extended_Pictographic}]/u,
];

/** Characters of most lines, with arrows of veritest's own: the large classes above take 10 ms the first time. */
const NARROW = /^[\x20-\x7e…→]*$/;

/** A text on one line as a screen may show it: without control characters that act, or hidden characters. */
export function printable(text: string): string {
  return escapeText(text).replaceAll("\n", "\\n").replaceAll("\t", "    ").replace(JOINER, escaped);
}

/** Number of cells of a terminal that a printable text takes, at most. */
export function countCells(text: string): number {
  return NARROW.test(text) ? text.length : [...measured(text)].reduce((sum, { cells }) => sum + cells, 0);
}

/** The beginning of a printable text that takes at most `columns` cells; a cut text ends with an ellipsis. */
export function fitToCells(text: string, columns: number): string {
  if (countCells(text) <= columns) return text;
  return columns < 1 ? "" : `${pieceOf(text, columns - 1)}…`;
}

/**
 * A printable text in pieces of at most `columns` cells each (two at least), one piece or more. Only a word that is
 * longer than a piece is split.
 */
export function wrapToCells(text: string, columns: number): string[] {
  const available = Math.max(columns, 2);
  const pieces: string[] = [];
  let start = 0;
  let end = 0;
  let used = 0;
  // End of the last word of the piece, and its cells up to there.
  let word = { end: 0, used: 0 };
  for (const { character, cells } of measured(text)) {
    while (used + cells > available) {
      const at = word.end > start ? word : { end, used };
      pieces.push(text.slice(start, at.end));
      [start, used] = [at.end, used - at.used];
      word = { end: start, used: 0 };
    }
    end += character.length;
    used += cells;
    if (character === " " && text.slice(start, end).trim() !== "") word = { end, used };
  }
  return [...pieces, text.slice(start)];
}

function pieceOf(text: string, columns: number): string {
  let length = 0;
  let used = 0;
  for (const { character, cells } of measured(text)) {
    if (used + cells > columns) break;
    used += cells;
    length += character.length;
  }
  return text.slice(0, length);
}

function* measured(text: string): Generator<{ readonly character: string; readonly cells: number }> {
  let marks = 0;
  for (const character of text) {
    marks = MARK.test(character) ? marks + 1 : 0;
    // A variation selector for emoji makes the character before it wider in some terminals.
    const over = marks > 0 && marks <= MAX_MARKS && character !== "\ufe0f";
    yield { character, cells: over ? 0 : widthOf(character) };
  }
}

function widthOf(character: string): number {
  return character > "\u00a0" && WIDE.some((some) => some.test(character)) ? 2 : 1;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`;
}

/** A printable text that takes at most `columns` cells: its beginning and its end, which names a path's file. */
export function fitMiddle(text: string, columns: number): string {
  if (countCells(text) <= columns) return text;
  const end = Array.from(text).slice(-Math.ceil((columns - 1) / 2));
  while (end.length > 0 && countCells(end.join("")) > columns / 2) end.shift();
  return `${fitToCells(text, columns - countCells(end.join("")))}${end.join("")}`;
}
