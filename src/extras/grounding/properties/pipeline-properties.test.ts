import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  associativity,
  branchIsOneSide,
  functorComposition,
  functorIdentity,
  leftIdentity,
  mapIsPureStage,
  neverThrows,
  parallelCommutes,
  rightIdentity,
} from "./pipeline-properties.ts";
import { untilIsFixedPoint, untilRespectsMax } from "./pipeline-loop-properties.ts";
import { verifiedCommutesOnValue, verifiedCommutesWholly, verifiedKeepsValue } from "./pipeline-verify-properties.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { type GroundingError, groundingError } from "../grounding-error.ts";
import { andThen, branch, mapOutput, parallel, until } from "../pipeline/compose.ts";
import { type Pipeline, type PipelineContext, stage } from "../pipeline/pipeline.ts";
import { type Judge, verified } from "../pipeline/verified.ts";
import { runCount } from "../../../../test-support/run-count.ts";

const RUNS = { numRuns: runCount(1000) };
const context = (): PipelineContext => ({ adapters: {} });

type Numbers = Pipeline<number, number>;

/** Pipelines over whole numbers: some fail on some inputs, some throw, some take their time. */
function numbers(): fc.Arbitrary<Numbers> {
  return fc
    .record({
      factor: fc.integer({ min: -3, max: 3 }),
      add: fc.integer({ min: -5, max: 5 }),
      fails: fc.integer({ min: 0, max: 6 }),
      throws: fc.boolean(),
      late: fc.boolean(),
    })
    .map(({ factor, add, fails, throws, late }) =>
      stage(`${factor}x+${add}`, async (_ctx, input: number): Promise<Result<number, GroundingError>> => {
        if (late) await Promise.resolve();
        if (fails > 0 && Math.abs(input) % fails === 1) {
          if (throws) throw new Error(`thrown by ${factor}x+${add}`);
          return err(
            groundingError({
              kind: "internal",
              code: "odd",
              message: `${factor}x+${add} of ${input}`,
              operation: "property",
            }),
          );
        }
        // Adding 0 turns -0, which equality tells from 0, into 0.
        return ok(factor * input + add + 0);
      }),
    );
}

const given = { context, input: fc.integer({ min: -50, max: 50 }) };
const one = { ...given, pipeline: numbers() };
const two = { ...given, one: numbers(), other: numbers() };
const change = fc.constantFrom(
  (n: number) => n + 1,
  (n: number) => n * 2,
  (n: number) => -n + 0,
);
const above = fc.integer({ min: -20, max: 20 }).map(
  (least) =>
    (n: number): boolean =>
      n >= least,
);
const loop = {
  ...given,
  step: numbers(),
  condition: above,
  max: fc.integer({ min: 1, max: 6 }),
  refine: fc.constantFrom(
    (_: number, n: number) => n,
    (n: number) => n + 1,
  ),
};

/** Judges by what `read` picks of input and value. */
function judgeBy(read: (input: number, value: number) => number): Judge<number, number> {
  return async (_ctx, input, value) =>
    ok({
      support: read(input, value),
      label: "grounded",
      phase: "grounding",
      citations: [],
      contradictions: [],
      claims: [],
      nonClaims: [],
      leftOut: [],
      verifier: "property",
    });
}

const ofInput = fc.constant(judgeBy((input) => input));
const ofBoth = fc.constantFrom(
  judgeBy((input) => input),
  judgeBy((_, value) => value),
  judgeBy((input, value) => input * value),
);

test("andThen(andThen(f, g), h) must equal andThen(f, andThen(g, h))", async () => {
  await fc.assert(associativity({ ...given, first: numbers(), second: numbers(), third: numbers() }), RUNS);
});

test("identity is neutral on the left", async () => {
  await fc.assert(leftIdentity(one), RUNS);
});

test("identity is neutral on the right", async () => {
  await fc.assert(rightIdentity(one), RUNS);
});

test("mapOutput(f, (x) => x) must equal f", async () => {
  await fc.assert(functorIdentity(one), RUNS);
});

test("mapOutput(mapOutput(f, g), h) must equal mapOutput(f, (x) => h(g(x)))", async () => {
  await fc.assert(functorComposition({ ...one, change, next: change }), RUNS);
});

test("mapOutput(f, g) must equal andThen(f, stage(g))", async () => {
  await fc.assert(mapIsPureStage({ ...one, change }), RUNS);
});

test("parallel commutes up to the order of the pair; of two errors the first by position is returned", async () => {
  await fc.assert(parallelCommutes(two), RUNS);
});

test("branch runs exactly the side that its condition selects", async () => {
  await fc.assert(branchIsOneSide({ ...two, condition: above }), RUNS);
});

test("until runs its step at most max times, and ends early only at a good result or an error", async () => {
  await fc.assert(untilRespectsMax(loop), RUNS);
});

test("until is a fixed point, and equals the step if its first result is good", async () => {
  await fc.assert(untilIsFixedPoint(loop), RUNS);
});

test("verified keeps value and errors unchanged at any score", async () => {
  await fc.assert(verifiedKeepsValue({ ...one, judge: ofBoth }), RUNS);
});

test("verified commutes with mapOutput on the value, for any judge", async () => {
  await fc.assert(verifiedCommutesOnValue({ ...one, change, judge: ofBoth }), RUNS);
});

test("verified commutes with mapOutput completely, for a judge that reads only the input", async () => {
  await fc.assert(verifiedCommutesWholly({ ...one, change, judge: ofInput }), RUNS);
});

test("scores of a judge that reads the value don't commute, so no property claims it", async () => {
  const found = await fc.check(
    verifiedCommutesWholly({ ...one, change, judge: fc.constant(judgeBy((_, value) => value)) }),
    RUNS,
  );
  expect(found.failed).toBe(true);
});

test("no pipeline throws or rejects with any stages", async () => {
  const hostile = fc.constantFrom<() => Promise<Result<number, GroundingError>>>(
    () => Promise.reject(new Error("rejected")),
    () => {
      throw new TypeError("thrown");
    },
    () => Promise.reject(Object.create(null)),
    () => Promise.reject(undefined),
    async () => ok(1),
  );
  const throwing = (): never => {
    throw new RangeError("in a function");
  };
  const pipeline = fc
    .tuple(hostile, hostile, fc.nat({ max: 5 }))
    .map(([first, second, pick]): Pipeline<number, unknown> => {
      const [f, g] = [stage("one", (_ctx, _n: number) => first()), stage("other", (_ctx, _n: number) => second())];
      const all: readonly Pipeline<number, unknown>[] = [
        andThen(f, g),
        parallel(f, g),
        mapOutput(f, throwing),
        branch(throwing, f, g),
        until({ condition: throwing, max: 2, step: f, refine: throwing }),
        verified(f, throwing),
      ];
      return all[pick] ?? f;
    });
  await fc.assert(neverThrows({ ...given, pipeline }), RUNS);
});

test("a pipeline with a different result each time fails the properties, and both results are shown", async () => {
  let count = 0;
  const counting = stage("count", (_ctx, _n: number) => ok((count += 1)));
  const found = await fc.check(leftIdentity({ ...given, pipeline: fc.constant(counting) }), {
    numRuns: 1,
    endOnFailure: true,
  });
  expect(found.errorInstance).toMatchObject({
    message:
      "Property failed: andThen(identity(), f) must equal f. The first returned { ok: true, value: 1 }, and the second { ok: true, value: 2 }.",
  });
});

test("a pipeline of recorded adapters holds to the properties with a context made again for each run", async () => {
  interface Adapters {
    readonly once: { next(): number };
  }
  const recorded = (): PipelineContext<Adapters> => {
    const answers = [3, 5].values();
    return { adapters: { once: { next: () => answers.next().value ?? 0 } } };
  };
  const asks = stage("ask", ({ adapters }: PipelineContext<Adapters>, n: number) => ok(n * adapters.once.next()));
  await fc.assert(rightIdentity({ context: recorded, input: fc.integer(), pipeline: fc.constant(asks) }), RUNS);
});
