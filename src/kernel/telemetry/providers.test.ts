import { context, metrics, trace } from "@opentelemetry/api";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { unwrap } from "../result.ts";
import { withReplay } from "../../record/with-replay.ts";
import { createRunner } from "../../extras/runs/runner/runner.ts";
import { emit } from "../step/command.ts";
import type { StepContext } from "../step/context.ts";
import { defineStep } from "../step/define-step.ts";
import { defineWorkflow } from "../step/define-workflow.ts";
import { createMemoryStore } from "../../extras/runs/store/memory.ts";
import { unregisterSpanLog } from "../../../test-support/span-log.ts";
import { flushTelemetry } from "./flush.ts";
import { activeTraceparent } from "./span-context.ts";

const API = Symbol.for("opentelemetry.js.api.1");

afterEach(() => {
  unregisterSpanLog();
  Reflect.deleteProperty(globalThis, API);
});

const any = z.looseObject({});
type Llm = { readonly llm: { readonly complete: (asked: object) => Promise<object> } };
const asking = defineStep({
  name: "ask",
  input: any,
  output: any,
  run: async (input: object, { adapters }: StepContext<Llm>) => ({
    output: { said: await adapters.llm.complete({ model: "m", ...input }) },
    commands: [emit("told", 1)],
  }),
});
const adapters: Llm = { llm: { complete: async () => ({ content: "yes" }) } };

/** What a run, a whole workflow and a flush come to, and that they take no time worth a word. */
async function outcomes(): Promise<unknown> {
  const { result } = await withReplay(asking, { a: 1 }, { adapters });
  const workflows = [defineWorkflow({ name: "w", version: "1.0.0", steps: { ask: asking } })];
  const runner = createRunner({ store: createMemoryStore(), workflows, adapters, sinks: { "*": () => undefined } });
  unwrap(await runner.startRun({ workflow: "w", step: "ask", input: { a: 1 }, runId: "r" }));
  const { status, computed, version } = unwrap(await runner.runUntilIdle("w", "r"));
  await flushTelemetry();
  return { output: unwrap(result).output, status, computed, version };
}

const WELL = {
  output: { said: { content: "yes" } },
  status: "completed",
  computed: { said: { content: "yes" } },
  version: 2,
};

const throws = (): never => {
  throw new Error("no exporter");
};
const hangs = async (): Promise<never> => new Promise<never>(() => {});
const brokenSpan = { spanContext: throws, setAttributes: throws, addEvent: throws, setStatus: throws, end: throws };

const PROVIDERS: readonly (readonly [what: string, api: unknown])[] = [
  ["is missing", undefined],
  ["is nothing", {}],
  ["is text", { trace: "provider", context: "manager", metrics: 7 }],
  [
    "throws at once",
    { trace: { getTracer: throws }, context: { active: throws, with: throws }, metrics: { getMeter: throws } },
  ],
  ["throws with its first span", { trace: { getTracer: () => ({ startSpan: throws }) } }],
  ["makes spans that throw", { trace: { getTracer: () => ({ startSpan: () => brokenSpan }) } }],
  ["makes no spans", { trace: { getTracer: () => ({ startSpan: () => undefined }) } }],
  ["makes spans without methods", { trace: { getTracer: () => ({ startSpan: () => ({}) }) } }],
  [
    "has a context manager that runs nothing",
    {
      trace: { getTracer: () => ({ startSpan: () => brokenSpan }) },
      context: { active: () => ({}), with: () => undefined },
    },
  ],
  [
    "has a context manager that runs twice and throws",
    {
      trace: { getTracer: () => ({ startSpan: () => brokenSpan }) },
      context: {
        active: () => undefined,
        with: (_context: unknown, work: () => void) => {
          work();
          work();
          throws();
        },
      },
    },
  ],
  [
    "has instruments that throw",
    {
      metrics: {
        getMeter: () => ({ createCounter: () => ({ add: throws }), createHistogram: () => ({ record: throws }) }),
      },
    },
  ],
  ["never ends its flush", { trace: { getDelegate: () => ({ forceFlush: hangs }), getTracer: throws } }],
  ["fails to flush", { trace: { forceFlush: async () => throws() }, metrics: { forceFlush: throws } }],
];

describe("a provider that", () => {
  test.each(PROVIDERS)("%s doesn't change any result, and ends", async (_what, api) => {
    if (api !== undefined) Reflect.set(globalThis, API, api);
    expect(await outcomes()).toEqual(WELL);
  });

  test("hangs isn't awaited any longer under fake timers", async () => {
    Reflect.set(globalThis, API, { trace: { forceFlush: hangs } });
    vi.useFakeTimers();
    try {
      const started = process.hrtime.bigint();
      await flushTelemetry();
      // Without fake timers it waits for 50 ms; under them it would wait forever.
      expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(60_000);
    } finally {
      vi.useRealTimers();
    }
  });
});

test("without a provider there is no active trace", () => {
  expect(activeTraceparent()).toBeUndefined();
  expect([trace.getActiveSpan(), context.active() === context.active(), typeof metrics]).toEqual([
    undefined,
    true,
    "object",
  ]);
});
