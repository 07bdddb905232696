import { splitSentences } from "../text/split-sentences.ts";
import { tokenize } from "../text/tokenize.ts";
import { type Frame, frameOf, nameTokens } from "./frames.ts";

/** One sentence of the sources, ready to be compared. */
export interface SourceSentence {
  readonly text: string;
  /** Which of the sources it is from, by its place in their list: only sentences of one source are neighbours. */
  readonly source: number;
  readonly document: string;
  readonly page?: number;
  /** Offsets within the page, or within the document where there are no pages. */
  readonly start: number;
  readonly end: number;
  readonly keys: ReadonlySet<string>;
  readonly frame: Frame;
  /** Keys of the names in it. */
  readonly names: ReadonlySet<string>;
}

/** The sentences of all sources, and which of them have a token. */
export interface SourceIndex {
  readonly sentences: readonly SourceSentence[];
  readonly postings: ReadonlyMap<string, readonly number[]>;
}

/** Indexes sources for a verifier: linear in their length. */
export function indexSources(sources: readonly GroundingSource[]): SourceIndex {
  const sentences = sources.flatMap((source, place) => sentencesOf(source, place));
  const postings = new Map<string, number[]>();
  for (const [id, { keys }] of sentences.entries()) {
    for (const key of keys) {
      const ids = postings.get(key);
      if (ids === undefined) postings.set(key, [id]);
      else ids.push(id);
    }
  }
  return { sentences, postings };
}

function sentencesOf(
  { text, document = "", page, start: offset = 0 }: GroundingSource,
  place: number,
): SourceSentence[] {
  return splitSentences(text).map(({ text, start, end }) => {
    const tokens = tokenize(text);
    let frame: Frame | undefined;
    let names: ReadonlySet<string> | undefined;
    return {
      text,
      source: place,
      document,
      ...(page === undefined ? {} : { page }),
      start: offset + start,
      end: offset + end,
      keys: new Set(tokens.map(({ key }) => key)),
      // Only of sentences that a claim is aligned with, which are few: read when they are first looked at.
      get frame() {
        return (frame ??= frameOf(text, tokens));
      },
      get names() {
        return (names ??= new Set(nameTokens(text, tokens).map(({ key }) => key)));
      },
    };
  });
}

/** A text that answers are checked against, and where it comes from. */
export interface GroundingSource {
  /** What citations call it. Default: `source 1`, by its place. */
  readonly document?: string;
  readonly text: string;
  /** The page the text is from, counted from 1. */
  readonly page?: number;
  /** Where `text` begins within its page (or within the document, without pages), in UTF-16 code units. Default: 0. */
  readonly start?: number;
}

/** What a verifier accepts as sources: texts, or texts with their place. A retrieved chunk is one too. */
export type Sources = string | GroundingSource | readonly (string | GroundingSource)[];

/** Gives every source its place; the document of a bare text is named by its position. */
export function readSources(sources: Sources): GroundingSource[] {
  const list: readonly (string | GroundingSource)[] = isList(sources) ? sources : [sources];
  return list.map((source, index) => {
    const named = typeof source === "string" ? { text: source } : source;
    return { ...named, document: named.document ?? `source ${index + 1}` };
  });
}

function isList(sources: Sources): sources is readonly (string | GroundingSource)[] {
  return Array.isArray(sources);
}

/** An order that does not depend on how the sources were handed over. */
export function precedes(one: SourceSentence, other: SourceSentence): boolean {
  if (one.text !== other.text) return one.text < other.text;
  if (one.document !== other.document) return one.document < other.document;
  return (one.page ?? 0) === (other.page ?? 0) ? one.start < other.start : (one.page ?? 0) < (other.page ?? 0);
}
