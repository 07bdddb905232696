import * as fc from "fast-check";
import { mapOutput } from "../pipeline/compose.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import { type Judge, verified } from "../pipeline/verified.ts";
import type { Verification } from "../verify/verification.ts";
import type { BaseAdapters } from "../../../kernel/step/context.ts";
import type { OneChange, OnePipeline, PipelineProperty } from "./pipeline-properties.ts";
import { assertSameOutcome } from "./pipeline-outcome.ts";

/** Pipeline with a judge of its values. */
export interface JudgedPipeline<A, B, P extends BaseAdapters> extends OnePipeline<A, B, P> {
  readonly judge: fc.Arbitrary<Judge<A, B, P>>;
}

/** Pipeline with a judge and a pure function over its value. */
export interface JudgedChange<A, B, C, P extends BaseAdapters> extends OneChange<A, B, C, P> {
  /** Judge of the value before and after the change, so it must accept both. */
  readonly judge: fc.Arbitrary<Judge<A, B | C, P>>;
}

/**
 * Checks that `verified` returns the pipeline's value or error unchanged, for every score. The judge must not fail,
 * because `verified` fails if its judge fails.
 */
export function verifiedKeepsValue<A, B, P extends BaseAdapters>(parts: JudgedPipeline<A, B, P>): PipelineProperty {
  return fc.asyncProperty(parts.pipeline, parts.judge, parts.input, async (pipeline, judge, input) => {
    const both = [valueOf(verified(pipeline, judge)), pipeline] as const;
    await assertSameOutcome("verified(f, judge) must return the value or the error of f", both, { ...parts, input });
  });
}

/**
 * Checks that it doesn't matter if `mapOutput` is applied before or after `verified`: both give the same value. The
 * scores can differ, because the judge gets a different value. Requires a judge that doesn't fail.
 */
export function verifiedCommutesOnValue<A, B, C, P extends BaseAdapters>(
  parts: JudgedChange<A, B, C, P>,
): PipelineProperty {
  return fc.asyncProperty(
    fc.tuple(parts.pipeline, parts.change, parts.judge, parts.input),
    async ([pipeline, change, judge, input]) => {
      const after = mapOutput(valueOf(verified(pipeline, judge)), change);
      const before = valueOf(verified(mapOutput(pipeline, change), judge));
      const rule = "mapOutput after verified must return the same value as verified after mapOutput";
      await assertSameOutcome(rule, [after, before], { ...parts, input });
    },
  );
}

/**
 * Checks that `verified` and `mapOutput` give the same value and scores in either order. The judge must read only the
 * input.
 */
export function verifiedCommutesWholly<A, B, C, P extends BaseAdapters>(
  parts: JudgedChange<A, B, C, P>,
): PipelineProperty {
  return fc.asyncProperty(
    fc.tuple(parts.pipeline, parts.change, parts.judge, parts.input),
    async ([pipeline, change, judge, input]) => {
      const onValue = (verification: Verification<B>): Verification<C> => ({
        ...verification,
        value: change(verification.value),
      });
      const both = [
        mapOutput(verified(pipeline, judge), onValue),
        verified(mapOutput(pipeline, change), judge),
      ] as const;
      const rule = "mapOutput after verified must equal verified after mapOutput, if the judge reads only the input";
      await assertSameOutcome(rule, both, { ...parts, input });
    },
  );
}

function valueOf<A, B, P extends BaseAdapters>(pipeline: Pipeline<A, Verification<B>, P>): Pipeline<A, B, P> {
  return mapOutput(pipeline, ({ value }) => value);
}
