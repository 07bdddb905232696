import { functionWords } from "./common-words.ts";

/** Span of a text from `start` (inclusive) to `end` (exclusive), in UTF-16 code units. */
export interface TextSpan {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

// Sentence ends, with the closing quotes, brackets and citation markers that follow them.
const STOP = /[.!?…。！？]+["'”’»)\]*_`]*(?:\s?\[\d{1,3}(?:[,;–-]\s?\d{1,3})*\])*/gu;

/** Minimum length of a line whose end counts as a wrap of running text. */
const WRAP_LENGTH = 50;

/** Start of a new item, heading or table row, however the previous line ends. */
const ITEM_START = /^(?:[-*+•‣▪◦–]\s|#{1,6}\s|\|\s?|>\s|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|```)/;

/**
 * Splits a text into sentences with their offsets. Abbreviations, initials, decimals and inline numbered lists don't
 * end a sentence; blank lines, list items, headings and table rows do. Only white space remains between sentences.
 * Linear in the length of the text.
 */
export function splitSentences(text: string): TextSpan[] {
  return blocks(text)
    .flatMap((block) => inlineItems(block))
    .flatMap((block) => sentencesOf(block));
}

/** Splits a block before the items of an inline list: `: 1. Drugs 2. Radiation`, `- Drugs - Radiation`. */
function inlineItems(block: TextSpan): TextSpan[] {
  const { text } = block;
  const cuts: number[] = [];
  let last = 0;
  for (const marker of text.matchAll(/(?:^|\s)(?:(\d{1,2})[.)]|\(([a-z])\))\s+(?=[\p{L}"“(*`])/gu)) {
    // The numbers must count up from 1; any other number before a period is the last word of its sentence.
    const value = marker[1] === undefined ? (marker[2] ?? "").charCodeAt(0) - "a".charCodeAt(0) + 1 : Number(marker[1]);
    if (value !== 1 && value !== last + 1) continue;
    cuts.push(marker.index);
    last = value;
  }
  // Items begin with the sign that begins the block.
  const [sign] = /^\s*[-*•](?=\s)/.exec(text) ?? [];
  if (cuts.length < 2 && sign !== undefined)
    cuts.push(
      ...[...text.matchAll(/\s[-*•](?=\s)/g)].filter(([mark]) => mark.endsWith(sign.trim())).map(({ index }) => index),
      0,
    );
  cuts.sort((left, right) => left - right);
  const bounds = cuts.length < 2 ? [0, text.length] : [...new Set([0, ...cuts, text.length])];
  return bounds.slice(1).map((end, index) => partOf(block, bounds[index] ?? 0, end));
}

/** Returns a part of a span, by offsets in its text. */
export function partOf({ text, start }: TextSpan, from: number, to: number): TextSpan {
  return { text: text.slice(from, to), start: start + from, end: start + to };
}

/** Splits a text at line breaks that end a sentence. */
function blocks(text: string): TextSpan[] {
  const spans: TextSpan[] = [];
  let start = 0;
  let lineStart = 0;
  for (const line of text.matchAll(/\r\n?|\n/g)) {
    const nextLine = line.index + line[0].length;
    if (endsBlock(text.slice(lineStart, line.index).trim(), lineAfter(text, nextLine))) {
      spans.push({ text: text.slice(start, line.index), start, end: line.index });
      start = nextLine;
    }
    lineStart = nextLine;
  }
  spans.push({ text: text.slice(start), start, end: text.length });
  return spans;
}

/**
 * Returns true if a line break between two trimmed lines ends a sentence whatever the punctuation, and false for a
 * wrap.
 */
function endsBlock(before: string, after: string): boolean {
  if (before === "" || after === "" || ITEM_START.test(after) || /^(?:#{1,6}\s|\||```)/.test(before)) return true;
  if (/[:;]["'”’»)\]*_`]*$/u.test(before)) return true;
  // A heading is short, and doesn't end within a phrase. A number may be the next word of a wrapped line.
  if (before.length >= WRAP_LENGTH || !/^["'“‘«([*_`]*[\p{Lu}\p{Lo}]/u.test(after) || /[,\-–—]$/.test(before))
    return false;
  return !functionWords.has(/\p{Ll}+$/u.exec(before)?.[0] ?? "");
}

function lineAfter(text: string, from: number): string {
  const end = text.slice(from, from + 200).search(/[\r\n]/);
  return text.slice(from, end === -1 ? from + 200 : from + end).trim();
}

function sentencesOf({ text, start }: TextSpan): TextSpan[] {
  const spans: TextSpan[] = [];
  let from = 0;
  for (const stop of text.matchAll(STOP)) {
    const end = stop.index + stop[0].length;
    if (end <= from || !isBoundary(text, from, stop)) continue;
    push(spans, text.slice(from, end), start + from);
    from = end;
  }
  push(spans, text.slice(from), start + from);
  return spans;
}

/** Adds a trimmed piece. Skips pieces without a letter or number. */
function push(spans: TextSpan[], piece: string, start: number): void {
  const text = piece.trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return;
  const from = start + (piece.length - piece.trimStart().length);
  spans.push({ text, start: from, end: from + text.length });
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

/** Returns true if a period between `before` and `next` ends a sentence. */
function endsAtPeriod(before: string, next: string): boolean {
  // "1. Check" opens a list item: the number at the start of a sentence is a marker.
  if (/^\s*[("'*_]*(?:\d{1,3}|[A-Za-z])$/.test(before)) return false;
  const word = /[\p{L}\p{N}.&]+$/u.exec(before)?.[0] ?? "";
  if (/^[ap]\.m$/i.test(word)) return true;
  return !isAbbreviation(word, next);
}

/** Abbreviations that never end a sentence. */
const BEFORE_MORE: ReadonlySet<string> = new Set(
  [
    "mr mrs ms mx dr prof rev hon gen col lt sgt capt gov sen rep pres st mt ft",
    "fig figs eq eqs sec ch vol ed eds cf vs v viz e.g i.e eg ie approx ca resp incl excl",
  ].flatMap((words) => words.split(" ")),
);

/** Words that are abbreviations only before a number: `No. 5`, `p. 12`. */
const BEFORE_NUMBERS: ReadonlySet<string> = new Set(
  "no nos nr p pp art para jan feb mar apr jun jul aug sep sept oct nov dec".split(" "),
);

/** Abbreviations that may end a sentence. Then the next word usually is an opener. */
const MAY_END: ReadonlySet<string> = new Set(
  "etc al inc ltd co corp llc plc bros dept univ assn jr sr ph.d m.d b.a m.a".split(" "),
);

/** Words that begin a sentence far more often than they follow an abbreviation. */
const OPENER = new RegExp(
  `^["'“‘«([*_\`]*(?:${[
    "The|This|That|These|Those|There|It|Its|He|She|They|We|You|I|His|Her|Their|Our|In|On|At|By|For|From|With|As|If",
    "When|While|After|Before|But|And|However|Also|A|An|To|Some|Many|Most|No|Not|Another|Each",
  ].join("|")})\\b`,
);

/**
 * Returns true if the word before a period is an abbreviation within a sentence that continues with `next`: titles,
 * `e.g.`, months and `No.` before numbers, initials, and `Inc.` or `U.S.` unless a new sentence clearly begins.
 */
function isAbbreviation(word: string, next: string): boolean {
  const lower = word.toLowerCase();
  if (BEFORE_MORE.has(lower)) return true;
  if (BEFORE_NUMBERS.has(lower)) return /^[([]?\d/.test(next);
  const dotted = /^\p{L}(?:\.\p{L})+$/u.test(word);
  const initial = /^\p{Lu}$/u.test(word);
  if (MAY_END.has(lower) || dotted || initial) return !OPENER.test(next);
  return false;
}
