import { hashValueSync } from "../../base/hash.ts";
import { type Result, ok } from "../../base/result.ts";
import type { GroundingError } from "../grounding-error.ts";
import type { Chunk } from "../ingest/document.ts";
import { type MemoryIndex, createMemoryIndex } from "../retrieve/memory-index.ts";

/** Gives the index of chunks. */
export type IndexChunks = (chunks: readonly Chunk[]) => Promise<Result<MemoryIndex, GroundingError>>;

/**
 * Makes a function that indexes chunks and remembers the last index: the hops of a question search the same chunks, and
 * to index a book takes a second. Told apart by content, so that the answer is always that of a fresh index.
 */
export function indexMemo(): IndexChunks {
  let last: { readonly key: string; readonly index: MemoryIndex } | undefined;
  return async (chunks) => {
    const key = hashValueSync(chunks);
    if (last?.key === key) return ok(last.index);
    const index = await createMemoryIndex(chunks);
    if (index.ok) last = { key, index: index.value };
    return index;
  };
}
