import { type Result, ok } from "../../../kernel/result.ts";
import type { BaseAdapters } from "../../../kernel/step/context.ts";
import { type GroundingError, groundingFailure } from "../grounding-error.ts";
import { type Pipeline, type PipelineContext, guarded } from "./pipeline.ts";

/** Creates the pipeline that returns its input. Composed with another pipeline, on either side, it has no effect. */
export function identity<A>(): Pipeline<A, A> {
  return { name: "identity", run: async (_ctx, input) => ok(input) };
}

/**
 * Runs one pipeline, then the other on its value. If the first fails, the result is its error and the second doesn't
 * run. (It's a function, not a method `then`, because `await` treats any object with such a method as a promise.)
 */
export function andThen<A, B, C, P extends BaseAdapters, Q extends BaseAdapters>(
  first: Pipeline<A, B, P>,
  second: Pipeline<B, C, Q>,
): Pipeline<A, C, P & Q> {
  return {
    name: `${first.name} → ${second.name}`,
    async run(ctx, input) {
      const between = await first.run(ctx, input);
      return between.ok ? second.run(ctx, between.value) : between;
    },
  };
}

/** Maps a pipeline's value by a pure function. If the function throws, that's an error of kind `internal`. */
export function mapOutput<A, B, C, P extends BaseAdapters>(
  pipeline: Pipeline<A, B, P>,
  change: (value: B) => C,
): Pipeline<A, C, P> {
  return {
    name: pipeline.name,
    async run(ctx, input) {
      const result = await pipeline.run(ctx, input);
      return result.ok ? guarded(pipeline.name, () => ok(change(result.value))) : result;
    },
  };
}

/**
 * Runs both pipelines on the same input concurrently and awaits both. If both fail, the result is the first pipeline's
 * error, whichever failed earlier.
 */
export function parallel<A, B, C, P extends BaseAdapters, Q extends BaseAdapters>(
  left: Pipeline<A, B, P>,
  right: Pipeline<A, C, Q>,
): Pipeline<A, readonly [B, C], P & Q> {
  return {
    name: `${left.name} ∥ ${right.name}`,
    async run(ctx, input) {
      const [first, second] = await Promise.all([left.run(ctx, input), right.run(ctx, input)]);
      if (!first.ok) return first;
      return second.ok ? ok([first.value, second.value] as const) : second;
    },
  };
}

/** Runs one of two pipelines, depending on a condition on the input. */
export function branch<A, B, P extends BaseAdapters, Q extends BaseAdapters>(
  condition: (input: A) => boolean,
  yes: Pipeline<A, B, P>,
  no: Pipeline<A, B, Q>,
): Pipeline<A, B, P & Q> {
  const name = `${yes.name} | ${no.name}`;
  return {
    name,
    run: (ctx, input) => guarded(name, () => (condition(input) ? yes.run(ctx, input) : no.run(ctx, input))),
  };
}

/** Loop: its step, the condition that ends it, its limit, and the function that derives the next input. */
export interface Loop<A, B, P extends BaseAdapters> {
  readonly condition: (value: B) => boolean;
  /** Maximum number of runs of the step; at least 1. */
  readonly max: number;
  readonly step: Pipeline<A, B, P>;
  /** Returns the input of the next run from the input and the result of the last run. */
  readonly refine: (input: A, value: B) => A;
}

/**
 * Repeats a step until its result meets a condition, at most `max` times. At the limit it returns the last result and
 * calls `warn` of the context. If the first result meets the condition, the step runs once and its result is unchanged.
 * A `max` below 1 is an error of kind `validation`.
 */
export function until<A, B, P extends BaseAdapters>(loop: Loop<A, B, P>): Pipeline<A, B, P> {
  const name = `until(${loop.step.name})`;
  return { name, run: (ctx, input) => guarded(name, () => repeat(loop, ctx, { name, input })) };
}

async function repeat<A, B, P extends BaseAdapters>(
  { condition, max, step, refine }: Loop<A, B, P>,
  ctx: PipelineContext<P>,
  { name, input }: { readonly name: string; readonly input: A },
): Promise<Result<B, GroundingError>> {
  if (!Number.isInteger(max) || max < 1) {
    const message = `${name}: max must be an integer of at least 1, got ${max}.`;
    return groundingFailure({ kind: "validation", code: "invalid_config", message, operation: name });
  }
  let next = input;
  for (let count = 1; ; count += 1) {
    const result = await step.run(ctx, next);
    if (!result.ok || condition(result.value)) return result;
    if (count === max) {
      ctx.warn?.(
        `${name}: the condition isn't met after ${max} ${max === 1 ? "run" : "runs"}, so the last result is used.`,
      );
      return result;
    }
    next = refine(next, result.value);
  }
}
