import { z } from "zod/v4";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { callAdapter } from "../adapters/call-adapter.ts";
import type { GroundingError } from "../grounding-error.ts";
import { type Chunk, chunkSchema } from "../ingest/document.ts";

/** Ranking method. `bm25` compares only words. `hybrid` adds weighted scores of words and vectors. */
export type SearchMethod = "bm25" | "hybrid";

/** Chunk that a search found, with its score. */
export interface SearchHit {
  readonly chunk: Chunk;
  /** Score of the chunk. Compare it only with scores of the same ranking. */
  readonly score: number;
}

/** Ranked chunks, from the best to the worst. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly method: SearchMethod;
  /** Warnings for the reader, such as a missing embedder. */
  readonly warnings: readonly string[];
}

/** Options of one search. */
export interface SearchOptions {
  /** Maximum number of hits. Default: 5. */
  readonly limit?: number;
  /** Ids of chunks to exclude. */
  readonly exclude?: ReadonlySet<string>;
}

/** Search index of chunks. `createMemoryIndex` keeps one in memory; a database can implement the same interface. */
export interface SearchIndex {
  search(query: string, options?: SearchOptions): Promise<Result<SearchResult, GroundingError>>;
}

const schema = z.object({
  hits: z.array(z.object({ chunk: chunkSchema, score: z.number() })),
  method: z.enum(["bm25", "hybrid"]),
  warnings: z.array(z.string()),
});

/**
 * Searches an untrusted index. If it throws, fails or returns another shape, that's an error of kind `retrieval`.
 * Removes the chunks in `exclude`, in case the index ignores that option.
 */
export async function searchChunks(
  index: SearchIndex,
  query: string,
  options: SearchOptions,
): Promise<Result<SearchResult, GroundingError>> {
  const result = await callAdapter({
    operation: "retrieve",
    name: "index.search",
    expected: "{ hits, method, warnings } with a chunk and a score in each hit",
    call: () => index.search(query, options),
    read: (answer) => (isSearchResult(answer) ? answer : undefined),
  });
  if (!result.ok) return result.error.kind === "provider" ? err({ ...result.error, kind: "retrieval" }) : result;
  return ok({
    ...result.value,
    hits: result.value.hits.filter(({ chunk }) => options.exclude?.has(chunk.id) !== true),
  });
}

/** Validates without parsing, so that chunks keep the additional fields of their index. */
function isSearchResult(answer: unknown): answer is SearchResult {
  return schema.safeParse(answer).success;
}
