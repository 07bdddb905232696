import { isAbbreviation } from "./abbreviations.ts";

/** A stretch of a text, from `start` up to but not with `end`, in UTF-16 code units. */
export interface TextSpan {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

// A sentence ends at these, with the quotes, brackets and citation markers that close behind them.
const STOP = /[.!?…。！？]+["'”’»)\]*_`]*(?:\s?\[\d{1,3}(?:[,;–-]\s?\d{1,3})*\])*/gu;

/** How long a line must be for its end to count as a mere wrap of running text. */
const WRAP_LENGTH = 50;

/** Where a new item, heading or table row begins, whatever the line before ended with. */
const ITEM_START = /^(?:[-*+•‣▪◦–]\s|#{1,6}\s|\|\s?|>\s|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|```)/;

/**
 * Splits a text into sentences by rules of its own, each with its offsets: abbreviations, initials, decimals and inline
 * numbered lists do not end a sentence; blank lines, list items, headings and table rows do. Only white space is left
 * between them. Linear in the length of the text.
 */
export function splitSentences(text: string): TextSpan[] {
  return blocks(text)
    .flatMap((block) => inlineItems(block))
    .flatMap((block) => sentencesOf(block));
}

/** Parts a block before the items of a list that runs on in one line: `: 1. Drugs 2. Radiation`. */
function inlineItems({ text, start }: TextSpan): TextSpan[] {
  const cuts: number[] = [];
  for (const marker of text.matchAll(/(?:^|\s)(\d{1,2})[.)]\s+(?=[\p{L}"“(*`])/gu)) {
    // The numbers must count up from 1; any other number before a period is the last word of its sentence.
    if (Number(marker[1]) === cuts.length + 1) cuts.push(marker.index);
  }
  const bounds = cuts.length < 2 ? [0, text.length] : [...new Set([0, ...cuts, text.length])];
  return bounds.slice(1).map((end, index) => {
    const from = bounds[index] ?? 0;
    return { text: text.slice(from, end), start: start + from, end: start + end };
  });
}

/** The parts of a text that line breaks separate for good. */
function blocks(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  let start = 0;
  let lineStart = 0;
  for (const line of text.matchAll(/\r\n?|\n/g)) {
    const nextLine = line.index + line[0].length;
    if (endsBlock(text.slice(lineStart, line.index).trim(), lineAfter(text, nextLine))) {
      found.push({ text: text.slice(start, line.index), start, end: line.index });
      start = nextLine;
    }
    lineStart = nextLine;
  }
  found.push({ text: text.slice(start), start, end: text.length });
  return found;
}

/** Whether a line break between two trimmed lines ends a sentence whatever the punctuation, or is a mere wrap. */
function endsBlock(before: string, after: string): boolean {
  if (before === "" || after === "" || ITEM_START.test(after) || /^(?:#{1,6}\s|\||```)/.test(before)) return true;
  if (/[.!?…:;。！？]["'”’»)\]*_`]*$/u.test(before)) return true;
  return before.length < WRAP_LENGTH && /^["'“‘«([*_`]*[\p{Lu}\p{Lo}\p{N}]/u.test(after) && !/[,\-–—]$/.test(before);
}

function lineAfter(text: string, from: number): string {
  const end = text.slice(from, from + 200).search(/[\r\n]/);
  return text.slice(from, end === -1 ? from + 200 : from + end).trim();
}

function sentencesOf({ text, start }: TextSpan): TextSpan[] {
  const found: TextSpan[] = [];
  let from = 0;
  for (const stop of text.matchAll(STOP)) {
    const end = stop.index + stop[0].length;
    if (end <= from || !isBoundary(text, from, stop)) continue;
    push(found, text.slice(from, end), start + from);
    from = end;
  }
  push(found, text.slice(from), start + from);
  return found;
}

/** Adds a piece without the white space around it; a piece of nothing but marks is left out. */
function push(found: TextSpan[], piece: string, start: number): void {
  const text = piece.trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return;
  const from = start + (piece.length - piece.trimStart().length);
  found.push({ text, start: from, end: from + text.length });
}

function isBoundary(text: string, from: number, stop: RegExpExecArray): boolean {
  const end = stop.index + stop[0].length;
  const rest = text.slice(end, end + 40);
  if (/^[。！？]/u.test(stop[0])) return true;
  if (rest !== "" && !/^\s/.test(rest)) return false;
  const next = rest.trimStart();
  if (next === "") return true;
  if (/^["'“‘«([*_`#-]*\p{Ll}/u.test(next)) return false;
  return !stop[0].startsWith(".") || endsAtPeriod(text.slice(Math.max(from, stop.index - 40), stop.index), next);
}

/** Whether a period after `before` ends its sentence, given what comes `next`. */
function endsAtPeriod(before: string, next: string): boolean {
  // "1. Check" opens a list item: the number at the start of a sentence is a marker.
  if (/^\s*[("'*_]*(?:\d{1,3}|[A-Za-z])$/.test(before)) return false;
  const word = /[\p{L}\p{N}.&]+$/u.exec(before)?.[0] ?? "";
  return !isAbbreviation(word, next);
}
