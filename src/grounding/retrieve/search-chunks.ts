import { z } from "zod";
import { type Result, err, ok } from "../../base/result.ts";
import { callAdapter } from "../adapters/call-adapter.ts";
import type { GroundingError } from "../grounding-error.ts";
import { chunkSchema } from "../ingest/chunk-schema.ts";
import type { SearchIndex, SearchOptions, SearchResult } from "./search-index.ts";

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
