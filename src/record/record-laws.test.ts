import * as fc from "fast-check";
import { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { stableStringify } from "../kernel/json/canonical-json.ts";
import { createRedactor } from "../redact/create-redactor.ts";
import { findSecrets } from "../redact/find-secrets.ts";
import { PLANTED_SECRETS } from "../../test-support/planted-secrets.ts";
import type { AdapterCall } from "./adapter-call.ts";
import { decode } from "./encode/decode.ts";
import { encode } from "./encode/encode.ts";
import { recordAdapters } from "./proxy/record-adapters.ts";
import { replayAdapters } from "./replay/replay-adapters.ts";
import { runCount } from "../../test-support/run-count.ts";

/** One call of a program, and the calls that follow from its answer. */
interface Node {
  readonly form: "value" | "throws" | "promise" | "rejects" | "stream" | "readable" | "lazy" | "instance" | "helper";
  readonly request: unknown;
  readonly delay: number;
  readonly atOnce: boolean;
  readonly children: readonly Node[];
}

const secret = fc.constantFrom(...PLANTED_SECRETS.slice(0, 48).map(({ text }) => text));

const data: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.oneof(
      fc.string(),
      fc.double(),
      fc.bigInt(),
      fc.constantFrom(undefined, null, true, NaN, -0),
      secret.map((text) => `with ${text}!`),
    ),
    fc.date(),
    fc.uint8Array({ maxLength: 4 }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(fc.string(), tie("value")), { maxLength: 2 }).map((pairs) => new Map(pairs)),
    fc.dictionary(fc.oneof(fc.constantFrom("$t", "v", "__proto__", "apiKey", "a"), fc.string()), tie("value"), {
      maxKeys: 3,
    }),
  ),
})).value;

const node: fc.Arbitrary<Node> = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.record({
    form: fc.constantFrom("value", "throws", "promise", "rejects", "stream", "readable", "lazy", "instance", "helper"),
    // Few, so that equal requests are frequent.
    request: fc.oneof(fc.constantFrom<unknown>("a", { q: [1] }), secret),
    delay: fc.nat({ max: 3 }),
    atOnce: fc.boolean(),
    children: fc.oneof({ depthSize: "small" }, fc.constant([]), fc.array(tie("node"), { maxLength: 3 })),
  }),
})).node;

class Answer {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
  get doubled(): unknown {
    return [this.value, this.value];
  }
  method(): void {}
}

class Stream {
  readonly #values: readonly unknown[];
  constructor(values: readonly unknown[]) {
    this.#values = values;
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    yield* this.#values;
  }
  async finalValue(): Promise<unknown> {
    return this.#values.at(-1);
  }
}

async function pause(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
}

type Method = (request: unknown, delay: number) => unknown;

/** Adapters whose answers differ at each call, as a model's do. */
function liveAdapters(answers: readonly unknown[]): {
  readonly deep: { readonly client: Readonly<Record<Node["form"], Method>> };
} {
  let asked = 0;
  const next = (): unknown => answers[(asked += 1) % answers.length];
  async function* stream(delay: number): AsyncGenerator<unknown> {
    for (const _turn of [1, 2]) {
      await pause(delay);
      yield next();
    }
  }
  const later = async (delay: number): Promise<unknown> => {
    await pause(delay);
    return next();
  };
  const client: Record<Node["form"], Method> = {
    value: () => next(),
    throws: () => {
      throw Object.assign(new RangeError(String(asked)), { details: next() });
    },
    promise: (_request, delay) => later(delay),
    rejects: async (_request, delay) => Promise.reject(await later(delay)),
    stream: (_request, delay) => stream(delay),
    readable: (_request, delay) => ReadableStream.from(stream(delay)),
    // A thenable that starts when it is awaited.
    lazy: (_request, delay) => ({
      then: (resolve: (value: unknown) => unknown, reject: (error: unknown) => unknown) =>
        later(delay).then(resolve, reject),
    }),
    instance: async (_request, delay) => new Answer(await later(delay)),
    helper: () => new Stream([next(), next()]),
  };
  return { deep: { client } };
}

function isLive(adapters: object): adapters is ReturnType<typeof liveAdapters> {
  return "deep" in adapters;
}

/** Runs a program; its calls ask with what came before them. Answers with all that was seen. */
async function runProgram(
  adapters: object,
  { form, request, delay, atOnce, children }: Node,
): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  try {
    const result = isLive(adapters) ? adapters.deep.client[form](request, delay) : undefined;
    await observe(result, form, seen);
  } catch (error) {
    seen.push({ thrown: error });
  }
  const then = children.map((child) => ({ ...child, request: [child.request, encode(seen)] }));
  if (atOnce) seen.push(...(await Promise.all(then.map((child) => runProgram(adapters, child)))));
  else for (const child of then) seen.push(await runProgram(adapters, child));
  return seen;
}

async function observe(result: unknown, form: Node["form"], seen: unknown[]): Promise<void> {
  const answer = await result;
  if (form === "helper") seen.push(await Reflect.get(Object(answer), "finalValue")());
  if (isStream(answer)) for await (const chunk of answer) seen.push(chunk);
  else seen.push(answer, Reflect.get(Object(answer), "doubled"));
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in Object(value);
}

const redactor = createRedactor();
const options = { redact: redactor };
const throughJson = (calls: readonly AdapterCall[]): readonly AdapterCall[] => JSON.parse(JSON.stringify(calls));

/** What a program saw, as text without secrets. */
function written(seen: unknown): string {
  return stableStringify(redactor.redact(encode(seen)).value);
}

test("any graph of calls replays as recorded, without its secrets", {
  tags: "deep",
}, async () => {
  await fc.assert(
    fc.asyncProperty(node, fc.array(data, { minLength: 1, maxLength: 8 }), async (program, answers) => {
      const recorder = recordAdapters(liveAdapters(answers), options);
      const live = written(await runProgram(recorder.adapters, program));
      expect(recorder.problems()).toStrictEqual([]);
      const calls = throughJson(recorder.calls());
      expect(findSecrets(JSON.stringify(calls))).toStrictEqual([]);
      const server = replayAdapters(calls, options);
      expect(stableStringify(encode(await runProgram(server.adapters, program)))).toBe(live);
      expect([server.unrecorded(), server.uncalled()]).toStrictEqual([[], []]);
    }),
    { numRuns: runCount(1500) },
  );
});

test("a hundred concurrent replays get the same bytes, and open no connection", { tags: "deep" }, async () => {
  const [program] = fc.sample(fc.array(node, { minLength: 6, maxLength: 6 }), { seed: 11, numRuns: 1 });
  const [answers] = fc.sample(fc.array(data, { minLength: 5, maxLength: 8 }), { seed: 5, numRuns: 1 });
  const whole: Node = { form: "value", request: "start", delay: 0, atOnce: true, children: program ?? [] };
  const recorder = recordAdapters(liveAdapters(answers ?? []), options);
  const live = written(await runProgram(recorder.adapters, whole));
  const calls = throughJson(recorder.calls());
  expect(calls.length).toBeGreaterThan(6);
  const connect = vi.spyOn(Socket.prototype, "connect").mockImplementation(() => {
    throw new Error("a connection was opened");
  });
  const replays = Array.from({ length: 100 }, async () =>
    stableStringify(encode(await runProgram(replayAdapters(calls, options).adapters, whole))),
  );
  expect(new Set(await Promise.all(replays))).toStrictEqual(new Set([live]));
  expect(connect).not.toHaveBeenCalled();
  connect.mockRestore();
});

test("encoding, decoding and encoding again gives the same, with and without methods", () => {
  fc.assert(
    fc.property(data, (value) => {
      const answer = new Answer({ value, call: () => value });
      const encoded = encode([value, answer], { methods: "keep" });
      const stub = () => () => undefined;
      const restored = decode(JSON.parse(JSON.stringify(encoded)), { method: stub, getter: stub });
      expect(encode(Object(restored)[0])).toStrictEqual(encode(value));
      expect(decode(encoded)).toEqual([value, { value: { value } }]);
      expect(JSON.stringify(redactor.redact(redactor.redact(encoded).value))).toBe(
        JSON.stringify({ value: redactor.redact(encoded).value, secrets: [] }),
      );
    }),
    { numRuns: runCount(1500) },
  );
});
