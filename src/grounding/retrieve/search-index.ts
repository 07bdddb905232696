import type { Result } from "../../base/result.ts";
import type { GroundingError } from "../grounding-error.ts";
import type { Chunk } from "../ingest/document.ts";

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
