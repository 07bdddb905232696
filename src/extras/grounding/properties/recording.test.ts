import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { parseAdapterCall } from "../../../record/adapter-call.ts";
import { decode } from "../../../record/encode/decode.ts";
import { encode } from "../../../record/encode/encode.ts";
import { recordAdapters } from "../../../record/proxy/record-adapters.ts";
import { replayAdapters } from "../../../record/replay/replay-adapters.ts";
import { runCount } from "../../../../test-support/run-count.ts";
import { jsonValue } from "../../../../test-support/arbitraries.ts";

const RUNS = { numRuns: runCount(1000) };

const form = fc.constantFrom(
  "value",
  "throws",
  "promise",
  "rejects",
  "stream",
  "breaks",
  "cut",
  "readable",
  "promised-stream",
  "property",
);
type Form = typeof form extends fc.Arbitrary<infer F> ? F : never;

/** One use of an adapter by the program: few requests, so that equal ones are frequent. */
const use = fc.record({ form, request: fc.constantFrom("a", "b", { q: [1] }), delay: fc.nat({ max: 3 }) });
type Use = typeof use extends fc.Arbitrary<infer U> ? U : never;

const data = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.double(),
      fc.boolean(),
      fc.bigInt(),
      fc.constantFrom(undefined, null, NaN, -0, Infinity, -Infinity),
    ),
    fc.date({ noInvalidDate: false }),
    fc.uint8Array({ maxLength: 4 }),
    fc.float64Array({ maxLength: 2 }),
    fc.webUrl().map((url) => new URL(url)),
    fc.constantFrom(/a\/b/giu, /[\]\n]/),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.uniqueArray(tie("value"), { maxLength: 3 }).map((items) => new Set(items)),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom("$t", "v", "__proto__", "constructor", "toString")),
      tie("value"),
      { maxKeys: 4 },
    ),
    fc
      .tuple(fc.constantFrom(Error, TypeError, RangeError), fc.string(), tie("value"))
      .map(([Kind, message, cause]) =>
        Object.assign(new Kind(message, { cause }), { code: message, status: 500, details: cause }),
      ),
  ),
})).value;

/** Gives the next of arbitrary values at each call: no two calls answer alike, as with a model. */
type Oracle = () => unknown;

async function later(next: Oracle, delay: number): Promise<unknown> {
  for (let tick = 0; tick < delay; tick += 1) await Promise.resolve();
  return next();
}

async function* streamOf(
  next: Oracle,
  { delay, fails }: { delay: number; fails: boolean },
): AsyncGenerator<unknown, unknown> {
  yield await later(next, delay);
  yield await later(next, delay);
  if (fails) throw next();
  return next();
}

function nondeterministicAdapters(answers: readonly unknown[]): object {
  let asked = 0;
  const next: Oracle = () => answers[(asked += 1) % answers.length];
  const stream = (_request: unknown, delay: number): AsyncGenerator<unknown, unknown> =>
    streamOf(next, { delay, fails: false });
  const client = {
    value: () => next(),
    throws: () => {
      throw next();
    },
    promise: (_request: unknown, delay: number) => later(next, delay),
    rejects: async (_request: unknown, delay: number) => Promise.reject(await later(next, delay)),
    stream,
    breaks: stream,
    cut: (_request: unknown, delay: number) => streamOf(next, { delay, fails: true }),
    readable: (request: unknown, delay: number) => ReadableStream.from(stream(request, delay)),
    "promised-stream": async (request: unknown, delay: number) => stream(request, delay),
    get property() {
      // An object would be a namespace, whose fields are what is read.
      return [next()];
    },
  };
  return { deep: { client: Object.freeze(client) } };
}

function member(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => Reflect.get(Object(at), key), value);
}

/** What the program sees of one use: the values it gets or the error it catches. */
async function observe(adapters: object, { form: how, request, delay }: Use): Promise<unknown> {
  const seen: unknown[] = [];
  try {
    const used = member(adapters, "deep", "client", how);
    if (how === "property") return { used };
    if (typeof used !== "function") return "not a function";
    const result: unknown = Reflect.apply(used, undefined, [request, delay]);
    seen.push(result instanceof Promise ? "promise" : "sync");
    await consume(await result, how, seen);
  } catch (error) {
    seen.push({ thrown: error });
  }
  return seen;
}

async function consume(result: unknown, how: Form, seen: unknown[]): Promise<void> {
  if (!isAsyncIterable(result)) {
    seen.push(result);
    return;
  }
  for await (const chunk of result) {
    seen.push(chunk);
    if (how === "breaks") return;
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in Object(value);
}

/** Runs groups of uses one after the other, the uses of a group at once; answers with everything seen, as text. */
async function runProgram(adapters: object, groups: readonly (readonly Use[])[]): Promise<string> {
  const seen: unknown[] = [];
  for (const group of groups) seen.push(await Promise.all(group.map((each) => observe(adapters, each))));
  return stableStringify(encode(seen));
}

test("a recorded program gets the same responses from its calls in JSON", { tags: "deep" }, async () => {
  const groups = fc.array(fc.array(use, { minLength: 1, maxLength: 5 }), { maxLength: 4 });
  const answers = fc.array(data, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(groups, answers, async (program, tape) => {
      const recorder = recordAdapters(nondeterministicAdapters(tape));
      const live = await runProgram(recorder.adapters, program);
      expect(recorder.problems()).toStrictEqual([]);

      const stored: unknown = JSON.parse(JSON.stringify(recorder.calls()));
      const calls = Array.isArray(stored)
        ? stored.map(parseAdapterCall).filter((call) => typeof call !== "string")
        : [];
      expect(stableStringify(calls)).toBe(stableStringify(stored));

      const server = replayAdapters(calls);
      expect(await runProgram(server.adapters, program)).toBe(live);
      expect([server.unrecorded(), server.uncalled()]).toStrictEqual([[], []]);
    }),
    RUNS,
  );
});

test("recording doesn't change what a program sees", { tags: "deep" }, async () => {
  const program = fc.array(use, { minLength: 1, maxLength: 6 }).map((uses) => uses.map((each) => [each]));
  await fc.assert(
    fc.asyncProperty(program, fc.array(data, { minLength: 1, maxLength: 8 }), async (groups, tape) => {
      const bare = await runProgram(nondeterministicAdapters(tape), groups);
      expect(await runProgram(recordAdapters(nondeterministicAdapters(tape)).adapters, groups)).toBe(bare);
    }),
    RUNS,
  );
});

test("decoding restores what was encoded, even through JSON text", () => {
  fc.assert(
    fc.property(data, (value) => {
      const encoded = stableStringify(encode(value));
      const stored: unknown = JSON.parse(encoded);
      expect(stableStringify(encode(decode(stored)))).toBe(encoded);
    }),
    RUNS,
  );
});

test("decoding restores plain data with any keys", () => {
  const key = fc.oneof(fc.string(), fc.constantFrom("$t", "v", "__proto__", "constructor", "then"));
  fc.assert(
    fc.property(fc.dictionary(key, jsonValue()), (value) => {
      const restored = decode(JSON.parse(JSON.stringify(encode(value))));
      expect(isPlainObject(restored) && stableStringify(restored)).toBe(stableStringify(value));
    }),
    RUNS,
  );
});
