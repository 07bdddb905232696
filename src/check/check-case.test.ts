import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { unwrap } from "../kernel/result.ts";
import { type Baseline, type StepBaseline, groupOf, identityOf } from "../baseline/baseline.ts";
import { createValueBaseline } from "../baseline/create-baseline.ts";
import { type BaselineLibrary, openLibrary } from "../baseline/baseline-library.ts";
import { caseFileName, caseHash, groupDirectory } from "../baseline/baseline-paths.ts";
import { parseBaseline } from "../baseline/parse-baseline.ts";
import { serializeBaseline } from "../baseline/serialize-baseline.ts";
import { putBaseline } from "../../test-support/put-baseline.ts";
import { emit } from "../kernel/step/command.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { fail } from "../kernel/step/fail.ts";
import { run } from "../kernel/step/run.ts";
import type { Check } from "./check.ts";
import { checkStepResult } from "./check-step-result.ts";
import { checkValue } from "./check-value.ts";
import {
  type InputCaseOptions,
  type StoredCaseOptions,
  checkInputCase,
  replayStoredCase,
  checkStoredCase,
} from "../../test-support/check-stored-case.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";

interface Llm {
  ask(prompt: string): unknown;
}

type Run = (input: { readonly text: string }, ctx: StepContext<{ llm: Llm }>) => object | Promise<object>;

const answer: Run = async ({ text }, { adapters }) => ({
  output: { total: await adapters.llm.ask(`total of ${text}`) },
  commands: [emit("read", text)],
});
const live = { llm: { ask: async () => 9 } };

/** A step that reads a total; `run` is the current code of it. */
function stepOf(run: Run, input: z.ZodType<{ text: string }> = z.object({ text: z.string() })): AnyStep {
  const lines = z.array(z.object({ sku: z.string(), qty: z.number() }));
  const output = z.object({ total: z.number(), lines: lines.optional() });
  return defineStep({
    name: "read",
    input,
    output,
    keyBy: { lines: "sku" },
    run: (given, ctx: StepContext<{ llm: Llm }>) => cast(run(given, ctx)),
  });
}

/** What a step returns is checked by its schema at run time; these tests return what no typed step could. */
function cast(returned: object | Promise<object>): Promise<{ output: object }> {
  return Promise.resolve(returned).then((value) =>
    "output" in value && typeof value.output === "object" && value.output !== null
      ? { ...value, output: value.output }
      : Object.assign(value, { output: {} }),
  );
}

/** A step whose output may have any fields. */
function loose(result: object): AnyStep {
  const any = z.looseObject({});
  return defineStep({ name: "read", input: any, output: any, run: () => cast(result) });
}

const step = stepOf(answer);

function library(): BaselineLibrary {
  return openLibrary(join(temporaryProject("check"), "__baselines__"));
}

function ask(of: AnyStep, lib: BaselineLibrary, question: Partial<InputCaseOptions> = {}): Promise<Check> {
  return checkInputCase(of, { input: { text: "a" }, label: "label", mayCapture: true, ...question }, lib);
}

/** Accepts what a check proposes. */
function accept(check: Check): Check {
  const update = check.update?.propose();
  if (update === undefined) throw new Error(`nothing to accept: ${JSON.stringify(check.verdict)}`);
  putBaseline(update.path, update.after ?? "");
  return check;
}

/** The one stored baseline of the step. */
function only(lib: BaselineLibrary): StepBaseline {
  const [stored] = lib.all("read");
  const baseline = stored === undefined ? undefined : unwrap(stored.baseline);
  if (baseline?.kind !== "step") throw new Error("no baseline of a step is stored");
  return baseline;
}

/** A library that holds the step's answer to one input, from live adapters. */
async function captured(question: Partial<InputCaseOptions> = {}): Promise<BaselineLibrary> {
  const lib = library();
  accept(await ask(step, lib, { adapters: live, ...question }));
  return lib;
}

function store(lib: BaselineLibrary, baseline: Baseline): void {
  const fileName = caseFileName("label", caseHash(identityOf(baseline)));
  putBaseline(join(lib.root, groupDirectory(groupOf(baseline)), fileName), serializeBaseline(baseline));
}

async function recomputeOnly(
  of: AnyStep,
  lib: BaselineLibrary,
  question: Partial<StoredCaseOptions> = {},
): Promise<Check> {
  const [stored] = lib.all("read");
  if (stored === undefined) throw new Error("nothing is stored");
  return checkStoredCase(of, stored, { root: lib.root, ...question });
}

/** The text a check proposes, read back. */
function proposed(check: Check): Baseline | undefined {
  const update = check.update?.propose();
  return update?.after === undefined ? undefined : unwrap(parseBaseline(update.after, check.file));
}

test("a new case is missing, and its capture is an update with its calls", async () => {
  const lib = library();
  const check = await ask(step, lib, { adapters: live, details: { labels: ["eu"], meta: { pages: 2 } } });
  expect(check.verdict).toStrictEqual({ kind: "missing" });
  expect(check.update?.propose()).toMatchObject({ kind: "add", root: lib.root, path: check.path, before: undefined });
  expect(proposed(check)).toMatchObject({
    step: "read",
    labels: ["eu"],
    meta: { pages: 2 },
    output: { total: 9 },
    calls: [{ adapter: "llm.ask", request: ["total of a"], response: 9 }],
  });
});

test("doesn't run the step if a new case can't be kept", async () => {
  const never = stepOf(() => {
    throw new Error("it ran");
  });
  const check = await ask(never, library(), { adapters: live, mayCapture: false });
  expect([check.verdict, check.update]).toStrictEqual([{ kind: "missing" }, undefined]);
});

test("a new case without the adapters its step needs reports them as missing, without an update", async () => {
  const { verdict, update } = await ask(step, library());
  const message =
    'Step "read" called adapter "llm.ask", but no adapters were passed. Pass them ({} for a step without adapters): toMatchBaseline({ input, adapters }).';
  expect(verdict).toStrictEqual({
    kind: "failed",
    error: { code: "no_adapters", message, retryable: false },
    isNew: true,
  });
  expect(update).toBe(undefined);
});

test("the same input is clean with recorded and live adapters, without an update", async () => {
  const lib = await captured();
  for (const adapters of [undefined, live]) {
    const check = await ask(step, lib, { adapters });
    expect([check.verdict, check.update]).toStrictEqual([{ kind: "clean" }, undefined]);
  }
});

test("replays recorded calls without adapters: detects changed code, and calls no live one", async () => {
  const lib = await captured();
  const doubled = stepOf(async (input, ctx) => ({
    ...(await answer(input, ctx)),
    output: { total: 2 * Number(await ctx.adapters.llm.ask(`total of ${input.text}`)) },
  }));
  const once = stepOf(async ({ text }, { adapters }) => ({
    output: { total: 2 * Number(await adapters.llm.ask(`total of ${text}`)) },
    commands: [emit("read", text)],
  }));
  const check = await ask(once, lib);
  expect(check.verdict).toStrictEqual({
    kind: "value_changed",
    changes: [{ part: "output", diff: { equal: false, entries: [{ path: ["total"], before: 9, after: 18 }] } }],
    cause: { kind: "code", evidence: [{ kind: "code", entries: [{ path: ["total"], before: 9, after: 18 }] }] },
  });
  expect(proposed(check)).toMatchObject({ output: { total: 18 }, calls: only(lib).calls });
  expect((await ask(doubled, lib)).verdict).toMatchObject({
    kind: "request_changed",
    unrecorded: { reason: "repeated", recorded: 1, limit: 1 },
    recordedCount: 1,
  });
});

test("a changed request names the nearest recorded call, without an update", async () => {
  const lib = await captured();
  const asksOtherwise = stepOf(async ({ text }, { adapters }) => ({
    output: { total: await adapters.llm.ask(`sum of ${text}`) },
  }));
  const check = await ask(asksOtherwise, lib);
  expect(check.verdict).toMatchObject({
    kind: "request_changed",
    recordedCount: 1,
    unrecorded: {
      adapter: "llm.ask",
      request: ["sum of a"],
      reason: "unknown_request",
      nearest: { request: ["total of a"] },
      recorded: 1,
    },
  });
  expect(check.update).toBeUndefined();
});

test("detects a changed request although the step catches the error", async () => {
  const lib = await captured();
  const swallows = stepOf(async ({ text }, { adapters }) => {
    try {
      await adapters.llm.ask(`sum of ${text}`);
    } catch {
      // Goes on without an answer.
    }
    return { output: { total: 9 }, commands: [emit("read", text)] };
  });
  expect((await ask(swallows, lib)).verdict.kind).toBe("request_changed");
});

test("changed commands have their own class, unless a value changed too", async () => {
  const lib = await captured();
  const other = stepOf(async (input, ctx) => ({
    ...(await answer(input, ctx)),
    commands: [emit("written", input.text)],
  }));
  const check = await ask(other, lib);
  expect(check.verdict.kind).toBe("commands_changed");
  expect(proposed(check)).toMatchObject({ commands: [emit("written", "a")] });
  const both = await ask(other, lib, { adapters: { llm: { ask: async () => 10 } } });
  expect(both.verdict).toMatchObject({ kind: "value_changed", changes: [{ part: "output" }, { part: "commands" }] });
});

test("an output that the current schema refuses is a schema violation, which can't be accepted", async () => {
  const lib = await captured();
  const check = await ask(step, lib, { adapters: { llm: { ask: async () => "nine" } } });
  expect(check.verdict).toMatchObject({
    kind: "schema_violation",
    violations: [{ path: ["total"], message: "Invalid input: expected number, received string" }],
    changes: [{ part: "output", diff: { entries: [{ path: ["total"], before: 9, after: "nine" }] } }],
  });
  expect(check.update).toBeUndefined();
});

test.each([
  ["an element of a list", { rows: [{ id: 1, unit: "g" }, { id: 2 }], to: { city: "Oslo" } }, ["rows", 1, "unit"]],
  ["an optional object", { rows: [{ id: 1, unit: "g" }], to: {} }, ["to", "city"]],
])("a required field of %s that is missing is a violation, and isn't captured", async (_what, output, path) => {
  const row = z.object({ id: z.number(), unit: z.enum(["g", "kg"]) });
  const schema = z.object({ rows: z.array(row), to: z.object({ city: z.string() }).optional() });
  const rows = (result: object): AnyStep => ({ ...loose({ output: result }), outputSchema: schema });
  const lib = library();
  expect((await ask(rows(output), lib)).verdict).toMatchObject({
    kind: "failed",
    error: { code: "output_validation" },
  });
  accept(await ask(rows({ rows: [{ id: 1, unit: "g" }], to: { city: "Oslo" } }), lib));
  expect((await ask(rows(output), lib)).verdict).toMatchObject({
    kind: "schema_violation",
    violations: [{ path, kind: "missing" }],
  });
});

test("validate: false compares without schemas, and the change can be accepted", async () => {
  const lib = await captured();
  const check = await ask(step, lib, { adapters: { llm: { ask: async () => "nine" } }, validate: false });
  expect(check.verdict.kind).toBe("value_changed");
  expect(proposed(check)).toMatchObject({ output: { total: "nine" } });
});

test("an output without a required field is a violation; in a partial step only with strictOutput", async () => {
  const lib = await captured();
  const lacking = stepOf(({ text }) => ({ output: {}, commands: [emit("read", text)] }));
  expect((await ask(lacking, lib)).verdict).toMatchObject({
    kind: "schema_violation",
    violations: [{ path: ["total"] }],
  });
  const partly = { ...lacking, partial: true };
  expect((await ask(partly, lib)).verdict.kind).toBe("value_changed");
  expect((await ask(partly, lib, { strictOutput: true })).verdict).toMatchObject({
    kind: "schema_violation",
    violations: [{ path: ["total"] }],
  });
});

test("strictOutput also refuses to capture an incomplete output of a partial step", async () => {
  const partly = { ...stepOf(({ text }) => ({ output: {}, commands: [emit("read", text)] })), partial: true };
  const check = await ask(partly, library(), { strictOutput: true });
  expect([check.verdict, check.update]).toMatchObject([
    { kind: "failed", error: { code: "output_validation", message: expect.stringContaining("total") } },
    undefined,
  ]);
  expect((await ask(partly, library())).verdict.kind).toBe("missing");
});

test("a stored input that the current schema refuses is a schema violation of the input", async () => {
  const lib = await captured();
  const stricter = stepOf(answer, z.object({ text: z.string().min(5), tone: z.string() }));
  const check = await recomputeOnly(stricter, lib);
  expect(check.verdict).toMatchObject({
    kind: "schema_violation",
    violations: [
      { path: ["input", "text"], kind: "refinement" },
      { path: ["input", "tone"], kind: "missing" },
    ],
    changes: [],
  });
  expect(check.update).toBeUndefined();
});

test("a failing step is failed with its own code, without an update", async () => {
  const lib = await captured();
  const fails = stepOf(() => fail("no_answer", "The model answered nothing.", { retryable: true }));
  const check = await ask(fails, lib, { adapters: live });
  expect([check.verdict, check.update]).toStrictEqual([
    {
      kind: "failed",
      error: { code: "no_answer", message: "The model answered nothing.", retryable: true },
      cause: { kind: "code", evidence: [{ kind: "code", entries: [], ended: "it fails with the recorded responses" }] },
    },
    undefined,
  ]);
  expect((await ask(fails, library(), { adapters: live })).verdict).toMatchObject({
    kind: "failed",
    error: { code: "no_answer" },
  });
});

test("a call that couldn't be recorded fails a capture and an update, but not a clean comparison", async () => {
  const uncallable = { llm: { ask: async () => Object.assign(() => 9, { valueOf: () => 9 }) } };
  const total: Run = async ({ text }, { adapters }) => ({
    output: { total: Number(await adapters.llm.ask(`total of ${text}`)) },
    commands: [emit("read", text)],
  });
  const tolerant = stepOf(total);
  const capture = await ask(tolerant, library(), { adapters: uncallable });
  expect(capture.verdict).toMatchObject({ kind: "failed", error: { code: "recording_failed" } });
  const lib = await captured();
  expect((await ask(tolerant, lib, { adapters: uncallable })).verdict).toStrictEqual({ kind: "clean" });
  const changed = stepOf(async (input, ctx) => ({
    output: { total: Number(await ctx.adapters.llm.ask(`total of ${input.text}`)) + 1 },
  }));
  const update = await ask(changed, lib, { adapters: uncallable });
  expect([update.verdict.kind, update.update]).toStrictEqual(["failed", undefined]);
});

test("a clean case is rewritten on acceptance when its requests changed, or it is described again; a new order of answers is no reason", async () => {
  const lib = await captured({ details: { labels: ["eu"] } });
  const politely = stepOf(async ({ text }, { adapters }) => ({
    output: { total: await adapters.llm.ask(`Please: ${text}`) },
    commands: [emit("read", text)],
  }));
  const asked = await ask(politely, lib, { adapters: live });
  expect(asked.verdict).toMatchObject({
    kind: "clean",
    cause: { kind: "prompt", evidence: [{ requests: [{ adapter: "llm.ask", kind: "changed" }] }] },
  });
  expect(proposed(asked)).toMatchObject({ labels: ["eu"], calls: [{ request: ["Please: a"] }] });
  const relabelled = await ask(step, lib, { details: { labels: ["us"], meta: { pages: 1 } } });
  expect([relabelled.verdict, proposed(relabelled)]).toMatchObject([
    { kind: "clean" },
    { labels: ["us"], meta: { pages: 1 }, calls: only(lib).calls },
  ]);
  expect((await ask(step, lib, { details: { labels: ["eu"], meta: {} } })).update).toBeUndefined();
  const wordier = { llm: { ask: async () => 9.0 } };
  expect((await ask(step, lib, { adapters: wordier })).update).toBeUndefined();
});

test("compares a named case whose input changed completely, and updates it in place", async () => {
  const lib = await captured({ details: { name: "march" } });
  const check = await ask(step, lib, { input: { text: "b" }, adapters: live, details: { name: "march" } });
  expect(check.verdict).toMatchObject({
    kind: "value_changed",
    changes: [
      { part: "input", diff: { entries: [{ path: ["text"], before: "a", after: "b" }] } },
      { part: "commands" },
    ],
  });
  expect(check.update?.propose()).toMatchObject({ kind: "update", path: lib.all("read")[0]?.path });
  expect(proposed(check)).toMatchObject({ name: "march", input: { text: "b" } });
});

test("replays the recorded calls of a named case with a changed input", async () => {
  const lib = await captured({ details: { name: "march", labels: ["eu"] } });
  const asked = await ask(step, lib, { input: { text: "b" }, details: { name: "march" } });
  expect(asked.verdict).toMatchObject({
    kind: "request_changed",
    recordedCount: 1,
    unrecorded: { request: ["total of b"], nearest: { request: ["total of a"] } },
  });
  expect(asked.update).toBeUndefined();
  const sameQuestion = stepOf(async ({ text }, { adapters }) => ({
    output: { total: await adapters.llm.ask("total of a") },
    commands: [emit("read", text)],
  }));
  const check = await ask(sameQuestion, lib, { input: { text: "b" }, details: { name: "march" } });
  expect(check.verdict).toMatchObject({ kind: "value_changed", changes: [{ part: "input" }, { part: "commands" }] });
  expect(proposed(check)).toMatchObject({ labels: ["eu"], calls: only(lib).calls });
});

test("fails an input without a stored form before the step runs", async () => {
  const check = await ask(step, library(), { input: { text: "a", seen: new WeakSet() }, adapters: live });
  expect(check.verdict).toMatchObject({
    kind: "failed",
    error: {
      code: "input_validation",
      message:
        "The input can't be stored: a baseline can't store a WeakSet at \"input.seen\". " +
        "Convert it to plain data, or add a codec for it (configureValues)",
    },
  });
});

test.each([
  ["output", (deep: unknown) => ({ output: { total: 1, lines: [], deep } })],
  ["event", (deep: unknown) => ({ output: { total: 1 }, events: [{ type: "read", payload: deep }] })],
  ["command", (deep: unknown) => ({ output: { total: 1 }, commands: [emit("read", deep)] })],
])("an %s nested too deep to store fails its case, with advice", async (_part, resultOf) => {
  const nested = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => ({ in: inner }), 1);
  expect((await ask(loose(resultOf(nested(900))), library())).verdict).toStrictEqual({ kind: "missing" });
  expect((await ask(loose(resultOf(nested(1_100))), library())).verdict).toMatchObject({
    kind: "failed",
    error: {
      code: "not_storable",
      message:
        "The result can't be stored: cannot store a value nested deeper than 500 levels. " +
        "Flatten it, or turn it into a string",
    },
  });
});

test("a new order of keyed elements is clean; duplicate keys can't be compared", async () => {
  const lines = (...skus: string[]): AnyStep =>
    stepOf(() => ({ output: { total: 1, lines: skus.map((sku) => ({ sku, qty: 1 })) } }));
  const lib = library();
  const { file } = accept(await ask(lines("a", "b"), lib));
  expect((await ask(lines("b", "a"), lib)).verdict).toStrictEqual({ kind: "clean", isReordered: true });
  expect((await ask(lines("b", "b"), lib)).verdict).toStrictEqual({
    kind: "failed",
    error: {
      code: "normalization_failed",
      message: `Cannot compare with ${file}: keyBy: duplicate key "b" in lines. Fix keyBy or the output.`,
      retryable: false,
      cause: new TypeError('keyBy: duplicate key "b" in lines'),
    },
  });
});

test("doesn't capture an output with duplicate keys, which can't be compared", async () => {
  const twice = stepOf(() => ({ output: { total: 1, lines: [1, 2].map((qty) => ({ sku: "a", qty })) } }));
  const check = await ask(twice, library());
  expect(check).toMatchObject({
    verdict: {
      kind: "failed",
      error: {
        code: "normalization_failed",
        message: 'This value can\'t be compared: keyBy: duplicate key "a" in lines. Fix keyBy or the output.',
      },
    },
    update: undefined,
  });
});

test("duplicate keys don't hide a schema violation", async () => {
  const lib = library();
  accept(
    await ask(
      stepOf(() => ({ output: { total: 1, lines: [{ sku: "a", qty: 1 }] } })),
      lib,
    ),
  );
  const twice = stepOf(() => ({ output: { total: "1", lines: [1, 2].map((qty) => ({ sku: "a", qty })) } }));
  expect((await ask(twice, lib)).verdict).toMatchObject({
    kind: "schema_violation",
    violations: [{ path: ["total"], kind: "type" }],
    changes: [],
  });
});

const EDITED =
  "It was probably edited by hand or damaged in a merge. Restore the file with npx veritest repair --restore, or delete it and capture the case again.";

test.each<[string, (baseline: StepBaseline) => StepBaseline, RegExp]>([
  ["input", (baseline) => ({ ...baseline, input: { text: "b" } }), /Input hash mismatch\. It was/],
  ["output", (baseline) => ({ ...baseline, output: { total: 10 } }), /hash mismatch of step-output\. It was/],
  [
    "commands",
    (baseline) => ({ ...baseline, commands: [emit("read", "b")] }),
    /hash mismatch of step-commands\. It was/,
  ],
  [
    "calls",
    (baseline) => ({ ...baseline, calls: baseline.calls.map((call) => ({ ...call, response: 1 })) }),
    /hash mismatch of adapter-call\. It was/,
  ],
])("a baseline with an edited %s is broken in recompute and replay, and kept", async (_part, edit, found) => {
  const lib = await captured({ details: { name: "march" } });
  store(lib, edit(only(lib)));
  const [stored] = lib.all("read");
  if (stored === undefined) throw new Error("nothing is stored");
  for (const check of [
    await checkStoredCase(step, stored, { root: lib.root, adapters: live }),
    await replayStoredCase(step, stored),
  ]) {
    expect(check.update).toBeUndefined();
    expect(check.verdict.kind === "broken" && check.verdict.problem).toMatch(found);
    expect(check.verdict.kind === "broken" && check.verdict.problem.startsWith(`Cannot use ${stored.file}: `)).toBe(
      true,
    );
    expect(check.verdict.kind === "broken" && check.verdict.problem.endsWith(`. ${EDITED}`)).toBe(true);
  }
});

test("a baseline without hashes to verify it is broken, not clean", async () => {
  const lib = await captured();
  const path = lib.all("read")[0]?.path ?? "";
  const baseline = only(lib);
  putBaseline(path, serializeBaseline({ ...baseline, artifacts: [], output: { total: 1000 } }));
  expect((await recomputeOnly(step, lib)).verdict).toMatchObject({ kind: "broken" });
  expect((await ask(step, lib, { adapters: live })).verdict).toMatchObject({ kind: "broken" });
});

test("replay: the same bytes are clean, other events differ, and it never makes an update", async () => {
  const lib = await captured();
  const [stored] = lib.all("read");
  if (stored === undefined) throw new Error("nothing is stored");
  expect(await replayStoredCase(step, stored)).toMatchObject({ verdict: { kind: "clean" }, update: undefined });
  const reports = stepOf(async (input, ctx) => ({ ...(await answer(input, ctx)), events: [{ type: "new" }] }));
  expect(await replayStoredCase(reports, stored)).toMatchObject({
    verdict: {
      kind: "events_changed",
      changes: [{ part: "events", diff: { entries: [{ path: [0], after: { type: "new" } }] } }],
    },
    update: undefined,
  });
});

test("replay: an unrecorded request is a changed request with the nearest one", async () => {
  const lib = await captured();
  const [stored] = lib.all("read");
  if (stored === undefined) throw new Error("nothing is stored");
  const asksOtherwise = stepOf(async ({ text }, { adapters }) => ({
    output: { total: await adapters.llm.ask(`sum of ${text}`) },
  }));
  expect((await replayStoredCase(asksOtherwise, stored)).verdict).toMatchObject({
    kind: "request_changed",
    recordedCount: 1,
    unrecorded: { adapter: "llm.ask", nearest: { request: ["total of a"] } },
  });
});

test("an input whose hash was edited by hand is damage in every check", async () => {
  const lib = library();
  const result = unwrap(await run(step, { text: "a" }, { adapters: live }));
  const question = { details: { name: "n" }, label: "label" };
  const { path } = accept(await checkStepResult(result, question, lib));
  const text = readFileSync(path, "utf8").replace(/"inputHash": "sha256:[0-9a-f]{4}/, '"inputHash": "sha256:0000');
  putBaseline(path, text);
  const [stored] = lib.all("read");
  if (stored === undefined) throw new Error("nothing is stored");
  const checks = [
    await checkStepResult(result, question, lib),
    await ask(step, lib, { details: { name: "n" } }),
    await checkStoredCase(step, stored, { root: lib.root }),
    await replayStoredCase(step, stored),
  ];
  for (const { verdict } of checks)
    expect(verdict).toMatchObject({ kind: "broken", problem: expect.stringContaining("Input hash mismatch") });
});

test("a result that can't be stored fails the case it is of, which isn't new", async () => {
  const lib = library();
  const result = unwrap(await run(step, { text: "a" }, { adapters: live }));
  const broken = { ...result, output: { total: () => 9 } };
  const question = { details: {}, label: "label" };
  expect((await checkStepResult(broken, question, lib)).verdict).toMatchObject({ kind: "failed", isNew: true });
  const { path, file } = accept(await checkStepResult(result, question, lib));
  const check = await checkStepResult(broken, question, lib);
  expect(check).toMatchObject({ path, file, verdict: { kind: "failed", error: { code: "not_storable" } } });
  expect(check.verdict).not.toHaveProperty("isNew");
});

test.each(["value", "result"])("other labels of a clean %s are an update, for -u alone", async (kind) => {
  const lib = library();
  const result = unwrap(await run(step, { text: "a" }, { adapters: live }));
  const check = async (labels: readonly string[] | undefined): Promise<Check> =>
    kind === "value"
      ? checkValue({ a: 1 }, { test: "a.test.ts", details: { name: "one", labels }, keyBy: {} }, lib)
      : checkStepResult(result, { details: { labels }, label: "label" }, lib);
  const { path } = accept(await check(["old"]));
  expect(await check(["old"])).toMatchObject({ verdict: { kind: "clean" }, update: undefined });
  expect(await check(undefined)).toMatchObject({ verdict: { kind: "clean" }, update: undefined });
  const relabelled = await check(["new"]);
  expect(relabelled.verdict).toStrictEqual({ kind: "clean" });
  accept(relabelled);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ labels: ["new"] });
  expect(await check(["new"])).toMatchObject({ update: undefined });
});

test("a result is missing, clean or changed against its baseline, without running a step", async () => {
  const lib = library();
  const result = unwrap(await run(step, { text: "a" }, { adapters: live }));
  const question = { details: {}, label: "label" };
  accept(await checkStepResult(result, question, lib));
  expect(await checkStepResult(result, question, lib)).toMatchObject({ verdict: { kind: "clean" }, update: undefined });
  const changed = await checkStepResult({ ...result, output: { total: 10 } }, question, lib);
  expect(changed.verdict).toMatchObject({
    kind: "value_changed",
    changes: [{ part: "output", diff: { entries: [{ path: ["total"], before: 9, after: 10 }] } }],
  });
  expect(changed.update?.propose()).toMatchObject({ kind: "update", before: lib.all("read")[0]?.text });
  expect((await checkStepResult({ ...result, commands: [] }, question, lib)).verdict.kind).toBe("commands_changed");
  const unstorable = await checkStepResult({ ...result, output: { total: Symbol("1") } }, question, lib);
  expect(unstorable).toMatchObject({
    verdict: {
      kind: "failed",
      error: {
        message:
          "The result can't be stored: a baseline can't store a symbol at \"output.total\". Convert it to plain data",
      },
    },
    update: undefined,
  });
});

test("compares a result only with a baseline that matches its hashes", async () => {
  const lib = await captured();
  const baseline = only(lib);
  const path = lib.all("read")[0]?.path ?? "";
  putBaseline(path, serializeBaseline({ ...baseline, output: { total: 10 } }));
  const check = await checkStepResult(
    unwrap(await run(step, { text: "a" }, { adapters: live })),
    { details: {}, label: "label" },
    lib,
  );
  expect([check.verdict.kind, check.update]).toStrictEqual(["broken", undefined]);
});

test("a value is missing, clean, clean by key, changed, or refused without a stored form", () => {
  const lib = library();
  const question = { test: "a.test.ts", details: { name: "claims" }, keyBy: { claims: "id" } };
  const claims = (...ids: string[]): object => ({ claims: ids.map((id) => ({ id })) });
  accept(checkValue(claims("a", "b"), question, lib));
  expect(checkValue(claims("b", "a"), question, lib)).toMatchObject({ verdict: { kind: "clean" }, update: undefined });
  expect(checkValue(claims("b", "a"), { ...question, keyBy: {} }, lib).verdict.kind).toBe("value_changed");
  const changed = checkValue(claims("a"), question, lib);
  expect(changed.verdict).toMatchObject({
    changes: [{ diff: { entries: [{ path: ["claims", "b"], before: { id: "b" }, after: undefined }] } }],
  });
  expect(changed.update?.propose()).toMatchObject({ kind: "update" });
  expect(checkValue(claims("a", "a"), { ...question, details: { name: "new" } }, lib)).toMatchObject({
    verdict: { kind: "failed", error: { code: "normalization_failed" } },
    update: undefined,
  });
  expect(checkValue(claims("a", "a"), question, lib)).toMatchObject({
    verdict: { kind: "failed", error: { code: "normalization_failed" } },
    update: undefined,
  });
  expect(checkValue(() => 1, question, lib)).toMatchObject({
    verdict: {
      kind: "failed",
      error: {
        message: "The value can't be stored: a baseline can't store a function at \"(root)\". Convert it to plain data",
      },
    },
    update: undefined,
  });
});

test("an update keeps labels and meta that the test doesn't set", async () => {
  const lib = await captured({ details: { labels: ["eu"], meta: { pages: 1 } } });
  const result = unwrap(await run(step, { text: "a" }, { adapters: { llm: { ask: async () => 10 } } }));
  expect(proposed(await checkStepResult(result, { details: {}, label: "label" }, lib))).toMatchObject({
    labels: ["eu"],
    meta: { pages: 1 },
  });
  expect(proposed(await checkStepResult(result, { details: { labels: [] }, label: "label" }, lib))).toMatchObject({
    labels: [],
    meta: { pages: 1 },
  });
  accept(checkValue(1, { test: "a.test.ts", details: { name: "n", labels: ["eu"] }, keyBy: {} }, lib));
  expect(proposed(checkValue(2, { test: "a.test.ts", details: { name: "n" }, keyBy: {} }, lib))).toMatchObject({
    labels: ["eu"],
  });
});

test("a value's baseline that was edited by hand is broken", () => {
  const lib = library();
  store(lib, { ...createValueBaseline(1, { test: "a.test.ts", name: "n" }), value: 2 });
  const { verdict, file } = checkValue(2, { test: "a.test.ts", details: { name: "n" }, keyBy: {} }, lib);
  expect(verdict).toStrictEqual({
    kind: "broken",
    problem: `Cannot use ${file}: hash mismatch of value. ${EDITED}`,
  });
});

test("makes no update of content that wouldn't read back", async () => {
  const check = await ask(step, library(), { adapters: live, details: { meta: { score: Number.NaN } } });
  expect(() => check.update?.propose()).toThrow(
    new TypeError('the new baseline can\'t be read back: "meta" is not an object of strings, numbers and booleans.'),
  );
});
