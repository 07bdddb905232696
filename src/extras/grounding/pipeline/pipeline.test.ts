import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { trace } from "@opentelemetry/api";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { err, ok } from "../../../kernel/result.ts";
import { openLibrary } from "../../../baseline/baseline-library.ts";
import { putBaseline } from "../../../../test-support/put-baseline.ts";
import { recordAdapters } from "../../../record/proxy/record-adapters.ts";
import { replayAdapters } from "../../../record/replay/replay-adapters.ts";
import type { StepContext } from "../../../kernel/step/context.ts";
import { defineStep } from "../../../kernel/step/define-step.ts";
import { fail } from "../../../kernel/step/fail.ts";
import { run } from "../../../kernel/step/run.ts";
import { groundingError } from "../grounding-error.ts";
import { verifyGrounding } from "../verify/verify-grounding.ts";
import { andThen, parallel, until } from "./compose.ts";
import { type Pipeline, type PipelineContext, stage } from "./pipeline.ts";
import { stageOf, stepOf } from "./steps.ts";
import { verified } from "./verified.ts";
import { registerSpanLog, unregisterSpanLog } from "../../../../test-support/span-log.ts";
import { checkInputCase, replayStoredCase, checkStoredCase } from "../../../../test-support/check-stored-case.ts";

interface Adapters {
  readonly model: { write(question: string): Promise<string> };
}

const write = stage("write", async ({ adapters }: PipelineContext<Adapters>, question: string) =>
  ok(await adapters.model.write(question)),
);
const answer = verified(write, (_ctx, _question, text) => verifyGrounding(text, "The bridge was opened in 1932."));
const adapters: Adapters = { model: { write: async () => "The bridge was opened in 1933." } };
const broken: Pipeline<unknown, never> = stage("broken", () =>
  err(groundingError({ kind: "retrieval", code: "down", message: "It is down.", operation: "search" })),
);

describe("a stage", () => {
  test("that throws is an internal error with its cause", async () => {
    const cause = new Error("no such row");
    const throwing = stage("load", () => {
      throw cause;
    });
    expect(await throwing.run({ adapters: {} }, 1)).toEqual(
      err({
        kind: "internal",
        code: "stage_threw",
        message: 'The stage "load" threw: no such row. For an expected failure, return err(…).',
        operation: "load",
        retryable: false,
        cause,
      }),
    );
  });

  test("that throws a grounding error keeps it", async () => {
    const error = groundingError({ kind: "provider", code: "rate_limit", message: "slow down", operation: "ask" });
    // Callers of adapters throw what they were given; the stage is where it becomes a value again.
    expect(
      await stage("ask", () => Promise.reject(Object.assign(new Error("slow down"), error))).run({ adapters: {} }, 1),
    ).toMatchObject(err({ code: "rate_limit", kind: "provider" }));
  });
});

describe("until", () => {
  test("warns at its limit and refuses a limit below 1", async () => {
    const warnings: string[] = [];
    const loop = {
      condition: () => false,
      max: 2,
      step: stage("count", (_ctx, n: number) => ok(n + 1)),
      refine: (_: number, n: number) => n,
    };
    expect(await until(loop).run({ adapters: {}, warn: (warning) => warnings.push(warning) }, 0)).toEqual(ok(2));
    expect(warnings).toEqual(["until(count): the condition isn't met after 2 runs, so the last result is used."]);
    expect(await until({ ...loop, max: 0 }).run({ adapters: {} }, 0)).toMatchObject(
      err({ kind: "validation", message: "until(count): max must be an integer of at least 1, got 0." }),
    );
  });
});

describe("parallel", () => {
  test("starts both stages at once, and waits for both if one fails first", async () => {
    const seen: string[] = [];
    const slow = stage("slow", async (_ctx, _n: unknown) => {
      seen.push("slow begins");
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen.push("slow ends");
      return ok(1);
    });
    const quick = stage("quick", (ctx, n: unknown) => {
      seen.push("quick begins");
      return broken.run(ctx, n);
    });
    expect(await parallel(slow, quick).run({ adapters: {} }, 1)).toMatchObject(err({ code: "down" }));
    expect(seen).toEqual(["slow begins", "quick begins", "slow ends"]);
  });
});

describe("a pipeline as a step", () => {
  const step = stepOf({
    name: "answer",
    input: z.object({ question: z.string() }),
    output: z.object({ text: z.string(), score: z.number().nullable() }),
    pipeline: andThen(
      stage("read", (_ctx, { question }: { question: string }) => ok(question)),
      stage("answer", async (ctx: PipelineContext<Adapters>, question: string) => {
        ctx.warn?.("asked once");
        const result = await answer.run(ctx, question);
        return result.ok ? ok({ text: result.value.value, score: result.value.support }) : result;
      }),
    ),
  });

  test("is recorded and replayed like any step", async () => {
    const recorder = recordAdapters(adapters);
    const recorded = await run(step, { question: "When?" }, { adapters: recorder.adapters });
    const { adapters: recording } = replayAdapters(recorder.calls());
    const served = await run(step, { question: "When?" }, { adapters: { model: Reflect.get(recording, "model") } });
    const output = { text: "The bridge was opened in 1933.", score: 0.41619 };
    expect([recorded, served].map((result) => result.ok && [result.value.output, result.value.events])).toEqual([
      [output, [{ type: "grounding_warning", payload: { warning: "asked once" } }]],
      [output, [{ type: "grounding_warning", payload: { warning: "asked once" } }]],
    ]);
  });

  test("is captured, replayed and recomputed like any step", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-pipeline-")));
    const library = openLibrary(join(root, "__baselines__"));
    const update = (
      await checkInputCase(step, { input: { question: "When?" }, label: "when", mayCapture: true, adapters }, library)
    ).update?.propose();
    putBaseline(update?.path ?? "", update?.after ?? "");
    const stored = library.all("answer")[0] ?? expect.fail("nothing was stored");
    expect((await replayStoredCase(step, stored)).verdict).toEqual({ kind: "clean" });
    const other: Adapters = { model: { write: async () => "The bridge was opened in 1932." } };
    const { verdict } = await checkStoredCase(step, stored, { root: library.root, adapters: other });
    expect(verdict).toMatchObject({ kind: "value_changed", cause: { kind: "model" } });
    rmSync(root, { recursive: true });
  });

  test("fails with the pipeline's error", async () => {
    const failing = stepOf({ name: "failing", input: z.number(), output: z.object({}), pipeline: broken });
    expect(await run(failing, 1)).toMatchObject(
      err({ code: "down", message: "It is down.", retryable: false, cause: { kind: "retrieval" } }),
    );
    expect(await stageOf(failing).run({ adapters: {} }, 1)).toMatchObject(
      err({ code: "down", kind: "retrieval", operation: "search" }),
    );
  });
});

describe("a step as a stage", () => {
  const shout = defineStep({
    name: "shout",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }, ctx: StepContext<Adapters>) =>
      text === ""
        ? fail("blank", "Nothing to shout.")
        : { output: { text: (await ctx.adapters.model.write(text)).toUpperCase() } },
  });

  test("returns its output, with the pipeline's adapters", async () => {
    expect(await stageOf(shout).run({ adapters }, { text: "When?" })).toEqual(
      ok({ text: "THE BRIDGE WAS OPENED IN 1933." }),
    );
  });

  test("checks its input, and fails with its own error", async () => {
    expect(await stageOf(shout).run({ adapters }, { text: "" })).toEqual(
      err({ kind: "internal", code: "blank", message: "Nothing to shout.", operation: "shout", retryable: false }),
    );
    expect(await stageOf(shout).run({ adapters }, JSON.parse("{}"))).toMatchObject(
      err({
        kind: "validation",
        code: "input_validation",
        message: "text: Invalid input: expected string, received undefined",
      }),
    );
  });
});

describe("spans", () => {
  afterEach(() => unregisterSpanLog());

  test("of nested stages are nested, with attributes and errors", async () => {
    const log = registerSpanLog();
    const outer = stage("outer", async (ctx: PipelineContext<Adapters>, question: string) =>
      parallel(answer, broken).run(ctx, question),
    );
    await outer.run({ adapters }, "When?");
    expect(log.tree().map((line) => line.replace(/"vera.duration_ms":\d+/, '"vera.duration_ms":…'))).toEqual([
      'vera.outer {"error.type":"down"} ERROR down',
      '  vera.broken {"error.type":"down"} ERROR down',
      '  vera.verify(write) {"vera.grounding_score":0.41619,"vera.label":"ungrounded"}',
      '    vera.verify {"vera.duration_ms":…,"vera.grounding_score":0.41619,"vera.label":"ungrounded","vera.operation":"verify","vera.phase":"grounding","vera.status":"ok"}',
      "  vera.write {}",
    ]);
  });

  test("of a provider that fails break no pipeline", async () => {
    trace.setGlobalTracerProvider({ getTracer: () => expect.fail("no exporter") });
    expect(await answer.run({ adapters }, "When?")).toMatchObject(ok({ value: "The bridge was opened in 1933." }));
  });
});
