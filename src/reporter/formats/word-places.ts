import { editDistance } from "../../diff/shortest-edit.ts";
import { wordChanges } from "../../diff/word-diff.ts";
import { MAX_PLACES, type WordPlace, wordPlace } from "../../diff/word-place.ts";

/** Characters up to which two texts are compared by words: a report may hold thousands of them. */
const MAX_TEXT = 10_000;
/** Words and blanks that may be others: with more it is another text, which is told better as a whole, and sooner. */
const MAX_EDITS = 100;

/** Where a text has other words. */
export interface WordPlaces {
  /** How many places there are in all. */
  readonly count: number;
  /** The first of them. */
  readonly shown: readonly WordPlace[];
}

/**
 * Where two texts of several words differ; undefined for a single word, for texts with little in common, and for very
 * long ones.
 */
export function wordPlaces(before: string, after: string): WordPlaces | undefined {
  if (before.length > MAX_TEXT || after.length > MAX_TEXT || !isProse(before) || !isProse(after)) return undefined;
  if (editDistance(pieces(before), pieces(after), MAX_EDITS) === undefined) return undefined;
  const changes = wordChanges(before, after);
  return { count: changes.length, shown: changes.slice(0, MAX_PLACES).map(wordPlace) };
}

function isProse(text: string): boolean {
  return /\S\s+\S/.test(text);
}

function pieces(text: string): string[] {
  return text.match(/\s+|\S+/g) ?? [];
}
