import { expect, test } from "vitest";
import { ZodError, z } from "zod";
import { hashValueSync } from "../kernel/json/hash.ts";
import type { Result } from "../kernel/result.ts";
import {
  type Snapshot,
  captureArtifact,
  captureArtifactSync,
  createSnapshot,
  createSnapshotFromResult,
} from "../record/snapshot.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import { type Command, emit, invoke, review } from "../kernel/step/command.ts";
import type { AuditEvent, StepContext } from "../kernel/step/context.ts";
import { type AnyStep, type StepReturn, defineStep } from "../kernel/step/define-step.ts";
import { type StepError, fail } from "../kernel/step/fail.ts";
import { run } from "../kernel/step/run.ts";
import type { Schema } from "../kernel/step/schema.ts";
import type { StepResult } from "../kernel/step/step-result.ts";
import { type RecomputeResult, recompute } from "./recompute.ts";

const same = { equal: true, entries: [] };
const claims = z.array(z.object({ id: z.string(), confidence: z.number() }));
const schemas = { input: z.object({ text: z.string() }), output: z.object({ claims, count: z.number() }) };
const extract = defineStep({
  name: "extract",
  ...schemas,
  partial: true,
  keyBy: { claims: "id" },
  run: () => ({ output: {} }),
});
const input = { text: "a" };
const two = [
  { id: "e1", confidence: 0.9 },
  { id: "e2", confidence: 0.8 },
];

/** The step `extract` as a program without types may have made it: it returns any value at all. */
function extracting(answer: (ctx: StepContext, input: unknown) => unknown): AnyStep {
  const step: AnyStep = { ...extract };
  Reflect.set(step, "run", (given: unknown, ctx: StepContext) => answer(ctx, given));
  return step;
}

async function resultOf(returned: StepReturn): Promise<StepResult> {
  const result = await run(
    extracting(() => returned),
    input,
  );
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

async function baselineOf(returned: StepReturn): Promise<Snapshot> {
  return createSnapshotFromResult(await resultOf(returned));
}

/** Recomputes a baseline of one return with a step that returns another. */
async function recomputed(before: StepReturn, after: unknown): Promise<RecomputeResult> {
  return valueOf(
    await recompute(
      await baselineOf(before),
      extracting(() => after),
    ),
  );
}

function valueOf(result: Result<RecomputeResult, StepError>): RecomputeResult {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

test("the same output and commands are clean", async () => {
  const returned = { output: { claims: two }, events: [{ type: "asked" }], commands: [emit("found", 2)] };
  expect(await recomputed(returned, returned)).toStrictEqual({
    status: "clean",
    comparable: true,
    callsDiff: undefined,
    eventsDiff: same,
    tolerated: [],
    outputDiff: same,
    commandsDiff: same,
    schemaViolations: [],
    rawOutput: { claims: two },
    parsedOutput: { claims: two },
    events: [{ type: "asked" }],
    commands: [emit("found", 2)],
  });
});

test("compares events in order, aligned by type, without their model traces", async () => {
  const output = { claims: two };
  const paid = (amount: number, ms = 1): AuditEvent => ({
    type: "paid",
    payload: { amount },
    llmTrace: { model: "m", promptTokens: 1, completionTokens: 1, durationMs: ms, inputHash: "i", outputHash: "o" },
  });
  const eventsDiff = async (before: readonly AuditEvent[], after: readonly AuditEvent[]) =>
    (await recomputed({ output, events: [...before] }, { output, events: [...after] })).eventsDiff?.entries;
  const [asked, sent] = [{ type: "asked" }, { type: "sent" }];
  expect(await eventsDiff([paid(9)], [paid(9, 700)])).toStrictEqual([]);
  expect(await eventsDiff([asked, paid(9)], [asked, sent, paid(900)])).toStrictEqual([
    { path: [1], before: undefined, after: sent, edit: "inserted" },
    { path: [2, "payload", "amount"], was: [1, "payload", "amount"], before: 9, after: 900 },
  ]);
  expect(await eventsDiff([asked, sent], [sent])).toStrictEqual([
    { path: [0], before: asked, after: undefined, edit: "removed" },
  ]);
  expect(await eventsDiff([asked, sent], [sent, asked])).toHaveLength(2);
});

test("a changed field is one entry at its element's key; a new order isn't a change", async () => {
  const after = {
    output: {
      claims: [
        { id: "e2", confidence: 0.7 },
        { id: "e1", confidence: 0.9 },
      ],
    },
  };
  const { status, outputDiff } = await recomputed({ output: { claims: two } }, after);
  expect([status, outputDiff]).toStrictEqual([
    "value_changed",
    { equal: false, entries: [{ path: ["claims", "e2", "confidence"], before: 0.8, after: 0.7 }] },
  ]);
  expect((await recomputed({ output: { claims: two } }, { output: { claims: two.toReversed() } })).status).toBe(
    "clean",
  );
});

test("unknown keys of the output aren't a change, because the baseline has none", async () => {
  const { status, rawOutput, parsedOutput } = await recomputed(
    { output: { count: 1 } },
    { output: { count: 1, debug: true } },
  );
  expect([status, rawOutput, parsedOutput]).toStrictEqual(["clean", { count: 1, debug: true }, { count: 1 }]);
});

test("returns events, emitted before returned, and doesn't compare them", async () => {
  const step = extracting((ctx) => {
    ctx.emitEvent({ type: "first" });
    return { output: { count: 1 }, events: [{ type: "second" }] };
  });
  const { status, events } = valueOf(
    await recompute(await baselineOf({ output: { count: 1 }, events: [{ type: "old" }] }), step),
  );
  expect([status, events]).toStrictEqual(["clean", [{ type: "first" }, { type: "second" }]]);
});

test("accepts a step result as a baseline, like its snapshot", async () => {
  const result = await resultOf({ output: { count: 1 }, commands: [emit("found", 1)] });
  const after = extracting(() => ({ output: { count: 2 }, commands: [emit("found", 1)] }));
  const ofResult = valueOf(await recompute(result, after));
  expect(ofResult).toStrictEqual(valueOf(await recompute(await createSnapshotFromResult(result), after)));
  expect(ofResult.outputDiff).toStrictEqual({ equal: false, entries: [{ path: ["count"], before: 1, after: 2 }] });
});

test("a baseline works after a JSON round trip", async () => {
  const stored: unknown = JSON.parse(
    JSON.stringify(await baselineOf({ output: { count: 1 }, commands: [emit("found", 1)] })),
  );
  const step = extracting(() => ({ output: { count: 1 }, commands: [emit("found", 1)] }));
  expect(isSnapshot(stored) && valueOf(await recompute(stored, step))).toMatchObject({
    status: "clean",
    comparable: true,
    commandsDiff: same,
  });
});

test("an edited input is input_hash_mismatch, and the step doesn't run", async () => {
  let ran = false;
  const step = extracting(() => ((ran = true), { output: {} }));
  const snapshot = await baselineOf({ output: {} });
  const message = `Input hash mismatch: expected ${snapshot.inputHash}, got ${hashValueSync({ text: "b" })}`;
  expect(await recompute({ ...snapshot, input: { text: "b" } }, step)).toStrictEqual({
    ok: false,
    error: { code: "input_hash_mismatch", message, retryable: false },
  });
  const unhashable = await recompute({ ...snapshot, input: () => 1 }, step);
  expect(!unhashable.ok && [unhashable.error.code, unhashable.error.message]).toStrictEqual([
    "input_hash_mismatch",
    `The stored input can't be compared with its hash ${snapshot.inputHash}: a baseline can't store a function at "(root)". Convert it to plain data`,
  ]);
  expect(ran).toBe(false);
});

test("the snapshot of another step is snapshot_corrupted", async () => {
  const snapshot = { ...(await baselineOf({ output: {} })), stepName: "verify" };
  expect(await recompute(snapshot, extract)).toStrictEqual({
    ok: false,
    error: {
      code: "snapshot_corrupted",
      message: 'The snapshot is of step "verify", not of "extract".',
      retryable: false,
    },
  });
});

test.each(["step-output", "llm-output"])("edited content of a stored %s is snapshot_corrupted", async (kind) => {
  const snapshot = await createSnapshotFromResult(await resultOf({ output: { count: 1 } }), {
    artifacts: [await captureArtifact("llm-output", 1)],
  });
  const artifacts = snapshot.artifacts.map((artifact) =>
    artifact.kind === kind ? { ...artifact, content: { output: 2 } } : artifact,
  );
  const expected = snapshot.artifacts.find((artifact) => artifact.kind === kind)?.hash;
  expect(await recompute({ ...snapshot, artifacts }, extract)).toStrictEqual({
    ok: false,
    error: {
      code: "snapshot_corrupted",
      message: `The snapshot of step "extract" is damaged: hash mismatch of ${kind}: expected ${expected}, got ${hashValueSync({ output: 2 })}`,
      retryable: false,
    },
  });
});

test("a stored input that the schema refuses now is input_validation; validate: false runs it unparsed", async () => {
  const snapshot = await baselineOf({ output: { count: 1 } });
  const seen: unknown[] = [];
  const step = {
    ...extracting((_ctx, given) => (seen.push(given), { output: { count: 1 } })),
    inputSchema: z.object({ text: z.string(), lang: z.string() }),
  };
  const refused = await recompute(snapshot, step);
  expect(refused).toMatchObject({
    ok: false,
    error: {
      code: "input_validation",
      message: "lang: Invalid input: expected string, received undefined",
      retryable: false,
    },
  });
  expect(!refused.ok && refused.error.cause).toBeInstanceOf(ZodError);
  expect(valueOf(await recompute(snapshot, step, { validate: false })).status).toBe("clean");
  expect(seen).toStrictEqual([{ text: "a" }]);
});

test("validate: false doesn't check the output", async () => {
  const snapshot = await baselineOf({ output: { count: 1 } });
  const { status, schemaViolations, rawOutput, ...rest } = valueOf(
    await recompute(
      snapshot,
      extracting(() => ({ output: { count: "1" } })),
      { validate: false },
    ),
  );
  expect([status, schemaViolations, rawOutput, "parsedOutput" in rest]).toStrictEqual([
    "value_changed",
    [],
    { count: "1" },
    false,
  ]);
});

test("runs an input transform once: stores and parses the raw input", async () => {
  let parses = 0;
  const step = defineStep({
    name: "cents",
    input: z.object({ euros: z.number().transform((euros) => ((parses += 1), euros * 100)) }),
    output: z.object({ cents: z.number() }),
    run: ({ euros }) => ({ output: { cents: euros } }),
  });
  const result = await run(step, { euros: 3 });
  if (!result.ok) throw new Error(result.error.message);
  parses = 0;
  expect(valueOf(await recompute(result.value, step))).toMatchObject({ status: "clean", parsedOutput: { cents: 300 } });
  expect(parses).toBe(1);
});

test("a step that changes its input doesn't change the baseline", async () => {
  const step = defineStep({
    name: "mutate",
    input: z.custom<{ list: number[] }>(),
    output: z.object({ length: z.number() }),
    run: ({ list }) => ({ output: { length: list.push(0) } }),
  });
  const snapshot = await createSnapshot({
    workflowId: "w",
    workflowVersion: "1",
    stepName: "mutate",
    input: { list: [1] },
    artifacts: [captureArtifactSync("step-output", { output: { length: 2 }, events: [] })],
  });
  for (const validate of [true, false, true])
    expect(valueOf(await recompute(snapshot, step, { validate })).status).toBe("clean");
  expect(snapshot.input).toStrictEqual({ list: [1] });
});

test("problems of the output are violations of their kind, and never an error", async () => {
  const output = z.object({
    id: z.string(),
    nested: z.object({ deep: z.number() }),
    score: z.number().refine((score) => score <= 1, "score is above 1"),
    size: z.number().max(3),
    lang: z.enum(["en", "de"]),
  });
  const found = { id: 7, nested: {}, score: 2, size: 9, lang: "fr" };
  const checked = defineStep({ name: "extract", input: schemas.input, output, run: () => ({ output: {} }) });
  const step: AnyStep = { ...checked, run: extracting(() => ({ output: found })).run };
  const { status, schemaViolations, rawOutput, ...rest } = valueOf(
    await recompute(await baselineOf({ output: {} }), step),
  );
  expect([status, rawOutput, "parsedOutput" in rest]).toStrictEqual(["schema_violation", found, false]);
  expect(schemaViolations).toStrictEqual([
    { path: ["id"], kind: "type", message: "Invalid input: expected string, received number" },
    { path: ["nested", "deep"], kind: "missing", message: "Invalid input: expected number, received undefined" },
    { path: ["score"], kind: "refinement", message: "score is above 1" },
    { path: ["size"], kind: "refinement", message: "Too big: expected number to be <=3" },
    { path: ["lang"], kind: "other", message: 'Invalid option: expected one of "en"|"de"' },
  ]);
});

test("issues of a schema that isn't zod are of kind other, or missing if the value is absent", async () => {
  const output: Schema<object, object> = {
    "~standard": {
      version: 1,
      vendor: "handmade",
      validate: () => ({
        issues: [
          { message: "odd", path: ["a"] },
          { message: "gone", path: [{ key: "b" }] },
        ],
      }),
    },
  };
  const step = defineStep({ name: "extract", input: schemas.input, output, run: () => ({ output: { a: 1 } }) });
  expect(valueOf(await recompute(await baselineOf({ output: {} }), step)).schemaViolations).toStrictEqual([
    { path: ["a"], kind: "other", message: "odd" },
    { path: ["b"], kind: "missing", message: "gone" },
  ]);
});

test.each([
  [null, "type", "null"],
  [[], "type", "array"],
  ["text", "type", "string"],
  [undefined, "missing", "undefined"],
])("an output of %j is a violation at the root", async (output, kind, found) => {
  const { status, schemaViolations } = await recomputed({ output: { count: 1 } }, { output });
  expect([status, schemaViolations]).toStrictEqual([
    "schema_violation",
    [{ path: [], kind, message: `(root): Invalid output: expected object, received ${found}` }],
  ]);
});

test("a violation outranks a change, and the change is still reported", async () => {
  const { status, outputDiff } = await recomputed({ output: { count: 1 } }, { output: { count: "1" } });
  expect([status, outputDiff]).toStrictEqual([
    "schema_violation",
    { equal: false, entries: [{ path: ["count"], before: 1, after: "1" }] },
  ]);
});

test("strictOutput checks the complete schema of a partial step", async () => {
  const snapshot = await baselineOf({ output: { count: 1 } });
  const step = extracting(() => ({ output: { count: 1 } }));
  expect(valueOf(await recompute(snapshot, step)).status).toBe("clean");
  const { status, schemaViolations, outputDiff } = valueOf(await recompute(snapshot, step, { strictOutput: true }));
  expect([status, outputDiff, schemaViolations]).toStrictEqual([
    "schema_violation",
    same,
    [{ path: ["claims"], kind: "missing", message: "Invalid input: expected array, received undefined" }],
  ]);
});

test("a missing required field is a violation unless the step is partial", async () => {
  const step = { ...extracting(() => ({ output: { count: 1 } })), partial: false };
  const { status, schemaViolations } = valueOf(await recompute(await baselineOf({ output: { count: 1 } }), step));
  expect([status, schemaViolations]).toStrictEqual([
    "schema_violation",
    [{ path: ["claims"], kind: "missing", message: "Invalid input: expected array, received undefined" }],
  ]);
});

test("a failing step is an error with its code; a throw is execution_failed", async () => {
  const snapshot = await baselineOf({ output: {} });
  const thrown = new Error("no such key");
  expect(
    await recompute(
      snapshot,
      extracting(() => fail("no_answer", "Nothing.", { retryable: true })),
    ),
  ).toStrictEqual({
    ok: false,
    error: { code: "no_answer", message: "Nothing.", retryable: true },
  });
  expect(
    await recompute(
      snapshot,
      extracting(() => Promise.reject(thrown)),
    ),
  ).toStrictEqual({
    ok: false,
    error: { code: "execution_failed", message: "no such key", retryable: false, cause: thrown },
  });
  expect(
    await recompute(
      snapshot,
      extracting(() => undefined),
    ),
  ).toStrictEqual({
    ok: false,
    error: {
      code: "execution_failed",
      message: 'Step "extract" returned undefined. Return { output } or fail(code, message).',
      retryable: false,
    },
  });
});

test("a failing step keeps its code even if its artifacts can't be kept", async () => {
  const step = extracting((ctx) => {
    ctx.onArtifact?.(captureArtifact("step-output", 1));
    return fail("no_answer", "Nothing.");
  });
  const result = await recompute(await baselineOf({ output: {} }), step);
  expect(!result.ok && result.error.code).toBe("no_answer");
});

const twice = [
  { id: "e1", confidence: 1 },
  { id: "e1", confidence: 2 },
];

test.each([
  ["today's output", { output: { claims: two } }, { output: { claims: twice } }, ""],
  ["the stored output", { output: { claims: twice } }, { output: { claims: two } }, ", only in the stored value"],
  ["both, though they are equal", { output: { claims: twice } }, { output: { claims: twice } }, ""],
])("an invalid key is normalization_failed: %s", async (_where, before, after, alone) => {
  const result = await recompute(
    await baselineOf(before),
    extracting(() => after),
  );
  expect(!result.ok && [result.error.code, result.error.message]).toStrictEqual([
    "normalization_failed",
    `keyBy: duplicate key "e1" in claims${alone}`,
  ]);
});

test.each([
  ["a missing field", "name", 'keyBy: element at claims[0] has no field "name"'],
  ["a key of another type", () => Object({}), "keyBy: key must be string or number, got object"],
  [
    "a key function that throws",
    () => {
      throw new Error("no id");
    },
    "no id",
  ],
])("%s is normalization_failed", async (_what, key, message) => {
  const step: AnyStep = { ...extracting(() => ({ output: { claims: two } })), keyBy: { claims: key } };
  const result = await recompute(await baselineOf({ output: { claims: two } }), step);
  expect(!result.ok && [result.error.code, result.error.message]).toStrictEqual(["normalization_failed", message]);
});

test("keyBy skips paths that don't lead to an array", async () => {
  const step: AnyStep = {
    ...extracting(() => ({ output: { count: 1 } })),
    keyBy: { claims: "id", count: "id", "a.b": "id" },
  };
  expect(valueOf(await recompute(await baselineOf({ output: { count: 1 } }), step)).status).toBe("clean");
});

test("an output without a stored form is not_storable", async () => {
  const step: AnyStep = {
    ...extracting(() => ({ output: { n: Symbol("n") } })),
    partialOutputSchema: z.object({ n: z.symbol() }),
  };
  const result = await recompute(await baselineOf({ output: {} }), step);
  expect(!result.ok && [result.error.code, result.error.message]).toStrictEqual([
    "not_storable",
    "The result can't be stored: a baseline can't store a symbol at \"output.n\". Convert it to plain data",
  ]);
});

test("a Date output is clean in memory and from JSON, and a later date is a change", async () => {
  const step = (when: Date) =>
    defineStep({
      name: "dated",
      input: z.string(),
      output: z.object({ when: z.date() }),
      run: () => ({ output: { when } }),
    });
  const result = await run(step(new Date(0)), "a");
  if (!result.ok) throw new Error(result.error.message);
  const stored: unknown = JSON.parse(JSON.stringify(await createSnapshotFromResult(result.value)));
  if (!isSnapshot(stored)) throw new Error("no snapshot");
  for (const baseline of [result.value, stored]) {
    expect(valueOf(await recompute(baseline, step(new Date(0)))).status).toBe("clean");
    expect(valueOf(await recompute(baseline, step(new Date(1)))).outputDiff).toStrictEqual({
      equal: false,
      entries: [{ path: ["when"], before: new Date(0), after: new Date(1) }],
    });
  }
});

test("undefined fields aren't a change, because JSON has none", async () => {
  expect((await recomputed({ output: { count: undefined } }, { output: {} })).status).toBe("clean");
});

test.each([
  ["hash-only", async () => createSnapshotFromResult(await resultOf({ output: { count: 1 } }), { hashOnly: true })],
  ["missing", async () => ({ ...(await baselineOf({ output: {} })), artifacts: [] })],
])("an output that is %s isn't comparable", async (_how, make) => {
  const step = extracting(() => ({ output: { count: 2 } }));
  const { comparable, outputDiff, status } = valueOf(await recompute(await make(), step));
  expect([comparable, outputDiff, status]).toStrictEqual([false, undefined, "clean"]);
  const { status: violated } = valueOf(
    await recompute(
      await make(),
      extracting(() => ({ output: { count: "2" } })),
    ),
  );
  expect(violated).toBe("schema_violation");
});

test("changed commands don't change the status", async () => {
  const { status, commandsDiff } = await recomputed(
    { output: {}, commands: [emit("found", 1)] },
    { output: {}, commands: [emit("found", 2)] },
  );
  expect([status, commandsDiff]).toStrictEqual([
    "clean",
    { equal: false, entries: [{ path: ["emit found", "payload"], before: 1, after: 2 }] },
  ]);
});

test.each([
  ["none", undefined],
  ["an empty list", []],
])("new commands are a change if the baseline had %s", async (_what, before) => {
  const baseline = { output: {}, ...(before === undefined ? {} : { commands: before }) };
  const { commandsDiff } = await recomputed(baseline, { output: {}, commands: [emit("found", 1)] });
  expect(commandsDiff).toStrictEqual({
    equal: false,
    entries: [{ path: ["emit found"], before: undefined, after: emit("found", 1) }],
  });
});

test("removed commands are a change", async () => {
  const { commandsDiff } = await recomputed({ output: {}, commands: [review("unsure")] }, { output: {} });
  expect(commandsDiff).toStrictEqual({
    equal: false,
    entries: [{ path: ["review"], before: review("unsure"), after: undefined }],
  });
});

const many: readonly Command[] = [emit("a", 1), emit("a", 2), invoke("verify", { id: 1 }), invoke("verify", { id: 2 })];

test("compares commands as multisets: order isn't a change, one insertion or removal is one entry", async () => {
  const before = { output: {}, commands: many };
  expect((await recomputed(before, { output: {}, commands: many.toReversed() })).commandsDiff).toStrictEqual(same);
  const inserted = [emit("a", 0), ...many];
  expect((await recomputed(before, { output: {}, commands: inserted })).commandsDiff?.entries).toStrictEqual([
    { path: ["emit a"], before: undefined, after: emit("a", 0) },
  ]);
  expect((await recomputed(before, { output: {}, commands: many.slice(1) })).commandsDiff?.entries).toStrictEqual([
    { path: ["emit a"], before: emit("a", 1), after: undefined },
  ]);
  expect(
    (await recomputed(before, { output: {}, commands: [...many, emit("a", 1)] })).commandsDiff?.entries,
  ).toStrictEqual([{ path: ["emit a"], before: undefined, after: emit("a", 1) }]);
});

test("a runner's metadata of commands isn't a change", async () => {
  const after = { output: {}, commands: many.map((command, index) => ({ ...command, commandId: index })) };
  expect((await recomputed({ output: {}, commands: many }, after)).commandsDiff).toStrictEqual(same);
});

test("commands that are stored as a hash alone can't be compared", async () => {
  const { artifacts, ...snapshot } = await createSnapshotFromResult(await resultOf({ output: {}, commands: many }));
  const hashes = artifacts.map(({ content, hash, kind }) =>
    kind === "step-commands" ? { hash, kind } : { content, hash, kind },
  );
  const { status, commandsDiff } = valueOf(
    await recompute(
      { ...snapshot, artifacts: hashes },
      extracting(() => ({ output: {} })),
    ),
  );
  expect([status, commandsDiff]).toStrictEqual(["clean", undefined]);
});

test("the step gets the baseline's workflow, the given adapters, and a new run id", async () => {
  const seen: object[] = [];
  const heard: Artifact[] = [];
  const step = extracting((ctx) => {
    const { adapters, workflowId, workflowVersion, runId } = ctx;
    seen.push({ adapters, workflowId, workflowVersion, runId });
    ctx.onArtifact?.(captureArtifact("llm-input", 1));
    return { output: {} };
  });
  const snapshot = { ...(await baselineOf({ output: {} })), workflowId: "w", workflowVersion: "2.0.0" };
  const adapters = { llm: () => 1 };
  await recompute(snapshot, step, { adapters, runId: "r2", onArtifact: (artifact) => void heard.push(artifact) });
  expect(seen).toStrictEqual([{ adapters, workflowId: "w", workflowVersion: "2.0.0", runId: "r2" }]);
  expect(heard).toStrictEqual([captureArtifactSync("llm-input", 1)]);
});

test("awaits asynchronous refinements", async () => {
  const even = z.number().refine(async (n) => n % 2 === 0, "odd");
  const step = (m: number) =>
    defineStep({
      name: "async",
      input: z.object({ n: even }),
      output: z.object({ m: even }),
      run: () => ({ output: { m } }),
    });
  const result = await run(step(2), { n: 2 });
  if (!result.ok) throw new Error(result.error.message);
  expect(valueOf(await recompute(result.value, step(2))).status).toBe("clean");
  expect(valueOf(await recompute(result.value, step(3))).schemaViolations).toStrictEqual([
    { path: ["m"], kind: "refinement", message: "odd" },
  ]);
});

function isSnapshot(value: unknown): value is Snapshot {
  return typeof value === "object" && value !== null && "capturedAt" in value;
}
