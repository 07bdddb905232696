import { splitSentences } from "../text/split-sentences.ts";
import { tokenize } from "../text/tokenize.ts";
import { type Frame, frameOf, nameTokens } from "./frames.ts";

/** Sentence of a source with its comparison keys. */
export interface SourceSentence {
  readonly text: string;
  /** Index of its source in the list. Only sentences of one source are neighbours. */
  readonly source: number;
  readonly document: string;
  readonly page?: number;
  /** Offsets within the page, or within the document if it has no pages. */
  readonly start: number;
  readonly end: number;
  readonly keys: ReadonlySet<string>;
  readonly frame: Frame;
  /** Keys of its names. */
  readonly names: ReadonlySet<string>;
}

/** Sentences of all sources, and the ids of those that have a token. */
export interface SourceIndex {
  readonly sentences: readonly SourceSentence[];
  readonly postings: ReadonlyMap<string, readonly number[]>;
}

/** Indexes sources for a verifier. Linear in their length. */
export function indexSources(sources: readonly GroundingSource[]): SourceIndex {
  const sentences = sources.flatMap((source, sourceIndex) => sentencesOf(source, sourceIndex));
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
  sourceIndex: number,
): SourceSentence[] {
  return splitSentences(text).map(({ text, start, end }) => {
    const tokens = tokenize(text);
    let frame: Frame | undefined;
    let names: ReadonlySet<string> | undefined;
    return {
      text,
      source: sourceIndex,
      document,
      ...(page === undefined ? {} : { page }),
      start: offset + start,
      end: offset + end,
      keys: new Set(tokens.map(({ key }) => key)),
      // Computed lazily: only the few sentences that a claim is aligned with need them.
      get frame() {
        return (frame ??= frameOf(text, tokens));
      },
      get names() {
        return (names ??= new Set(nameTokens(text, tokens).map(({ key }) => key)));
      },
    };
  });
}

/** Text to verify answers against, with its origin. */
export interface GroundingSource {
  /** Name in citations. Default: `source 1`, by its position. */
  readonly document?: string;
  readonly text: string;
  /** Page of the text, counted from 1. */
  readonly page?: number;
  /** Offset of `text` within its page (or its document, without pages), in UTF-16 code units. Default: 0. */
  readonly start?: number;
}

/** Sources of a verification: texts, or texts with their origin, such as retrieved chunks. */
export type Sources = string | GroundingSource | readonly (string | GroundingSource)[];

/** Normalizes sources. The document of a bare text is named by its position. */
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

/** Orders sentences independently of the order of the sources. */
export function precedes(left: SourceSentence, right: SourceSentence): boolean {
  if (left.text !== right.text) return left.text < right.text;
  if (left.document !== right.document) return left.document < right.document;
  return (left.page ?? 0) === (right.page ?? 0) ? left.start < right.start : (left.page ?? 0) < (right.page ?? 0);
}
