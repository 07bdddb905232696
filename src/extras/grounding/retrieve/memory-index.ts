import { parseBySchema } from "../state/parse-by-schema.ts";
import { exactOptional } from "../../../kernel/exact-optional.ts";
import { z } from "zod/v4";
import { type Result, ok } from "../../../kernel/result.ts";
import { type Embedder, cosine, embedAll } from "../adapters/embed.ts";
import { type GroundingError, groundingFailure } from "../grounding-error.ts";
import { type Chunk, chunkSchema } from "../ingest/document.ts";
import { createBm25 } from "./bm25.ts";
import type { SearchIndex, SearchMethod } from "./search-index.ts";

/** Options for {@link createMemoryIndex}. */
export interface MemoryIndexOptions {
  /**
   * Embedder that adds vectors to the ranking. Without an embedder, the ranking only uses words, and the result has a
   * warning.
   */
  readonly embedder?: Embedder;
  /** Share of the vectors in a hybrid score, 0 to 1. Default: 0.5. */
  readonly vectorWeight?: number;
}

/** Content of an index as plain JSON data. */
export interface IndexData {
  readonly version: 1;
  readonly chunks: readonly Chunk[];
  readonly vectors?: readonly (readonly number[])[];
}

/** Index in memory. You can store its data and read it back. */
export interface MemoryIndex extends SearchIndex {
  readonly data: IndexData;
}

const NO_EMBEDDER = "No embedder is configured, so the ranking only uses words (BM25).";

/**
 * Indexes chunks in memory. If you pass an embedder, it embeds each chunk once when the index is created, and each
 * query at search time. Errors: `validation` for a weight out of range, `provider` for an embedder that fails.
 */
export async function createMemoryIndex(
  chunks: readonly Chunk[],
  options: MemoryIndexOptions = {},
): Promise<Result<MemoryIndex, GroundingError>> {
  const { embedder } = options;
  if (embedder === undefined) return indexOfData({ version: 1, chunks }, options);
  const vectors = await embedAll(
    embedder,
    chunks.map(({ text }) => text),
    "index",
  );
  return vectors.ok ? indexOfData({ version: 1, chunks, vectors: vectors.value }, options) : vectors;
}

/** Creates an index over complete data. Only queries are embedded. */
export function indexOfData(
  data: IndexData,
  { embedder, vectorWeight = 0.5 }: MemoryIndexOptions,
): Result<MemoryIndex, GroundingError> {
  if (!(vectorWeight >= 0 && vectorWeight <= 1)) {
    const message = `The index can't be created: vectorWeight must be a number from 0 to 1, got ${vectorWeight}.`;
    return groundingFailure({ kind: "validation", code: "invalid_config", message, operation: "index" });
  }
  const { chunks, vectors } = data;
  const bm25 = createBm25(chunks.map(({ text }) => text));
  return ok({
    data,
    async search(query, { limit = 5, exclude = new Set() } = {}) {
      const words = bm25.score(query);
      if (embedder === undefined || vectors === undefined) return ok(resultOf(words, "bm25"));
      const embedded = await embedAll(embedder, [query], "search");
      if (!embedded.ok) return embedded;
      const near = new Map(vectors.map((vector, id) => [id, cosine(embedded.value[0] ?? [], vector)]));
      return ok(resultOf(fuseByWeight(words, near, vectorWeight), "hybrid"));

      function resultOf(
        scores: ReadonlyMap<number, number>,
        method: SearchMethod,
      ): { hits: { chunk: Chunk; score: number }[]; method: SearchMethod; warnings: string[] } {
        const ranked = [...scores]
          .toSorted(([a, x], [b, y]) => y - x || a - b)
          .flatMap(([id, score]) => {
            const chunk = chunks[id];
            return chunk === undefined || exclude.has(chunk.id) ? [] : [{ chunk, score }];
          });
        return { hits: ranked.slice(0, Math.max(0, limit)), method, warnings: method === "bm25" ? [NO_EMBEDDER] : [] };
      }
    },
  });
}

/** Scores by the index of their text. Not every text has a score. */
type Scores = ReadonlyMap<number, number>;

/** Scales two rankings to 0 to 1 and adds them by weight; `weight` is the share of the second. */
export function fuseByWeight(lexical: Scores, semantic: Scores, weight: number): Map<number, number> {
  const [first, second] = [normalized(lexical), normalized(semantic)];
  const ids = new Set([...first.keys(), ...second.keys()]);
  return new Map([...ids].map((id) => [id, (1 - weight) * (first.get(id) ?? 0) + weight * (second.get(id) ?? 0)]));
}

function normalized(scores: Scores): Map<number, number> {
  let [least, most] = [Infinity, -Infinity];
  for (const score of scores.values()) [least, most] = [Math.min(least, score), Math.max(most, score)];
  return new Map([...scores].map(([id, score]) => [id, most === least ? 1 : (score - least) / (most - least)]));
}

const schema = z
  .object({
    version: z.literal(1),
    chunks: z.array(chunkSchema),
    vectors: exactOptional(z.array(z.array(z.number()))),
  })
  .refine(({ chunks, vectors }) => vectors === undefined || vectors.length === chunks.length, {
    path: ["vectors"],
    message: "must have one vector for each chunk",
  });

/** Serializes an index as JSON text for {@link readIndex}. The JSON contains only texts, spans and vectors. */
export function serializeIndex({ data }: MemoryIndex): string {
  return JSON.stringify(data);
}

/** Reads a serialized index. A text that isn't an index is a `validation` error, `invalid_index`. */
export function readIndex(json: string, options: MemoryIndexOptions = {}): Result<MemoryIndex, GroundingError> {
  const data = parseBySchema(schema, json);
  if (data.ok) return indexOfData(data.value, options);
  const reason = data.error.slice(0, 500);
  const message = `Cannot read the index: ${reason}. Ingest the documents again and store a new index.`;
  return groundingFailure({ kind: "validation", code: "invalid_index", message, operation: "index" });
}
