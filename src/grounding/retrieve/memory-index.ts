import { type Result, err, ok } from "../../base/result.ts";
import { cosine } from "../adapters/cosine.ts";
import { type Embedder, embedAll } from "../adapters/embed.ts";
import { type GroundingError, groundingError } from "../grounding-error.ts";
import type { Chunk } from "../ingest/document.ts";
import { createBm25 } from "./bm25.ts";
import { fuseByRank, fuseByWeight } from "./fuse.ts";
import type { SearchIndex, SearchMethod } from "./search-index.ts";

/** Options of {@link createMemoryIndex}. */
export interface MemoryIndexOptions {
  /** Adds vectors to the ranking. Without it the ranking is by words alone, and says so. */
  readonly embedder?: Embedder;
  /** The vectors' share of a hybrid score, 0 to 1. Default: 0.5. */
  readonly vectorWeight?: number;
  /** How words and vectors are joined: by weighted scores, or by ranks. Default: `hybrid`. */
  readonly fusion?: "hybrid" | "rrf";
}

/** The content of an index as plain JSON data. */
export interface IndexData {
  readonly version: 1;
  readonly chunks: readonly Chunk[];
  readonly vectors?: readonly (readonly number[])[];
}

/** An index in memory; its data can be stored and read back. */
export interface MemoryIndex extends SearchIndex {
  readonly data: IndexData;
}

const NO_EMBEDDER = "No embedder is configured: the ranking is by words alone (BM25).";

/**
 * Indexes chunks in memory. With an embedder each chunk is embedded once, now, and each query when it is searched.
 * Errors: `validation` for a weight out of range, `provider` for an embedder that fails.
 */
export async function createMemoryIndex(
  chunks: readonly Chunk[],
  options: MemoryIndexOptions = {},
): Promise<Result<MemoryIndex, GroundingError>> {
  const { embedder } = options;
  if (embedder === undefined) return indexOf({ version: 1, chunks }, options);
  const vectors = await embedAll(
    embedder,
    chunks.map(({ text }) => text),
    "index",
  );
  return vectors.ok ? indexOf({ version: 1, chunks, vectors: vectors.value }, options) : vectors;
}

/** An index over data that is complete: nothing is embedded but queries. */
export function indexOf(
  data: IndexData,
  { embedder, vectorWeight = 0.5, fusion = "hybrid" }: MemoryIndexOptions,
): Result<MemoryIndex, GroundingError> {
  if (!(vectorWeight >= 0 && vectorWeight <= 1)) {
    const message = `The index cannot be made: vectorWeight is ${vectorWeight}. Give a number from 0 to 1.`;
    return err(groundingError({ kind: "validation", code: "invalid_config", message, operation: "index" }));
  }
  const { chunks, vectors } = data;
  const bm25 = createBm25(chunks.map(({ text }) => text));
  return ok({
    data,
    size: chunks.length,
    async search(query, { limit = 5, exclude = new Set() } = {}) {
      const words = bm25.score(query);
      if (embedder === undefined || vectors === undefined) return ok(resultOf(words, "bm25"));
      const embedded = await embedAll(embedder, [query], "search");
      if (!embedded.ok) return embedded;
      const near = new Map(vectors.map((vector, id) => [id, cosine(embedded.value[0] ?? [], vector)]));
      return ok(resultOf(fusion === "rrf" ? fuseByRank(words, near) : fuseByWeight(words, near, vectorWeight), fusion));

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
