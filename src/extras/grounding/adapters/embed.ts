import { types } from "node:util";
import { isArray } from "../../../kernel/json/plain-data.ts";
import { type Result, ok } from "../../../kernel/result.ts";
import type { GroundingError } from "../grounding-error.ts";
import { callAdapter } from "./call-adapter.ts";

/** Embedding model. Returns one vector of finite numbers per text, all of the same length, or a `Result` of them. */
export interface Embedder {
  embed(texts: readonly string[]): unknown;
}

/** Maximum number of texts in one call: accepted by services, and still readable in a recording. */
const BATCH = 128;

/** Embeds texts in sequential batches. Returns an error of kind `provider` if a call fails or returns another shape. */
export async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  operation: string,
): Promise<Result<readonly (readonly number[])[], GroundingError>> {
  const vectors: (readonly number[])[] = [];
  for (let from = 0; from < texts.length; from += BATCH) {
    const batch = texts.slice(from, from + BATCH);
    const answer = await callAdapter({
      operation,
      name: "The embedder",
      expected: `${batch.length} vectors of ${vectors[0]?.length ?? "equally many"} finite numbers`,
      call: () => embedder.embed(batch),
      read: (answer) => vectorsOf(answer, batch.length, vectors[0]?.length),
    });
    if (!answer.ok) return answer;
    vectors.push(...answer.value);
  }
  return ok(vectors);
}

function vectorsOf(
  answer: unknown,
  count: number,
  length: number | undefined,
): readonly (readonly number[])[] | undefined {
  if (!isArray(answer) || answer.length !== count) return undefined;
  const vectors = answer.map(vectorOf);
  const valid = vectors.filter((vector) => vector !== undefined);
  const expected = length ?? valid[0]?.length;
  return valid.length === count && valid.every((vector) => vector.length === expected) ? valid : undefined;
}

function vectorOf(value: unknown): readonly number[] | undefined {
  const items = types.isFloat32Array(value) || types.isFloat64Array(value) ? [...value] : value;
  if (!isArray(items) || items.length === 0) return undefined;
  const numbers = items.filter((item) => typeof item === "number" && Number.isFinite(item));
  return numbers.length === items.length ? numbers.filter((item) => typeof item === "number") : undefined;
}

/** Returns the cosine of two vectors, -1 to 1; 0 if a vector has length 0 or their dimensions differ. */
export function cosine(first: readonly number[], second: readonly number[]): number {
  if (first.length !== second.length) return 0;
  let [dot, a, b] = [0, 0, 0];
  for (let index = 0; index < first.length; index += 1) {
    const [x, y] = [first[index] ?? 0, second[index] ?? 0];
    dot += x * y;
    a += x * x;
    b += y * y;
  }
  // Take the square roots separately: a times b could overflow.
  const length = Math.sqrt(a) * Math.sqrt(b);
  return length === 0 ? 0 : dot / length;
}
