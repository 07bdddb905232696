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
