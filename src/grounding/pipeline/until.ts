import { type Result, err } from "../../base/result.ts";
import type { BaseAdapters } from "../../step/context.ts";
import { type GroundingError, groundingError } from "../grounding-error.ts";
import { type Pipeline, type PipelineContext, guarded } from "./pipeline.ts";

/** A loop: what is repeated, when it is good, how often at most, and how a new input comes from a result. */
export interface Loop<A, B, P extends BaseAdapters> {
  readonly condition: (value: B) => boolean;
  /** How often the step runs at most; at least 1. */
  readonly max: number;
  readonly step: Pipeline<A, B, P>;
  /** The next input, from the last one and its result. */
  readonly refine: (input: A, value: B) => A;
}

/**
 * Repeats a step until its result meets a condition, at most `max` times. At the limit the last result stands, and the
 * context hears a warning. A first result that meets the condition is the step's own, and the step runs once.
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
    const message = `${name}: max is ${max}. Give a whole number of at least 1.`;
    return err(groundingError({ kind: "validation", code: "invalid_config", message, operation: name }));
  }
  let next = input;
  for (let count = 1; ; count += 1) {
    const result = await step.run(ctx, next);
    if (!result.ok || condition(result.value)) return result;
    if (count === max) {
      ctx.warn?.(
        `${name}: the condition is not met after ${max} ${max === 1 ? "run" : "runs"}; the last result stands.`,
      );
      return result;
    }
    next = refine(next, result.value);
  }
}
