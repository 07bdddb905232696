import * as fc from "fast-check";
import { type Pipeline, stage } from "../pipeline/pipeline.ts";
import { until } from "../pipeline/compose.ts";
import type { BaseAdapters } from "../../../kernel/step/context.ts";
import type { PropertyInput, PipelineProperty } from "./pipeline-properties.ts";
import { type PipelineOutcome, assertEqual, assertRule, outcomeOf } from "./pipeline-outcome.ts";

/** Generated parts of a loop to check. */
export interface LoopParts<A, B, P extends BaseAdapters> extends PropertyInput<A, P> {
  readonly step: fc.Arbitrary<Pipeline<A, B, P>>;
  readonly condition: fc.Arbitrary<(value: B) => boolean>;
  /** Arbitrary for the limit of the loop: integers from 1. */
  readonly max: fc.Arbitrary<number>;
  readonly refine: fc.Arbitrary<(input: A, value: B) => A>;
}

/**
 * Checks the limit of `until`. It runs its step at most `max` times, and stops earlier only at an error or at a result
 * that meets the condition. Its outcome is the outcome of the last run. It warns only if the last result doesn't meet
 * the condition.
 */
export function untilRespectsMax<A, B, P extends BaseAdapters>({
  context,
  ...parts
}: LoopParts<A, B, P>): PipelineProperty {
  return fc.asyncProperty(
    fc.tuple(parts.step, parts.condition, parts.max, parts.refine, parts.input),
    async ([step, condition, max, refine, input]) => {
      const seen: PipelineOutcome<B>[] = [];
      const warnings: string[] = [];
      const counted = stage(step.name, async (ctx: ReturnType<typeof context>, value: A) => {
        const result = await step.run(ctx, value);
        seen.push(await outcomeOf({ name: step.name, run: async () => result }, value, context));
        return result;
      });
      const warningContext = (): ReturnType<typeof context> => ({
        ...context(),
        warn: (warning) => void warnings.push(warning),
      });
      const last = await outcomeOf(until({ condition, max, step: counted, refine }), input, warningContext);
      const good = (outcome: PipelineOutcome<B>): boolean => !outcome.ok || condition(outcome.value);
      const ran = (): string => `It ran ${seen.length} times, and max is ${max}.`;
      assertEqual('"until" must return the outcome of the last run', last, seen.at(-1));
      assertRule('"until" must run its step at most max times', seen.length <= max, ran);
      assertRule(
        '"until" must stop at the first error or result that meets the condition',
        !seen.slice(0, -1).some(good),
        ran,
      );
      assertRule(
        '"until" must run until a result meets the condition, a run fails, or max is reached',
        seen.length === max || good(last),
        ran,
      );
      // The step may warn too; only the loop's warning begins with its name.
      assertEqual(
        '"until" must warn once if its last result doesn\'t meet the condition, and not warn otherwise',
        warnings.filter((warning) => warning.startsWith(`until(${step.name}): `)).length,
        good(last) ? 0 : 1,
      );
    },
  );
}

/**
 * Checks that a second `until` around a finished one has no effect. The first one is finished if its result meets the
 * condition, or is an error. If it ends at its limit, the outer loop tries again, and this property doesn't apply. Also
 * checks that `until` returns the first result of its step if that result meets the condition.
 */
export function untilIsFixedPoint<A, B, P extends BaseAdapters>({
  context,
  ...parts
}: LoopParts<A, B, P>): PipelineProperty {
  return fc.asyncProperty(
    fc.tuple(parts.step, parts.condition, parts.max, parts.refine, parts.input),
    async ([step, condition, max, refine, input]) => {
      const loop = until({ condition, max, step, refine });
      const [first, once] = [await outcomeOf(step, input, context), await outcomeOf(loop, input, context)];
      const isFinal = (outcome: PipelineOutcome<B>): boolean => !outcome.ok || condition(outcome.value);
      if (isFinal(first))
        assertEqual('"until" must return the first result if that result meets the condition', once, first);
      if (isFinal(once))
        assertEqual(
          '"until" around an equal "until" must have the result of one "until"',
          await outcomeOf(until({ condition, max, step: loop, refine }), input, context),
          once,
        );
    },
  );
}
