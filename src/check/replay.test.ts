import { expect, test } from "vitest";
import { z } from "zod";
import {
  type Snapshot,
  type SnapshotFromResultOptions,
  captureArtifact,
  createSnapshot,
  createSnapshotFromResult,
} from "../record/snapshot.ts";
import { withReplay } from "../record/with-replay.ts";
import { emit } from "../kernel/step/command.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, type StepReturn, defineStep } from "../kernel/step/define-step.ts";
import { fail } from "../kernel/step/fail.ts";
import { run } from "../kernel/step/run.ts";
import { replay } from "./replay.ts";

interface Adapters {
  ask(question: string): Promise<string>;
}

const schemas = {
  input: z.object({ question: z.string() }),
  output: z.object({ answer: z.string(), lang: z.string().default("en") }),
};
type Run = (input: { question: string }, ctx: StepContext<Adapters>) => Promise<StepReturn<{ answer: string }>>;
const stepOf = (body: Run) => defineStep({ name: "answer", ...schemas, run: body });

const ask: Run = async ({ question }, ctx) => ({
  output: { answer: await ctx.adapters.ask(question) },
  events: [{ type: "asked" }],
  commands: [emit("b", 1), emit("a", 1)],
});
const answer = stepOf(ask);

let asked = 0;
const adapters: Adapters = { ask: async (question) => `${question} ${(asked += 1)} ${Math.random()}` };

/** Records a run of `answer`; the second form keeps the calls in a snapshot made from the result. */
async function recorded(options?: SnapshotFromResultOptions): Promise<Snapshot> {
  const { result, artifacts } = await withReplay(answer, { question: "why" }, { adapters });
  if (!result.ok) throw new Error(result.error.message);
  const { input, stepName, workflowId, workflowVersion } = result.value;
  if (options === undefined) return createSnapshot({ workflowId, workflowVersion, stepName, input, artifacts });
  return createSnapshotFromResult(result.value, { ...options, artifacts: result.value.artifacts });
}

test("the same step writes the same bytes from its recorded calls, and no service is called", async () => {
  for (const snapshot of [await recorded(), await recorded({})]) {
    const before = asked;
    expect(await replay(snapshot, answer)).toStrictEqual({ ok: true, value: { kind: "identical" } });
    expect(asked).toBe(before);
  }
});

test("replays after a JSON round trip, and repeatedly", async () => {
  const stored: unknown = JSON.parse(JSON.stringify(await recorded()));
  if (!isSnapshot(stored)) throw new Error("no snapshot");
  for (const _round of [1, 2])
    expect(await replay(stored, answer)).toStrictEqual({ ok: true, value: { kind: "identical" } });
});

test("names the parts that differ, and their paths", async () => {
  const changed = stepOf(async ({ question }, ctx) => {
    await ctx.adapters.ask(question);
    return { output: { answer: "because" }, events: [{ type: "answered" }], commands: [emit("a", 1)] };
  });
  const snapshot = await recorded();
  const content = Object(snapshot.artifacts.find(({ kind }) => kind === "step-output")?.content);
  expect(await replay(snapshot, changed)).toStrictEqual({
    ok: true,
    value: {
      kind: "different",
      changedParts: ["output", "events", "commands"],
      diffs: {
        output: { equal: false, entries: [{ path: ["answer"], before: content.output.answer, after: "because" }] },
        events: { equal: false, entries: [{ path: [0, "type"], before: "asked", after: "answered" }] },
        commands: { equal: false, entries: [{ path: [1], before: emit("b", 1), after: undefined }] },
      },
    },
  });
});

test("one more event makes a replay different", async () => {
  const eager = stepOf(async (input, ctx) => {
    ctx.emitEvent({ type: "began" });
    return ask(input, ctx);
  });
  const verdict = await replay(await recorded(), eager);
  expect(verdict.ok && verdict.value).toMatchObject({ kind: "different", changedParts: ["events"] });
});

test("ignores the order of commands", async () => {
  const reordered = stepOf(async (input, ctx) => {
    const { commands = [], ...rest } = await ask(input, ctx);
    return { ...rest, commands: commands.toReversed() };
  });
  expect(await replay(await recorded(), reordered)).toStrictEqual({ ok: true, value: { kind: "identical" } });
});

test("a hash alone shows whether output and events, or the commands, are the same bytes", async () => {
  const otherOutput = stepOf(async (input, ctx) => ({ ...(await ask(input, ctx)), output: { answer: "because" } }));
  const otherCommands = stepOf(async (input, ctx) => ({ ...(await ask(input, ctx)), commands: [] }));
  const { artifacts, ...rest } = await recorded({ hashOnly: true });
  const snapshot = {
    ...rest,
    artifacts: artifacts.map((artifact) =>
      artifact.kind === "step-commands" ? { hash: artifact.hash, kind: artifact.kind } : artifact,
    ),
  };
  expect(await replay(snapshot, answer)).toStrictEqual({ ok: true, value: { kind: "identical" } });
  expect(await replay(snapshot, otherOutput)).toStrictEqual({
    ok: true,
    value: { kind: "different", changedParts: ["output"], diffs: {} },
  });
  expect(await replay(snapshot, otherCommands)).toStrictEqual({
    ok: true,
    value: { kind: "different", changedParts: ["commands"], diffs: {} },
  });
});

test("reports that a snapshot without recorded calls can only be loaded", async () => {
  const result = await run(answer, { question: "why" }, { adapters });
  if (!result.ok) throw new Error(result.error.message);
  const foreign = await captureArtifact("adapter-call", { model: "m", note: "an adapter's own metadata" });
  for (const artifacts of [[], [foreign]]) {
    const replayed = await replay(await createSnapshotFromResult(result.value, { artifacts }), answer);
    expect(!replayed.ok && [replayed.error.code, replayed.error.message]).toStrictEqual([
      "not_recorded",
      'The snapshot of step "answer" has no recorded adapter calls, so it can\'t be replayed. Capture it with withReplay.',
    ]);
  }
});

test("a step that calls no adapter replays without a recording", async () => {
  const pure = defineStep({
    name: "pure",
    input: z.string(),
    output: z.object({ n: z.number() }),
    run: (text) => ({ output: { n: text.length } }),
  });
  const result = await run(pure, "abc");
  if (!result.ok) throw new Error(result.error.message);
  expect(await replay(await createSnapshotFromResult(result.value), pure)).toStrictEqual({
    ok: true,
    value: { kind: "identical" },
  });
});

test("an unrecorded call is unrecorded_request, even if the step catches it", async () => {
  const asksMore = stepOf(async (input, ctx) => {
    await ctx.adapters.ask("who").catch(() => undefined);
    return ask(input, ctx);
  });
  const replayed = await replay(await recorded(), asksMore);
  expect(!replayed.ok && [replayed.error.code, replayed.error.message]).toStrictEqual([
    "unrecorded_request",
    'Step "answer" now makes a call of adapter "ask" that wasn\'t recorded (recorded calls of that adapter: 1).',
  ]);
});

test("a step that fails in a replay keeps its code", async () => {
  const failing: AnyStep = { ...answer, run: () => fail("no_answer", "Nothing.") };
  expect(await replay(await recorded(), failing)).toStrictEqual({
    ok: false,
    error: { code: "no_answer", message: "Nothing.", retryable: false },
  });
});

test("a snapshot without any output can't be compared", async () => {
  const snapshot = await recorded();
  const artifacts = snapshot.artifacts.filter(({ kind }) => kind === "adapter-call");
  expect(await replay({ ...snapshot, artifacts }, answer)).toStrictEqual({
    ok: false,
    error: {
      code: "missing_output",
      message:
        'The snapshot of step "answer" has no stored output to compare a replay with. Capture it with withReplay.',
      retryable: false,
    },
  });
});

test("refuses a damaged snapshot, or one of another step, before the step runs", async () => {
  let ran = false;
  const step = stepOf(async (input, ctx) => ((ran = true), ask(input, ctx)));
  const snapshot = await recorded();
  const damaged = snapshot.artifacts.map((artifact) => ({ ...artifact, content: { edited: true } }));
  const codes = [];
  for (const bad of [
    { ...snapshot, input: {} },
    { ...snapshot, stepName: "other" },
    { ...snapshot, artifacts: damaged },
  ]) {
    const replayed = await replay(bad, step);
    codes.push(replayed.ok ? "ok" : replayed.error.code);
  }
  expect([codes, ran]).toStrictEqual([["input_hash_mismatch", "snapshot_corrupted", "snapshot_corrupted"], false]);
});

test("a step that changes its input doesn't change the snapshot", async () => {
  const step = defineStep({
    name: "mutate",
    input: z.custom<{ list: number[] }>(),
    output: z.object({ length: z.number() }),
    run: ({ list }) => ({ output: { length: list.push(0) } }),
  });
  const { result, artifacts } = await withReplay(step, { list: [1] });
  if (!result.ok) throw new Error(result.error.message);
  const snapshot = await createSnapshot({ ...result.value, artifacts });
  for (const _round of [1, 2])
    expect(await replay(snapshot, step)).toStrictEqual({ ok: true, value: { kind: "identical" } });
  expect(snapshot.input).toStrictEqual({ list: [1] });
});

test("accepts a run id for steps that use it", async () => {
  const named = defineStep({
    name: "named",
    input: z.string(),
    output: z.object({ run: z.string() }),
    run: (_input, ctx: StepContext) => ({ output: { run: ctx.runId } }),
  });
  const result = await run(named, "a", { runId: "r1" });
  if (!result.ok) throw new Error(result.error.message);
  const snapshot = await createSnapshotFromResult(result.value);
  expect(await replay(snapshot, named, { runId: "r1" })).toStrictEqual({ ok: true, value: { kind: "identical" } });
  expect(await replay(snapshot, named)).toMatchObject({
    ok: true,
    value: { kind: "different", changedParts: ["output"] },
  });
});

function isSnapshot(value: unknown): value is Snapshot {
  return typeof value === "object" && value !== null && "capturedAt" in value;
}

test("replays commands as stored: in any order, with the schema's fields and all their content", async () => {
  const snapshot = await recorded();
  const emitting = (...commands: ReturnType<typeof emit>[]): AnyStep =>
    stepOf(async (input, ctx) => ({ ...(await ask(input, ctx)), commands }));
  const noted = Object.assign(emit("a", 1), { noted: "by a runner" });
  expect(await replay(snapshot, emitting(emit("a", 1), emit("b", 1)))).toMatchObject({ value: { kind: "identical" } });
  expect(await replay(snapshot, emitting(emit("b", 1), noted))).toMatchObject({ value: { kind: "identical" } });
  expect(await replay(snapshot, emitting(emit("b", 1), emit("a", 2)))).toMatchObject({
    value: { kind: "different", changedParts: ["commands"] },
  });
});
