import * as fc from "fast-check";
import { andThen, branch, identity, mapOutput, parallel } from "../pipeline/compose.ts";
import { type Pipeline, stage } from "../pipeline/pipeline.ts";
import { ok } from "../../../kernel/result.ts";
import type { BaseAdapters } from "../../../kernel/step/context.ts";
import {
  type MakeContext,
  type PipelineOutcome,
  assertEqual,
  assertRule,
  assertSameOutcome,
  outcomeOf,
} from "./pipeline-outcome.ts";

/**
 * Property of pipelines. Each takes generators of pipelines and inputs, and returns a fast-check property for
 * `fc.assert`. Properties compare runs, so a pipeline must give equal outcomes for equal inputs: use recorded adapters
 * instead of a live model. Use `fc.constant(mine)` to check one pipeline.
 *
 * @example
 * await fc.assert(leftIdentity({ context: () => ({ adapters }), input: fc.string(), pipeline: fc.constant(mine) }));
 */
export type PipelineProperty = fc.IAsyncProperty<unknown[]>;

/** Options of every property: an arbitrary for the inputs, and a function that creates the context of each run. */
export interface PropertyInput<A, P extends BaseAdapters> {
  readonly input: fc.Arbitrary<A>;
  /** Creates the context of a run. It's called for each run. */
  readonly context: MakeContext<P>;
}

/** Pipeline to check. */
export interface OnePipeline<A, B, P extends BaseAdapters> extends PropertyInput<A, P> {
  readonly pipeline: fc.Arbitrary<Pipeline<A, B, P>>;
}

/** Two pipelines with the same input to check. */
export interface TwoPipelines<A, B, C, P extends BaseAdapters> extends PropertyInput<A, P> {
  readonly one: fc.Arbitrary<Pipeline<A, B, P>>;
  readonly other: fc.Arbitrary<Pipeline<A, C, P>>;
}

/** Three pipelines, each of which takes the output of the previous one. */
export interface PipelineChain<A, B, C, D, P extends BaseAdapters> extends PropertyInput<A, P> {
  readonly first: fc.Arbitrary<Pipeline<A, B, P>>;
  readonly second: fc.Arbitrary<Pipeline<B, C, P>>;
  readonly third: fc.Arbitrary<Pipeline<C, D, P>>;
}

/**
 * Checks that the grouping of `andThen` doesn't matter: `andThen(andThen(f, g), h)` and `andThen(f, andThen(g, h))`
 * have the same outcome, including errors.
 */
export function associativity<A, B, C, D, P extends BaseAdapters>(
  chain: PipelineChain<A, B, C, D, P>,
): PipelineProperty {
  return fc.asyncProperty(
    fc.tuple(chain.first, chain.second, chain.third, chain.input),
    async ([first, second, third, input]) => {
      const both = [andThen(andThen(first, second), third), andThen(first, andThen(second, third))] as const;
      await assertSameOutcome("andThen(andThen(f, g), h) must equal andThen(f, andThen(g, h))", both, {
        ...chain,
        input,
      });
    },
  );
}

/** Checks that `identity` before a pipeline has no effect: `andThen(identity(), f)` has the same outcome as `f`. */
export function leftIdentity<A, B, P extends BaseAdapters>(parts: OnePipeline<A, B, P>): PipelineProperty {
  return fc.asyncProperty(parts.pipeline, parts.input, async (pipeline, input) =>
    assertSameOutcome("andThen(identity(), f) must equal f", [andThen(identity<A>(), pipeline), pipeline], {
      ...parts,
      input,
    }),
  );
}

/** Checks that `identity` after a pipeline has no effect: `andThen(f, identity())` has the same outcome as `f`. */
export function rightIdentity<A, B, P extends BaseAdapters>(parts: OnePipeline<A, B, P>): PipelineProperty {
  return fc.asyncProperty(parts.pipeline, parts.input, async (pipeline, input) =>
    assertSameOutcome("andThen(f, identity()) must equal f", [andThen(pipeline, identity<B>()), pipeline], {
      ...parts,
      input,
    }),
  );
}

/**
 * Checks that mapping by a function that returns its argument has no effect: `mapOutput(f, (x) => x)` has the same
 * outcome as `f`.
 */
export function functorIdentity<A, B, P extends BaseAdapters>(parts: OnePipeline<A, B, P>): PipelineProperty {
  return fc.asyncProperty(parts.pipeline, parts.input, async (pipeline, input) => {
    const same = mapOutput(pipeline, (value) => value);
    await assertSameOutcome("mapOutput(f, (x) => x) must equal f", [same, pipeline], { ...parts, input });
  });
}

/** Pipeline to check, and two pure functions to apply to its value. */
export interface TwoChanges<A, B, C, D, P extends BaseAdapters> extends OnePipeline<A, B, P> {
  readonly change: fc.Arbitrary<(value: B) => C>;
  readonly next: fc.Arbitrary<(value: C) => D>;
}

/**
 * Checks that mapping twice equals mapping once: `mapOutput(mapOutput(f, g), h)` and `mapOutput(f, (x) => h(g(x)))`
 * have the same outcome.
 */
export function functorComposition<A, B, C, D, P extends BaseAdapters>(
  parts: TwoChanges<A, B, C, D, P>,
): PipelineProperty {
  return fc.asyncProperty(
    fc.tuple(parts.pipeline, parts.change, parts.next, parts.input),
    async ([pipeline, change, next, input]) => {
      const twice = mapOutput(mapOutput(pipeline, change), next);
      const once = mapOutput(pipeline, (value) => next(change(value)));
      const rule = "mapOutput(mapOutput(f, g), h) must equal mapOutput(f, (x) => h(g(x)))";
      await assertSameOutcome(rule, [twice, once], { ...parts, input });
    },
  );
}

/** Pipeline to check, and a pure function to apply to its value. */
export interface OneChange<A, B, C, P extends BaseAdapters> extends OnePipeline<A, B, P> {
  readonly change: fc.Arbitrary<(value: B) => C>;
}

/**
 * Checks that mapping equals a second stage: `mapOutput(f, g)` and `andThen(f, stage(g))` have the same outcome. `g`
 * must not throw, because the two errors would name different stages.
 */
export function mapIsPureStage<A, B, C, P extends BaseAdapters>(parts: OneChange<A, B, C, P>): PipelineProperty {
  return fc.asyncProperty(parts.pipeline, parts.change, parts.input, async (pipeline, change, input) => {
    const pure = stage("pure", (_ctx, value: B) => ok(change(value)));
    const both = [mapOutput(pipeline, change), andThen(pipeline, pure)] as const;
    await assertSameOutcome("mapOutput(f, g) must equal andThen(f, stage(g))", both, { ...parts, input });
  });
}

/**
 * Checks that `parallel(f, g)` and `parallel(g, f)` return the same pair, swapped, and fail for the same inputs.
 * If both fail, the result is the first error by position, so the error depends on the order.
 */
export function parallelCommutes<A, B, C, P extends BaseAdapters>(parts: TwoPipelines<A, B, C, P>): PipelineProperty {
  return fc.asyncProperty(parts.one, parts.other, parts.input, async (first, second, input) => {
    const { context } = parts;
    const [left, right] = [await outcomeOf(first, input, context), await outcomeOf(second, input, context)];
    const pair = await outcomeOf<A, readonly [B, C], P>(parallel(first, second), input, context);
    const swapped = await outcomeOf<A, readonly [C, B], P>(parallel(second, first), input, context);
    assertEqual("parallel(f, g) must return both values, or the first error by position", pair, joined(left, right));
    assertEqual("parallel(g, f) must return the swapped pair of parallel(f, g)", swapped, joined(right, left));
  });
}

function joined<B, C>(left: PipelineOutcome<B>, right: PipelineOutcome<C>): PipelineOutcome<readonly [B, C]> {
  if (!left.ok) return left;
  return right.ok ? { ok: true, value: [left.value, right.value] } : right;
}

/** Checks that `branch` has the same outcome as the pipeline that its condition selects. */
export function branchIsOneSide<A, B, P extends BaseAdapters>(
  parts: TwoPipelines<A, B, B, P> & { readonly condition: fc.Arbitrary<(input: A) => boolean> },
): PipelineProperty {
  return fc.asyncProperty(
    fc.tuple(parts.one, parts.other, parts.condition, parts.input),
    async ([first, second, condition, input]) => {
      const both = [branch(condition, first, second), condition(input) ? first : second] as const;
      const rule = "branch(condition, f, g) must equal the pipeline that the condition selects";
      await assertSameOutcome(rule, both, { ...parts, input });
    },
  );
}

/** Checks that `run` returns a `Result`: it never throws and never rejects, whatever the input. */
export function neverThrows<A, B, P extends BaseAdapters>(parts: OnePipeline<A, B, P>): PipelineProperty {
  return fc.asyncProperty(parts.pipeline, parts.input, async (pipeline, input) => {
    const { ok: outcome } = await pipeline.run(parts.context(), input);
    assertRule("run must return a Result", typeof outcome === "boolean", () => `Its "ok" is ${typeof outcome}.`);
  });
}
