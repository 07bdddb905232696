import { z } from "zod";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { callAdapter } from "../adapters/call-adapter.ts";
import type { GroundingError } from "../grounding-error.ts";
import { type Chunk, chunkSchema } from "../ingest/document.ts";

/** How a ranking came about: words alone, words and vectors by weight, or by reciprocal ranks. */
export type SearchMethod = "bm25" | "hybrid" | "rrf";

/** One chunk of a ranking. */
export interface SearchHit {
  readonly chunk: Chunk;
  /** Comparable within one ranking only. */
  readonly score: number;
}

/** A ranking, the best first. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly method: SearchMethod;
  /** What the reader should know, such as that no embedder was there. */
  readonly warnings: readonly string[];
}

/** Options of one search. */
export interface SearchOptions {
  /** The most hits. Default: 5. */
  readonly limit?: number;
  /** Ids of chunks that must not come again. */
  readonly exclude?: ReadonlySet<string>;
}

/** Where chunks are searched. The one here is in memory; one in a database can stand behind the same interface. */
export interface SearchIndex {
  readonly size: number;
  search(query: string, options?: SearchOptions): Promise<Result<SearchResult, GroundingError>>;
}

const schema = z.object({
  hits: z.array(z.object({ chunk: chunkSchema, score: z.number() })),
  method: z.enum(["bm25", "hybrid", "rrf"]),
  warnings: z.array(z.string()),
});

/**
 * Searches an index that may be anyone's: one that throws, fails or answers in another shape is an error of kind
 * `retrieval`, and what `exclude` names does not come again from one that does not know it.
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

/** Not parsed: a chunk keeps what else its index knows of it. */
function isSearchResult(answer: unknown): answer is SearchResult {
  return schema.safeParse(answer).success;
}
