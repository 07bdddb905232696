import { sharedEnds } from "../kernel/text.ts";

/** A string in base64, also wrapped or as a data URL: an embedding, an image or a signature. */
const ENCODED = /^(?<url>data:[^,\s]*;base64,)?(?<body>(?:[\w+/=-]{40,}\r?\n)*[\w+/-]+={0,2})\s*$/;
const MIN_ENCODED = 200;
/** Mean length of runs of small letters, which is 1.7 in base64. Words, names and paths have longer ones. */
const MAX_RUN = 2.5;
/** Numbers of one list from which their changes are counted: an embedding, not a table. */
export const MIN_NUMBERS = 32;

/**
 * Returns true for a long string in base64, which isn't for reading. A path, a list of words, a DNA sequence, a board
 * and a number in hex have the characters of base64, but not its mixture of them, or not its length.
 */
export function isEncoded(value: unknown): value is string {
  if (typeof value !== "string" || value.length < MIN_ENCODED) return false;
  const { url, body = "" } = ENCODED.exec(value)?.groups ?? {};
  return body !== "" && (url !== undefined || isBase64(body.replace(/[\r\n]/g, "")));
}

function isBase64(text: string): boolean {
  const isOfUrls = /[_-]/.test(text);
  if ((isOfUrls && /[+/]/.test(text)) || text.length % 4 === 1) return false;
  // Base64 of URLs has no padding.
  if (!isOfUrls && text.length % 4 !== 0) return false;
  const runs = text.match(/[a-z]+/g) ?? [];
  const letters = runs.reduce((sum, run) => sum + run.length, 0);
  return /[A-Z]/.test(text) && runs.length > 0 && letters / runs.length <= MAX_RUN;
}

/** Characters of a piece, and number of pieces by which two encoded texts are compared. */
const PIECE = 12;
const MAX_PIECES = 40;

/** Returns true if two encoded texts have most pieces in common: their changes can be shown. */
export function isMostlyShared(before: string, after: string): boolean {
  const { start, end } = sharedEnds(before, after);
  const rest = after.slice(start, after.length - end);
  if (rest.length <= after.length / 2) return true;
  const step = Math.max(PIECE, Math.trunc(rest.length / MAX_PIECES));
  const pieces = Array.from({ length: Math.trunc(rest.length / step) }, (_, at) =>
    rest.slice(at * step, at * step + PIECE),
  );
  return pieces.filter((piece) => before.includes(piece)).length * 2 > pieces.length;
}

interface Sides {
  readonly path: readonly (string | number)[];
  readonly before: unknown;
  readonly after: unknown;
}

/** Entry of a diff, with the number of the changed numbers of a list if it is the first of them. */
export type Counted<Entry> = Entry & { readonly count?: number };

/**
 * Returns the entries of a diff with the changed numbers of each long list as one: the first of them, with their
 * number. Numbers of one list follow each other in a diff.
 */
export function countNumbers<Entry extends Sides>(entries: readonly Entry[]): readonly Counted<Entry>[] {
  const counted: Counted<Entry>[] = [];
  for (let at = 0; at < entries.length; ) {
    const run = numbersFrom(entries, at);
    const [first] = run;
    if (first !== undefined && run.length >= MIN_NUMBERS) counted.push({ ...first, count: run.length });
    else counted.push(...entries.slice(at, at + Math.max(run.length, 1)));
    at += Math.max(run.length, 1);
  }
  return counted;
}

/** Returns the entry at an index and those after it, as long as they are changed numbers of the same list. */
function numbersFrom<Entry extends Sides>(entries: readonly Entry[], start: number): readonly Entry[] {
  const list = entries[start]?.path.slice(0, -1) ?? [];
  let end = start;
  for (; end < entries.length; end += 1) {
    const { path = [], before, after } = entries[end] ?? {};
    if (typeof before !== "number" || typeof after !== "number" || typeof path.at(-1) !== "number") break;
    if (path.length !== list.length + 1 || !list.every((segment, depth) => path[depth] === segment)) break;
  }
  return entries.slice(start, end);
}
