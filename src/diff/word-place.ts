import { truncate } from "../base/text.ts";
import type { WordChange } from "./word-diff.ts";

/**
 * Places told of one text before the rest is only counted: with what stands around them they must leave room for the
 * rest of a screen.
 */
export const MAX_PLACES = 4;
/** Characters of a removed or added piece, and of what is told before and after it. */
const MAX_PIECE = 120;
const AROUND = 30;

/** A place where a text has other words than before, short enough to be told. Untrusted texts. */
export interface WordPlace {
  /** The number of the first word it touches in the new text, from 1. */
  readonly word: number;
  readonly lead: string;
  readonly removed: string;
  readonly added: string;
  readonly trail: string;
}

/** A change of words with as much of it, and of what stands around it, as is told. */
export function wordPlace({ word, lead, removed, added, trail }: WordChange): WordPlace {
  const blank = sharedEnd(removed, added);
  const [old, current] = [removed, added].map((text) => text.slice(0, text.length - blank.length));
  return {
    word,
    lead: endOf(lead),
    removed: truncate(old ?? "", MAX_PIECE),
    added: truncate(current ?? "", MAX_PIECE),
    trail: startOf(blank + trail),
  };
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
