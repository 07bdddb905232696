import { expect, test } from "vitest";
import { z } from "zod";
import { emit } from "../kernel/step/command.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import { fail } from "../kernel/step/fail.ts";
import { captureArtifact, captureArtifactSync } from "./snapshot.ts";
import { withReplay } from "./with-replay.ts";

interface Adapters {
  ask(question: string): Promise<string>;
  now(): number;
}

const adapters: Adapters = { ask: async (question) => question.toUpperCase(), now: () => 7 };

const answer = defineStep({
  name: "answer",
  input: z.object({ question: z.string() }),
  output: z.object({ answer: z.string(), at: z.number() }),
  run: async ({ question }, ctx: StepContext<Adapters>) => {
    ctx.onArtifact?.(captureArtifact("llm-input", question));
    const text = await ctx.adapters.ask(question);
    return {
      output: { answer: text, at: ctx.adapters.now() },
      events: [{ type: "asked" }],
      commands: [emit("b", 1), emit("a", 1)],
    };
  },
});

const calls = [
  { adapter: "ask", occurrence: 0, returns: "promise", request: ["why"], response: "WHY" },
  { adapter: "now", occurrence: 0, returns: "value", request: [], response: 7 },
];

test("returns the result of a run, with the recorded calls as artifacts", async () => {
  const { result } = await withReplay(answer, { question: "why" }, { adapters, runId: "r1" });
  expect(result).toStrictEqual({
    ok: true,
    value: {
      input: { question: "why" },
      output: { answer: "WHY", at: 7 },
      events: [{ type: "asked" }],
      commands: [emit("b", 1), emit("a", 1)],
      artifacts: [
        captureArtifactSync("llm-input", "why"),
        ...calls.map((call) => captureArtifactSync("adapter-call", call)),
      ],
      stepName: "answer",
      workflowId: "answer",
      workflowVersion: "0.0.0",
      runId: "r1",
    },
  });
});

test("emits artifacts in order: the adapters', the calls, the output, the commands", async () => {
  const heard: unknown[] = [];
  const recording = await withReplay(
    answer,
    { question: "why" },
    { adapters, onArtifact: (artifact) => void heard.push(artifact) },
  );
  expect(recording.artifacts).toStrictEqual([
    captureArtifactSync("llm-input", "why"),
    ...calls.map((call) => captureArtifactSync("adapter-call", call)),
    captureArtifactSync("step-output", { output: { answer: "WHY", at: 7 }, events: [{ type: "asked" }] }),
    captureArtifactSync("step-commands", [emit("a", 1), emit("b", 1)]),
  ]);
  expect(heard).toStrictEqual(recording.artifacts);
  expect(recording.calls).toStrictEqual(calls);
});

test("records a step without adapters", async () => {
  const step = defineStep({
    name: "pure",
    input: z.string(),
    output: z.object({ n: z.number() }),
    run: (text) => ({ output: { n: text.length } }),
  });
  const { result, artifacts, calls: none } = await withReplay(step, "abc");
  expect(result.ok && result.value.output).toStrictEqual({ n: 3 });
  expect(artifacts).toStrictEqual([captureArtifactSync("step-output", { output: { n: 3 }, events: [] })]);
  expect(none).toStrictEqual([]);
});

test("a failed step keeps its code and its calls", async () => {
  const step = defineStep({
    name: "failing",
    input: z.string(),
    output: z.object({}),
    run: async (question, ctx: StepContext<Adapters>) => {
      await ctx.adapters.ask(question);
      return fail("no_answer", "Nothing.");
    },
  });
  const { result, artifacts } = await withReplay(step, "why", { adapters });
  expect(result).toStrictEqual({ ok: false, error: { code: "no_answer", message: "Nothing.", retryable: false } });
  expect(artifacts).toStrictEqual([captureArtifactSync("adapter-call", calls[0])]);
});

test("a call that can't be recorded makes the result an error", async () => {
  const step = defineStep({
    name: "unrecordable",
    input: z.string(),
    output: z.object({}),
    run: async (_input, ctx: StepContext<{ open(): () => number }>) => {
      ctx.adapters.open()();
      return { output: {} };
    },
  });
  const { result } = await withReplay(step, "a", { adapters: { open: () => () => 1 } });
  expect(result).toStrictEqual({
    ok: false,
    error: {
      code: "recording_failed",
      message: 'adapter "open" returned a value that can\'t be recorded: cannot record a function',
      retryable: false,
    },
  });
});

test("records a call without a response as open, even if one arrives while artifacts are passed on", async () => {
  let settle = (_text: string): void => undefined;
  const log = (): Promise<string> => new Promise((resolve) => (settle = resolve));
  const step = defineStep({
    name: "floating",
    input: z.string(),
    output: z.object({}),
    run: (_input, ctx: StepContext<{ log(): Promise<string> }>) => {
      void ctx.adapters.log();
      return { output: {} };
    },
  });
  const onArtifact = async (): Promise<void> => {
    settle("late");
    await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const { result, calls: recorded } = await withReplay(step, "a", { adapters: { log }, onArtifact });
  expect(result).toMatchObject({ ok: true, value: { output: {} } });
  expect(recorded).toStrictEqual([{ adapter: "log", request: [], occurrence: 0, returns: "promise", open: true }]);
});
