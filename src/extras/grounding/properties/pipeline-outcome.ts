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

/** Throws an Error that shows both outcomes if two pipelines differ in an input's outcome. */
export async function assertSameOutcome<A, B, P extends BaseAdapters>(
  property: string,
  [left, right]: readonly [Pipeline<A, B, P>, Pipeline<A, B, P>],
  { input, context }: { readonly input: A; readonly context: MakeContext<P> },
): Promise<void> {
  assertEqual(property, await outcomeOf(left, input, context), await outcomeOf(right, input, context));
}

/** Throws an Error that shows both sides if they differ by `isDeepStrictEqual`. */
export function assertEqual(property: string, left: unknown, right: unknown): void {
  if (!isDeepStrictEqual(left, right))
    throw new Error(`${property} fails: ${shown(left)} on one side, ${shown(right)} on the other.`);
}

function shown(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: Infinity, maxStringLength: 200, maxArrayLength: 20 });
}
