import { inspect, isDeepStrictEqual } from "node:util";
import type { GroundingError } from "../grounding-error.ts";
import type { Pipeline, PipelineContext } from "../pipeline/pipeline.ts";
import type { BaseAdapters } from "../../../kernel/step/context.ts";

/**
 * Creates the context of one run. Return a new context each time, because a run consumes the recordings that it
 * replays.
 */
export type MakeContext<P extends BaseAdapters> = () => PipelineContext<P>;

/**
 * Outcome of a run, as properties compare it: a value, or the parts of an error. It omits the cause, since a thrown
 * error is another object in each run.
 */
export type PipelineOutcome<B> =
  | { readonly ok: true; readonly value: B }
  | { readonly ok: false; readonly error: Pick<GroundingError, "kind" | "code" | "message"> };

/** Runs a pipeline to its outcome. */
export async function outcomeOf<A, B, P extends BaseAdapters>(
  pipeline: Pipeline<A, B, P>,
  input: A,
  context: MakeContext<P>,
): Promise<PipelineOutcome<B>> {
  const result = await pipeline.run(context(), input);
  if (result.ok) return { ok: true, value: result.value };
  const { kind, code, message } = result.error;
  return { ok: false, error: { kind, code, message } };
}

/** Throws an Error that shows both outcomes if two pipelines, which `rule` names in order, have different outcomes. */
export async function assertSameOutcome<A, B, P extends BaseAdapters>(
  rule: string,
  [left, right]: readonly [Pipeline<A, B, P>, Pipeline<A, B, P>],
  { input, context }: { readonly input: A; readonly context: MakeContext<P> },
): Promise<void> {
  const [first, second] = [await outcomeOf(left, input, context), await outcomeOf(right, input, context)];
  const isEqual = isDeepStrictEqual(first, second);
  assertRule(rule, isEqual, () => `The first returned ${shown(first)}, and the second ${shown(second)}.`);
}

/** Throws an Error that shows both values if they differ by `isDeepStrictEqual`. */
export function assertEqual(rule: string, actual: unknown, expected: unknown): void {
  const isEqual = isDeepStrictEqual(actual, expected);
  assertRule(rule, isEqual, () => `Expected ${shown(expected)}, got ${shown(actual)}.`);
}

/** Throws an Error if a rule of a property isn't met. `describe` returns a sentence about the actual outcome. */
export function assertRule(rule: string, isMet: boolean, describe: () => string): void {
  if (!isMet) throw new Error(`Property failed: ${rule}. ${describe()}`);
}

function shown(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: Infinity, maxStringLength: 200, maxArrayLength: 20 });
}
