import { types } from "node:util";
import { isArray } from "../../../kernel/json/plain-data.ts";
import { type Result, ok } from "../../../kernel/result.ts";
import type { GroundingError } from "../grounding-error.ts";
import { callAdapter } from "./call-adapter.ts";

/** An embedding model: one vector of finite numbers for each text, all of one length, or a `Result` of them. */
export interface Embedder {
  embed(texts: readonly string[]): unknown;
}

/** Texts of one call: what services take at once, and what a recording can still show. */
const BATCH = 128;

/**
 * Embeds texts in batches, one after the other. Errors of kind `provider`: a call failed or answered in another shape.
 */
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
  const found = vectors.filter((vector) => vector !== undefined);
  const expected = length ?? found[0]?.length;
  return found.length === count && found.every((vector) => vector.length === expected) ? found : undefined;
}

function vectorOf(value: unknown): readonly number[] | undefined {
  const items = types.isFloat32Array(value) || types.isFloat64Array(value) ? [...value] : value;
  if (!isArray(items) || items.length === 0) return undefined;
  const numbers = items.filter((item) => typeof item === "number" && Number.isFinite(item));
  return numbers.length === items.length ? numbers.filter((item) => typeof item === "number") : undefined;
}

/** The cosine of two vectors, -1 to 1; 0 where one has no length or their dimensions differ. */
export function cosine(one: readonly number[], other: readonly number[]): number {
  if (one.length !== other.length) return 0;
  let [dot, a, b] = [0, 0, 0];
  for (let index = 0; index < one.length; index += 1) {
    const [x, y] = [one[index] ?? 0, other[index] ?? 0];
    dot += x * y;
    a += x * x;
    b += y * y;
  }
  // Square roots apart: their product cannot overflow where a times b would.
  const length = Math.sqrt(a) * Math.sqrt(b);
  return length === 0 ? 0 : dot / length;
}
