import { traced } from "../pipeline/operation.ts";
import { type Result, ok } from "../../../kernel/result.ts";
import { VERA } from "../../../kernel/telemetry/attributes.ts";
import { type GroundingConfig, groundingConfig } from "../grounding-config.ts";
import { type GroundingError, groundingFailure } from "../grounding-error.ts";
import type { Chunk } from "../ingest/document.ts";
import type { LlmAdapter } from "../adapters/llm-adapter.ts";
import type { Verification } from "../verify/verification.ts";
import { expandQuery } from "./expand-query.ts";
import { lowCoverage, verifyRetrieval } from "./coverage.ts";
import { type SearchIndex, type SearchMethod, type SearchResult, searchChunks } from "./search-index.ts";

/** Options for {@link retrieve}. */
export interface RetrieveOptions {
  readonly index: SearchIndex;
  /** Model that rewrites the query for further searches (hops). Without it, each hop adds terms from the passages. */
  readonly llm?: LlmAdapter;
  /** Maximum number of chunks that each hop adds. Default: 5. */
  readonly limit?: number;
  readonly config?: Partial<GroundingConfig>;
}

/** Result of a retrieval: the chunks, their coverage, and the queries. */
export interface Retrieval {
  /** Chunks in retrieval order, with the best chunk of the first hop first. */
  readonly chunks: readonly Chunk[];
  readonly verification: Verification<readonly Chunk[]>;
  /** Queries of all searches (hops), in order. */
  readonly queries: readonly string[];
  readonly method: SearchMethod;
  readonly warnings: readonly string[];
}

/** Results of all searches so far. */
interface Progress {
  readonly chunks: readonly Chunk[];
  readonly queries: readonly string[];
  readonly warnings: readonly string[];
  readonly method: SearchMethod;
}

/**
 * Searches for chunks that cover the query. If coverage is below `coverageThreshold` (0.80), it widens the query and
 * searches again without the chunks it already has. It makes at most `maxHops` (3) searches. If coverage is still
 * too low, it returns the last result with a warning, not an error. Errors: `validation` for a blank query or an
 * invalid configuration, `retrieval` and `provider` from the index and the adapters.
 */
export async function retrieve(query: string, options: RetrieveOptions): Promise<Result<Retrieval, GroundingError>> {
  return traced("retrieve", {
    work: () => search(query, options),
    facts: ({ chunks, queries, verification }) => ({
      [VERA.phase]: "retrieval",
      [VERA.groundingScore]: verification.support ?? "none",
      [VERA.hops]: queries.length,
      [VERA.passages]: chunks.length,
    }),
  });
}

async function search(
  query: string,
  { index, llm, limit = 5, config: configOptions }: RetrieveOptions,
): Promise<Result<Retrieval, GroundingError>> {
  const config = groundingConfig(configOptions);
  if (!config.ok) return config;
  if (!/[\p{L}\p{N}]/u.test(query)) return blankQuery(query);
  const { coverageThreshold, maxHops } = config.value;
  let progress: Progress = { chunks: [], queries: [], warnings: [], method: "bm25" };
  for (let next = query; ; ) {
    const result = await searchChunks(index, next, { limit, exclude: new Set(progress.chunks.map(({ id }) => id)) });
    if (!result.ok) return result;
    progress = extended(progress, next, result.value);
    const verification = verifyRetrieval(query, progress.chunks, config.value);
    const covered = (verification.support ?? 0) >= coverageThreshold;
    if (covered || progress.queries.length >= maxHops)
      return ok(finished(progress, verification, covered ? undefined : coverageThreshold));
    const missing = verification.claims.filter(({ score }) => score === 0).map(({ text }) => text);
    const widened = await expandQuery({ query, chunks: progress.chunks, missing }, llm);
    if (!widened.ok) return widened;
    next = widened.value;
  }
}

function extended(
  { chunks, queries, warnings }: Progress,
  query: string,
  { hits, method, warnings: more }: SearchResult,
): Progress {
  return {
    chunks: [...chunks, ...hits.map(({ chunk }) => chunk)],
    queries: [...queries, query],
    warnings: [...new Set([...warnings, ...more])],
    method,
  };
}

function finished(
  { chunks, queries, warnings, method }: Progress,
  verification: Retrieval["verification"],
  wanted: number | undefined,
): Retrieval {
  const { support: score, claims } = verification;
  const missing = claims.filter((claim) => claim.score === 0).map(({ text }) => text);
  const low = wanted === undefined ? [] : [lowCoverage({ score, missing, hops: queries.length, wanted })];
  return { chunks, verification, queries, method, warnings: [...warnings, ...low] };
}

function blankQuery(query: string): Result<never, GroundingError> {
  const message = "The query doesn't contain any words. Ask a question, or enter words to search for.";
  return groundingFailure({ kind: "validation", code: "blank_query", message, operation: "retrieve", input: query });
}
