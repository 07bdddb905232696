import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { recordGlobalFetch } from "../record/interceptors/fetch-recorder.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";
import { timesAsLong } from "../../test-support/cpu-ms.ts";

const stage = new MatcherStage(expect);
let attempts = 0;

beforeEach(() => {
  stage.begin();
  stage.projectMode = undefined;
  attempts = 0;
});

interface Adapters {
  readonly llm: { ask(prompt: string): Promise<string> };
}

const adapters: Adapters = { llm: { ask: async (prompt) => `${prompt.length} words` } };

/** Repeats a failed call until it succeeds, as clients with a backoff do. */
async function persistently<T>(call: () => Promise<T>, pause = 5): Promise<T> {
  for (;;) {
    attempts += 1;
    try {
      return await call();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

function stepOf(run: (prompt: string, llm: Adapters["llm"]) => Promise<string>, prompt: string): AnyStep {
  return defineStep({
    name: "answer",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    run: async (_, { adapters: { llm } }: StepContext<Adapters>) => ({ output: { text: await run(prompt, llm) } }),
  });
}

async function failureOf(run: Parameters<typeof stepOf>[0]): Promise<string> {
  await expect(stepOf(run, "Who?")).toMatchBaseline({ input: {}, adapters, name: "one" });
  stage.settle("new");
  attempts = 0;
  const started = performance.now();
  const failed = await stage.message(() =>
    expect(stepOf(run, "Where?")).toMatchBaseline({ input: {}, adapters, name: "one" }),
  );
  // Half of the longest wait between two attempts below, however busy the machine is.
  expect(performance.now() - started).toBeLessThan(30_000);
  return failed;
}

test("a step that repeats an unrecorded request gets its verdict, and is stopped", async () => {
  const failed = await failureOf(async (prompt, llm) => persistently(async () => llm.ask(prompt)));
  expect(failed).toBe(`answer: 1 of 1 baseline failed (recorded calls)

  ROOT/answer/one-HASH.json  request_changed
    cause: prompt
    adapter "llm.ask" was called with a request that wasn't recorded (1 recorded for it)
    request[0]: "Who?" → "Where?"

Is the new request intended? Record its response:

  npx vitest run src/matchers/repeated-request.test.ts -t "^the test$" -u`);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const before = attempts;
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(attempts).toBe(before);
});

test("a step that waits an hour before a repeated request gets its verdict after timers of at most 100 ms", async () => {
  const hour = 3_600_000;
  const delays: unknown[] = [];
  const isHere = new AsyncLocalStorage<boolean>();
  // By the timers, not by a clock: a busy machine is slower. It also sees those of `node:timers`.
  const hook = createHook({
    trackPromises: false,
    init: (_id, type, _trigger, resource) => {
      if (type === "Timeout" && isHere.getStore() === true) delays.push(Reflect.get(resource, "_idleTimeout"));
    },
  }).enable();
  onTestFinished(() => void hook.disable());
  const failed = await isHere.run(true, async () =>
    failureOf(async (prompt, llm) => persistently(async () => llm.ask(prompt), hour)),
  );
  expect(failed).toContain('request[0]: "Who?" → "Where?"');
  expect(delays).toContain(hour);
  const waited = delays.map(Number).filter((delay) => delay !== hour);
  expect(waited.length).toBeGreaterThan(0);
  expect(waited.reduce((sum, delay) => sum + delay, 0)).toBeLessThanOrEqual(100);
});

test("the verdict doesn't wait for faked timers", async () => {
  vi.useFakeTimers();
  try {
    const failed = await failureOf(async (prompt, llm) => persistently(async () => llm.ask(prompt)));
    expect(failed).toContain("request_changed");
  } finally {
    vi.useRealTimers();
  }
});

test("a step that repeats an unrecorded request of fetch gets its verdict, and is stopped", async () => {
  const original = globalThis.fetch;
  globalThis.fetch = async () => new Response("It is here.");
  const remove = recordGlobalFetch();
  try {
    const statuses: number[] = [];
    const failed = await failureOf(async (prompt) =>
      persistently(async () => {
        const response = await fetch("http://model.test/ask", { method: "POST", body: prompt });
        statuses.push(response.status);
        if (!response.ok) throw new Error(String(response.status));
        return response.text();
      }),
    );
    expect(failed).toContain('"Who?" → "Where?"');
    expect(new Set(statuses)).toStrictEqual(new Set([200, 400]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const before = attempts;
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(attempts).toBe(before);
  } finally {
    remove();
    globalThis.fetch = original;
  }
});

test("requests of an abandoned run aren't taken for those of the next one", async () => {
  const original = globalThis.fetch;
  globalThis.fetch = async () => new Response("It is here.");
  const remove = recordGlobalFetch();
  try {
    const ask = async (prompt: string): Promise<string> =>
      persistently(async () => {
        const response = await fetch("http://model.test/ask", { method: "POST", body: prompt });
        if (!response.ok) throw new Error(String(response.status));
        return response.text();
      }, 30);
    await failureOf(ask);
    const slow = defineStep({
      name: "slow",
      input: z.object({}),
      output: z.object({ text: z.string() }),
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 60));
        return { output: { text: await (await fetch("http://model.test/other")).text() } };
      },
    });
    await expect(slow).toMatchBaseline({ input: {}, adapters: {}, name: "slow" });
    expect(stage.stagedText()).not.toContain("/ask");
  } finally {
    remove();
    globalThis.fetch = original;
  }
});

test.each([
  "in sequence",
  "in parallel",
])("the time of changed requests of 20 kB %s grows with their number, not with its square", async (order) => {
  const rules = Array.from({ length: 400 }, (_, at) => `Rule ${at}: answer the customer's question, then stop.`);
  const batch = (rule: string, count: number): AnyStep =>
    stepOf(async (_prompt, llm) => {
      const ask = async (at: number): Promise<string> =>
        llm.ask([...rules.slice(0, 200), rule, ...rules.slice(200), `Letter ${at}`].join("\n"));
      const letters = Array.from({ length: count }, (_, at) => at);
      if (order === "in parallel") return (await Promise.all(letters.map(ask))).join();
      const answers: string[] = [];
      for (const at of letters) answers.push(await ask(at));
      return answers.join();
    }, "");
  const check = async (count: number): Promise<string> =>
    stage.message(() =>
      expect(batch("Pick the upper one.", count)).toMatchBaseline({ input: {}, adapters, name: `${count}` }),
    );
  const [few, many] = [8, 40];
  for (const count of [few, many])
    await expect(batch("Pick one.", count)).toMatchBaseline({ input: {}, adapters, name: `${count}` });
  stage.settle("new");
  expect(await check(few)).toContain("request_changed");
  const factor = await timesAsLong(
    async () => check(few),
    async () => check(many),
    5,
  );
  // Five times as many take five times as long; with a search for each request, twenty-five times.
  expect(factor).toBeLessThan(12);
});
