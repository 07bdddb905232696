import { z } from "zod";
import { type Result, err } from "../../base/result.ts";
import { formatIssues } from "../../step/schema.ts";
import { messageOf } from "../../base/thrown.ts";
import { type GroundingError, groundingError } from "../grounding-error.ts";
import { chunkSchema } from "../ingest/chunk-schema.ts";
import { type IndexData, type MemoryIndex, type MemoryIndexOptions, indexOf } from "./memory-index.ts";

const schema = z
  .object({
    version: z.literal(1),
    chunks: z.array(chunkSchema),
    vectors: z.array(z.array(z.number())).exactOptional(),
  })
  .refine(({ chunks, vectors }) => vectors === undefined || vectors.length === chunks.length, {
    path: ["vectors"],
    message: "must have one vector for each chunk",
  });

/** Writes an index as JSON text, to be read back by {@link readIndex}: texts, places and vectors, nothing else. */
export function serializeIndex({ data }: MemoryIndex): string {
  return JSON.stringify(data);
}

/** Reads an index back. A text that is no index is an error of kind `validation`, `invalid_index`. */
export function readIndex(json: string, options: MemoryIndexOptions = {}): Result<MemoryIndex, GroundingError> {
  const data = parseData(json);
  return data.ok ? indexOf(data.value, options) : data;
}

function parseData(json: string): Result<IndexData, GroundingError> {
  try {
    const parsed = schema.safeParse(JSON.parse(json));
    return parsed.success ? { ok: true, value: parsed.data } : err(invalid(formatIssues(parsed.error.issues)));
  } catch (cause) {
    return err(invalid(messageOf(cause)));
  }
}

function invalid(found: string): GroundingError {
  const message = `Cannot read the index: ${found.slice(0, 500)}. Ingest the documents again and store a new one.`;
  return groundingError({ kind: "validation", code: "invalid_index", message, operation: "index" });
}
