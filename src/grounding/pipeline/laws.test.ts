import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Result, err, ok } from "../../base/result.ts";
import { type GroundingError, groundingError } from "../grounding-error.ts";
import type { Verification } from "../verify/verification.ts";
import { andThen, branch, identity, mapOutput, parallel } from "./compose.ts";
import { type Pipeline, type PipelineContext, stage } from "./pipeline.ts";
import { until } from "./until.ts";
import { verified } from "./verified.ts";

const RUNS = { numRuns: 1000 };
const CONTEXT: PipelineContext = { adapters: {} };

type Numbers = Pipeline<number, number>;

function failure(code: string): GroundingError {
  return groundingError({ kind: "internal", code, message: code, operation: "law" });
}

/** Pipelines over whole numbers: some fail on some inputs, some throw, some take their time. */
function numbers(): fc.Arbitrary<Numbers> {
  return fc.record({ factor: fc.integer({ min: -3, max: 3 }), add: fc.integer({ min: -5, max: 5 }), fails: fc.integer({ min: 0, max: 6 }), throws: fc.boolean(), late: fc.boolean() }).map(({ factor, add, fails, throws, late }) =>
    stage(`${factor}x+${add}`, async (_ctx, input: number): Promise<Result<number, GroundingError>> => {
      if (late) await Promise.resolve();
      if (fails > 0 && Math.abs(input) % fails === 1) {
        if (throws) throw new Error(`thrown by ${factor}x+${add}`);
        return err(failure(`${factor}x+${add} of ${input}`));
      }
      // Adding 0 turns -0, which toEqual tells from 0, into 0.
      return ok(factor * input + add + 0);
    }),
  );
}

const input = fc.integer({ min: -50, max: 50 });
const change = fc.constantFrom((n: number) => n + 1, (n: number) => n * 2, (n: number) => -n + 0);

/** What a run gives, errors by code and message: a thrown error's cause is another object each time. */
async function outcome<A, B>(pipeline: Pipeline<A, B>, value: A): Promise<unknown> {
  const result = await pipeline.run(CONTEXT, value);
  return result.ok ? result : err([result.error.code, result.error.message]);
}

async function same<A, B>(one: Pipeline<A, B>, other: Pipeline<A, B>, value: A): Promise<void> {
  expect(await outcome(one, value)).toEqual(await outcome(other, value));
}

function judged(score: number): Omit<Verification<unknown>, "value"> {
  return { groundingScore: score, label: "grounded", phase: "grounding", citations: [], claims: [], nonClaims: [], leftOut: [], verifier: "law" };
}

test("andThen is associative", async () => {
  await fc.assert(fc.asyncProperty(numbers(), numbers(), numbers(), input, async (f, g, h, value) => {
    await same(andThen(andThen(f, g), h), andThen(f, andThen(g, h)), value);
  }), RUNS);
});

test("identity changes nothing on the left or the right", async () => {
  await fc.assert(fc.asyncProperty(numbers(), input, async (f, value) => {
    await same(andThen(identity<number>(), f), f, value);
    await same(andThen(f, identity<number>()), f, value);
  }), RUNS);
});

test("mapOutput keeps identity and composition", async () => {
  await fc.assert(fc.asyncProperty(numbers(), change, change, input, async (f, one, other, value) => {
    await same(mapOutput(f, (n) => n), f, value);
    await same(mapOutput(mapOutput(f, one), other), mapOutput(f, (n) => other(one(n))), value);
  }), RUNS);
});

test("mapOutput is andThen with a pure stage", async () => {
  await fc.assert(fc.asyncProperty(numbers(), change, input, async (f, one, value) => {
    await same(mapOutput(f, one), andThen(f, stage("pure", (_ctx, n: number) => ok(one(n)))), value);
  }), RUNS);
});

test("parallel commutes up to the order of the pair; of two errors the first by position stands", async () => {
  await fc.assert(fc.asyncProperty(numbers(), numbers(), input, async (f, g, value) => {
    const [left, right] = [await outcome(f, value), await outcome(g, value)];
    const [one, other] = [await parallel(f, g).run(CONTEXT, value), await parallel(g, f).run(CONTEXT, value)];
    expect(one.ok).toBe(other.ok);
    if (one.ok && other.ok) expect(one.value).toEqual(other.value.toReversed());
    else expect([await outcome(parallel(f, g), value), await outcome(parallel(g, f), value)]).toEqual(isErr(left) ? [left, isErr(right) ? right : left] : [right, right]);
  }), RUNS);
});

test("branch runs exactly the side its condition names", async () => {
  await fc.assert(fc.asyncProperty(numbers(), numbers(), input, async (f, g, value) => {
    await same(branch((n: number) => n > 0, f, g), value > 0 ? f : g, value);
  }), RUNS);
});

test("until runs its step at most max times, and ends early only at a good result or an error", async () => {
  await fc.assert(fc.asyncProperty(numbers(), fc.integer({ min: 1, max: 6 }), fc.integer({ min: -20, max: 20 }), input, async (f, max, goal, value) => {
    const seen: Result<number, GroundingError>[] = [];
    const warnings: string[] = [];
    const counted = stage(f.name, async (ctx, n: number) => {
      const result = await f.run(ctx, n);
      seen.push(result);
      return result;
    });
    const condition = (n: number): boolean => n >= goal;
    const result = await until({ condition, max, step: counted, refine: (_, n) => n }).run({ ...CONTEXT, warn: (warning) => warnings.push(warning) }, value);
    expect(result).toEqual(seen.at(-1));
    expect(seen.length).toBeLessThanOrEqual(max);
    expect(seen.slice(0, -1).every((one) => one.ok && !condition(one.value))).toBe(true);
    const short = result.ok && !condition(result.value);
    expect([seen.length === max || !short, warnings.length]).toEqual([true, short ? 1 : 0]);
  }), RUNS);
});

test("until is the step itself where the first result is good: a fixed point", async () => {
  await fc.assert(fc.asyncProperty(numbers(), fc.integer({ min: 1, max: 6 }), input, async (f, max, value) => {
    const loop = { condition: () => true, max, step: f, refine: (n: number) => n + 1 };
    await same(until(loop), f, value);
    await same(until({ ...loop, step: until(loop) }), until(loop), value);
  }), RUNS);
});

test("verified leaves value and errors as they are, whatever the score", async () => {
  await fc.assert(fc.asyncProperty(numbers(), fc.double({ min: 0, max: 1, noNaN: true }), input, async (f, score, value) => {
    await same(mapOutput(verified(f, async () => ok(judged(score))), (verification) => verification.value), f, value);
  }), RUNS);
});

test("verified commutes with mapOutput on the value for any judge, and wholly for one that reads only the input", async () => {
  await fc.assert(fc.asyncProperty(numbers(), change, input, async (f, one, value) => {
    const byInput = async (_: PipelineContext, n: number): Promise<Result<Omit<Verification<unknown>, "value">, GroundingError>> => ok(judged(n));
    const byValue = async (_: PipelineContext, _n: number, n: number): Promise<Result<Omit<Verification<unknown>, "value">, GroundingError>> => ok(judged(n));
    const onValue = (verification: Verification<number>): Verification<number> => ({ ...verification, value: one(verification.value) });
    await same(mapOutput(verified(f, byInput), onValue), verified(mapOutput(f, one), byInput), value);
    await same(mapOutput(verified(f, byValue), ({ value: n }) => one(n)), mapOutput(verified(mapOutput(f, one), byValue), ({ value: n }) => n), value);
    // A judge that reads the value sees another one: there the scores differ, and no law is claimed.
    const result = await f.run(CONTEXT, value);
    const after = await verified(mapOutput(f, one), byValue).run(CONTEXT, value);
    if (result.ok && after.ok) expect(after.value.groundingScore).toBe(one(result.value));
  }), RUNS);
});

test("no pipeline throws or rejects, whatever its stages do", async () => {
  const hostile = fc.constantFrom<() => Promise<Result<number, GroundingError>>>(
    () => Promise.reject(new Error("rejected")),
    () => {
      throw new TypeError("thrown");
    },
    () => Promise.reject(Object.create(null)),
    () => Promise.reject(undefined),
    async () => ok(1),
  );
  await fc.assert(fc.asyncProperty(hostile, hostile, async (one, other) => {
    const [f, g] = [stage("one", (_ctx, _n: number) => one()), stage("other", (_ctx, _n: number) => other())];
    const throwing = (): never => {
      throw new RangeError("in a function");
    };
    const all: Pipeline<number, unknown>[] = [andThen(f, g), parallel(f, g), mapOutput(f, throwing), branch(throwing, f, g), until({ condition: throwing, max: 2, step: f, refine: throwing }), verified(f, throwing)];
    for (const pipeline of all) expect(typeof (await pipeline.run(CONTEXT, 1)).ok).toBe("boolean");
  }), RUNS);
});

function isErr(value: unknown): boolean {
  return typeof value === "object" && value !== null && "ok" in value && value.ok === false;
}
