import { truncate } from "../../base/text.ts";
import { editDistance } from "../../diff/shortest-edit.ts";
import { type WordChange, wordChanges } from "../../diff/word-diff.ts";

/** Characters up to which two texts are compared by words: a report may hold thousands of them. */
const MAX_TEXT = 10_000;
/** Words and blanks that may be others: with more it is another text, which is told better as a whole, and sooner. */
const MAX_EDITS = 100;
/** Places told of one text before the rest is only counted. */
const MAX_PLACES = 4;
/** Characters of a removed or added piece, and of what is told before and after it. */
const MAX_PIECE = 120;
const AROUND = 30;

/** A place where a text has other words than before. Untrusted texts. */
export interface WordPlace {
  /** The number of the first word it touches in the new text, from 1. */
  readonly word: number;
  readonly lead: string;
  readonly removed: string;
  readonly added: string;
  readonly trail: string;
}

/** Where a text has other words. */
export interface WordPlaces {
  /** How many places there are in all. */
  readonly count: number;
  /** The first of them. */
  readonly shown: readonly WordPlace[];
}

/** Where two texts of several words differ; undefined for a single word, for texts with little in common, and for very long ones. */
export function wordPlaces(before: string, after: string): WordPlaces | undefined {
  if (before.length > MAX_TEXT || after.length > MAX_TEXT || !isProse(before) || !isProse(after)) return undefined;
  if (editDistance(pieces(before), pieces(after), MAX_EDITS) === undefined) return undefined;
  const changes = wordChanges(before, after);
  return { count: changes.length, shown: changes.slice(0, MAX_PLACES).map(shortened) };
}

function isProse(text: string): boolean {
  return /\S\s+\S/.test(text);
}

function pieces(text: string): string[] {
  return text.match(/\s+|\S+/g) ?? [];
}

function shortened({ word, lead, removed, added, trail }: WordChange): WordPlace {
  const blank = sharedEnd(removed, added);
  const [old, current] = [removed, added].map((text) => text.slice(0, text.length - blank.length));
  return { word, lead: endOf(lead), removed: truncate(old ?? "", MAX_PIECE), added: truncate(current ?? "", MAX_PIECE), trail: startOf(blank + trail) };
}

/** The white space both pieces end in: it belongs to what follows. */
function sharedEnd(removed: string, added: string): string {
  const [blank = ""] = /\s*$/.exec(removed) ?? [];
  return blank.length < removed.length && added.endsWith(blank) && blank.length < added.length ? blank : "";
}

/** The end of what stands before a change, from the beginning of a word where there is one. */
function endOf(text: string): string {
  return text.length <= AROUND ? text : `…${text.slice(-AROUND).replace(/^\S+(?=\s+\S)/, "")}`;
}

function startOf(text: string): string {
  return text.length <= AROUND ? text : `${text.slice(0, AROUND).replace(/(?<=\S\s+)\S+$/, "")}…`;
}
