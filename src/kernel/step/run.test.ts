import { expect, test } from "vitest";
import { ZodError, z } from "zod";
import { hashValueSync } from "../json/hash.ts";
import { captureArtifact } from "../../record/snapshot.ts";
import type { Artifact } from "./artifact.ts";
import { emit } from "./command.ts";
import { type StepContext, createContextFactory } from "./context.ts";
import { type AnyStep, defineStep } from "./define-step.ts";
import { type StepFailure, fail } from "./fail.ts";
import { run, runStep } from "./run.ts";
import type { Schema } from "./schema.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const measure = defineStep({
  name: "measure",
  input: z.object({ text: z.string() }),
  output: z.object({ length: z.number(), unit: z.string().default("characters"), note: z.string() }),
  partial: true,
  run: ({ text }) => ({ output: { length: text.length } }),
});

/** A step whose `run` answers with any value at all, as a program without types may. */
function answering(answer: (ctx: StepContext) => unknown): AnyStep {
  const step: AnyStep = { ...measure, run: () => ({ output: {} }) };
  Reflect.set(step, "run", (_input: unknown, ctx: StepContext) => answer(ctx));
  return step;
}

/** Throws what no linter lets one throw by hand. */
function throwing(thrown: unknown): AnyStep {
  return answering(() => {
    throw thrown;
  });
}

test("a result has all data of the run, with a default identity", async () => {
  const result = await run(measure, { text: "abc" });
  const { runId, ...rest } = result.ok ? result.value : { runId: "" };
  expect(runId).toMatch(UUID);
  expect(rest).toStrictEqual({
    input: { text: "abc" },
    output: { length: 3, unit: "characters" },
    events: [],
    artifacts: [],
    stepName: "measure",
    workflowId: "measure",
    workflowVersion: "0.0.0",
  });
});

test("two runs have two run ids", async () => {
  const [first, second] = [await run(measure, { text: "a" }), await run(measure, { text: "a" })];
  expect(first.ok && second.ok && first.value.runId !== second.value.runId).toBe(true);
});

test("the identity of the run is in the result and in the step's context", async () => {
  const identity = { workflowId: "claims", workflowVersion: "2.0.0", runId: "r1" };
  const seen: object[] = [];
  const step = answering(({ workflowId, workflowVersion, runId }) => {
    seen.push({ workflowId, workflowVersion, runId });
    return { output: {} };
  });
  const result = await run(step, { text: "a" }, { ...identity });
  expect(seen).toStrictEqual([identity]);
  expect(result).toMatchObject({ ok: true, value: identity });
});

test("an input that the schema refuses is input_validation, and the step doesn't run", async () => {
  let ran = false;
  const step = defineStep({
    name: "nested",
    input: z.object({ a: z.string(), b: z.object({ c: z.number() }) }),
    output: z.object({}),
    run: () => {
      ran = true;
      return { output: {} };
    },
  });
  const input: unknown = { b: { c: "x" } };
  const untyped: AnyStep = step;
  const result = await run(untyped, input);
  expect(result).toMatchObject({
    ok: false,
    error: {
      code: "input_validation",
      message:
        "a: Invalid input: expected string, received undefined; b.c: Invalid input: expected number, received string",
      retryable: false,
    },
  });
  expect(!result.ok && result.error.cause).toBeInstanceOf(ZodError);
  expect(ran).toBe(false);
});

test("run gets the parsed input, and the result keeps the given one", async () => {
  const step = defineStep({
    name: "parse",
    input: z.object({ n: z.string().transform(Number), lang: z.string().default("en") }),
    output: z.object({ seen: z.unknown() }),
    run: (input) => ({ output: { seen: input } }),
  });
  const result = await run(step, { n: "7" });
  expect(result.ok && [result.value.input, result.value.output]).toStrictEqual([
    { n: "7" },
    { seen: { n: 7, lang: "en" } },
  ]);
});

test("a step that changes its input doesn't change the recorded one", async () => {
  const step = defineStep({
    name: "mutate",
    input: z.custom<{ tags: string[]; when: Date }>(),
    output: z.object({}),
    run: (input) => {
      input.tags.push("more");
      input.when.setTime(9);
      return { output: {} };
    },
  });
  const result = await run(step, { tags: ["a"], when: new Date(0) });
  expect(result.ok && result.value.input).toStrictEqual({ tags: ["a"], when: new Date(0) });
});

test("a step may return a value or a promise", async () => {
  for (const step of [
    answering(() => ({ output: { length: 1 } })),
    answering(async () => ({ output: { length: 1 } })),
  ]) {
    const result = await run(step, { text: "a" });
    expect(result.ok && result.value.output).toStrictEqual({ length: 1, unit: "characters" });
  }
});

test("removes unknown keys of the output", async () => {
  const result = await run(
    answering(() => ({ output: { length: 1, debug: true } })),
    { text: "a" },
  );
  expect(result.ok && result.value.output).toStrictEqual({ length: 1, unit: "characters" });
});

test("an output without a required field is output_validation, unless the step is partial", async () => {
  const lacking = answering(() => ({ output: { length: 1 } }));
  expect((await run(lacking, { text: "a" })).ok).toBe(true);
  for (const partial of [false, undefined]) {
    const { partial: _partial, ...step } = lacking;
    expect(await run(partial === undefined ? step : { ...step, partial }, { text: "a" })).toMatchObject({
      ok: false,
      error: { code: "output_validation", message: "note: Invalid input: expected string, received undefined" },
    });
  }
});

test("an output that the schema refuses is output_validation", async () => {
  const result = await run(
    answering(() => ({ output: { length: "3", note: 4 } })),
    { text: "a" },
  );
  expect(result).toMatchObject({
    ok: false,
    error: {
      code: "output_validation",
      message:
        "length: Invalid input: expected number, received string; note: Invalid input: expected string, received number",
      retryable: false,
    },
  });
  expect(!result.ok && result.error.cause).toBeInstanceOf(ZodError);
});

test.each([
  [{ output: null }, "null"],
  [{ output: [] }, "array"],
  [{ output: "text" }, "string"],
  [{}, "undefined"],
])("the return value %j is output_validation with any schema", async (returned, kind) => {
  const anything: Schema<unknown, object> = {
    "~standard": { version: 1, vendor: "handmade", validate: () => ({ value: {} }) },
  };
  const error = {
    code: "output_validation",
    message: `(root): Invalid output: expected object, received ${kind}`,
    retryable: false,
  };
  for (const partialOutputSchema of [measure.partialOutputSchema, anything]) {
    expect(await run({ ...answering(() => returned), partialOutputSchema }, { text: "a" })).toStrictEqual({
      ok: false,
      error,
    });
  }
});

test.each([
  [undefined, "undefined"],
  [null, "null"],
  ["done", "string"],
  [[{ output: {} }], "array"],
])("a step that returns %j is execution_failed, never a rejection", async (returned, kind) => {
  const message = `Step "measure" returned ${kind}. Return { output } or fail(code, message).`;
  const error = { code: "execution_failed", message, retryable: false };
  for (const step of [answering(() => returned), answering(async () => returned)]) {
    expect(await run(step, { text: "a" })).toStrictEqual({ ok: false, error });
  }
});

test.each(["events", "commands"])("%s that aren't an array are execution_failed", async (list) => {
  const result = await run(
    answering(() => ({ output: {}, [list]: {} })),
    { text: "a" },
  );
  expect(result).toStrictEqual({
    ok: false,
    error: {
      code: "execution_failed",
      message: `Step "measure" returned ${list}, not an array.`,
      retryable: false,
    },
  });
});

test("a returned failure keeps its code, its message and its cause", async () => {
  const cause = new Error("socket closed");
  const failures: [StepFailure, object][] = [
    [fail("no_answer", "Nothing."), { code: "no_answer", message: "Nothing.", retryable: false }],
    [fail("busy", "Later.", { retryable: true, cause }), { code: "busy", message: "Later.", retryable: true, cause }],
    [fail({ code: "no_answer", message: "Nothing." }), { code: "no_answer", message: "Nothing.", retryable: false }],
    [
      { _tag: "StepFailure", code: "by_hand", message: "m" },
      { code: "by_hand", message: "m", retryable: false },
    ],
  ];
  for (const [failure, error] of failures) {
    expect(
      await run(
        answering(() => failure),
        { text: "a" },
      ),
    ).toStrictEqual({ ok: false, error });
    expect(
      await run(
        answering(async () => failure),
        { text: "a" },
      ),
    ).toStrictEqual({ ok: false, error });
  }
});

test.each([
  ["an Error", new TypeError("no such key"), "no such key"],
  ["a text", "no such key", "no such key"],
  ["a number", 404, "404"],
  ["null", null, "null"],
  ["an object with a message", { message: "no such key" }, "no such key"],
  ["an object without text", Object.create(null), "an object was thrown"],
  ["a failure", fail("no_answer", "Nothing."), "Nothing."],
])("a throw of %s is execution_failed with the thrown value as the cause", async (_what, thrown, message) => {
  const rejecting = answering(() => Promise.reject(thrown));
  for (const step of [throwing(thrown), rejecting]) {
    const result = await run(step, { text: "a" });
    expect(result).toStrictEqual({
      ok: false,
      error: { code: "execution_failed", message, retryable: false, cause: thrown },
    });
    expect(!result.ok && result.error.cause).toBe(thrown);
  }
});

test("a throw of undefined has no cause", async () => {
  expect(await run(throwing(undefined), { text: "a" })).toStrictEqual({
    ok: false,
    error: { code: "execution_failed", message: "undefined", retryable: false },
  });
});

test("emitted events come first, in order, then the returned ones", async () => {
  const step = answering(async (ctx) => {
    ctx.emitEvent({ type: "first" });
    await Promise.resolve();
    ctx.emitEvent({ type: "second", payload: { n: 1 } });
    return { output: {}, events: [{ type: "third" }, { type: "fourth" }] };
  });
  const result = await run(step, { text: "a" });
  expect(result.ok && result.value.events).toStrictEqual([
    { type: "first" },
    { type: "second", payload: { n: 1 } },
    { type: "third" },
    { type: "fourth" },
  ]);
});

test("keeps commands as returned, or none if the step returned none", async () => {
  const commands = [emit("b", 1), emit("a", 1)];
  const some = await run(
    answering(() => ({ output: {}, commands })),
    { text: "a" },
  );
  const empty = await run(
    answering(() => ({ output: {}, commands: [] })),
    { text: "a" },
  );
  const none = await run(
    answering(() => ({ output: {} })),
    { text: "a" },
  );
  expect([some, empty, none].map((result) => result.ok && result.value.commands)).toStrictEqual([
    commands,
    [],
    undefined,
  ]);
  expect(none.ok && "commands" in none.value).toBe(false);
});

test("emits step-output after all adapter artifacts, and the result has only the adapters' ones", async () => {
  const heard: Artifact[] = [];
  const log: string[] = [];
  const step = answering((ctx) => {
    ctx.onArtifact?.(captureArtifact("llm-input", "question"));
    ctx.onArtifact?.({ hash: hashValueSync("answer"), kind: "llm-output", content: "answer" });
    ctx.emitEvent({ type: "asked" });
    return { output: { length: 2 } };
  });
  const onArtifact = async (artifact: Artifact): Promise<void> => {
    log.push(`${artifact.kind} begins`);
    await Promise.resolve();
    heard.push(artifact);
    log.push(`${artifact.kind} ends`);
  };
  const result = await run(step, { text: "a" }, { onArtifact });
  const output = { output: { length: 2, unit: "characters" }, events: [{ type: "asked" }] };
  expect(heard).toStrictEqual([
    { hash: hashValueSync("question"), kind: "llm-input", content: "question" },
    { hash: hashValueSync("answer"), kind: "llm-output", content: "answer" },
    { hash: hashValueSync(output), kind: "step-output", content: output },
  ]);
  expect(log).toStrictEqual(
    ["llm-input", "llm-output", "step-output"].flatMap((kind) => [`${kind} begins`, `${kind} ends`]),
  );
  expect(result.ok && result.value.artifacts).toStrictEqual(heard.slice(0, 2));
});

test("a failed run has no step-output, but emits its adapter artifacts", async () => {
  const heard: string[] = [];
  const step = answering((ctx) => {
    ctx.onArtifact?.(captureArtifact("llm-input", "question"));
    return fail("no_answer", "Nothing.");
  });
  const result = await run(step, { text: "a" }, { onArtifact: ({ kind }) => void heard.push(kind) });
  expect([result.ok, heard]).toStrictEqual([false, ["llm-input"]]);
});

test.each([
  "step-output",
  "step-commands",
])("refuses an adapter's artifact of kind %s, hashed or still being hashed", async (kind) => {
  const message = `Artifact kind "${kind}" is reserved for veritest. Use a different kind, e.g. "llm-output".`;
  const artifact = await captureArtifact(kind, 1);
  const emitting = (emitted: Artifact | Promise<Artifact>): AnyStep =>
    answering((ctx) => {
      ctx.onArtifact?.(emitted);
      return { output: {} };
    });
  const cause = new TypeError(message);
  expect(await run(emitting(artifact), { text: "a" })).toStrictEqual({
    ok: false,
    error: { code: "execution_failed", message, retryable: false, cause },
  });
  expect(await run(emitting(Promise.resolve(artifact)), { text: "a" })).toStrictEqual({
    ok: false,
    error: {
      code: "execution_failed",
      message: `An artifact could not be stored: ${message}`,
      retryable: false,
      cause,
    },
  });
});

test("an adapter's artifact that can't be hashed is execution_failed", async () => {
  const step = answering((ctx) => {
    ctx.onArtifact?.(captureArtifact("llm-output", { n: 1n }));
    return { output: {} };
  });
  const result = await run(step, { text: "a" });
  expect(!result.ok && [result.error.code, result.error.message]).toStrictEqual([
    "execution_failed",
    'An artifact could not be stored: JSON cannot represent a bigint at "n". Convert it to plain data first',
  ]);
});

test("awaits asynchronous refinements of input and output", async () => {
  const even = z.number().refine(async (n) => n % 2 === 0, "odd");
  const step = defineStep({
    name: "async",
    input: z.object({ n: even }),
    output: z.object({ m: even, more: z.string() }),
    partial: true,
    run: ({ n }) => ({ output: { m: n / 2 } }),
  });
  const [good, badInput, badOutput] = [await run(step, { n: 4 }), await run(step, { n: 3 }), await run(step, { n: 6 })];
  expect(good.ok && good.value.output).toStrictEqual({ m: 2 });
  expect(!badInput.ok && [badInput.error.code, badInput.error.message]).toStrictEqual(["input_validation", "n: odd"]);
  expect(!badOutput.ok && [badOutput.error.code, badOutput.error.message]).toStrictEqual([
    "output_validation",
    "m: odd",
  ]);
});

test("a step with Standard Schemas other than zod runs and refuses equally", async () => {
  const text: Schema<string, string> = {
    "~standard": {
      version: 1,
      vendor: "handmade",
      validate: (value) =>
        typeof value === "string" ? { value } : { issues: [{ message: "no text", path: ["text"] }] },
    },
  };
  const output: Schema<object, object> = {
    "~standard": {
      version: 1,
      vendor: "handmade",
      validate: (value) => ({ value: { ...Object(value), checked: true } }),
    },
  };
  const step = defineStep({ name: "handmade", input: text, output, run: (input) => ({ output: { input } }) });
  const untyped: AnyStep = step;
  const [good, bad] = [await run(step, "a"), await run(untyped, 1)];
  expect(good.ok && good.value.output).toStrictEqual({ input: "a", checked: true });
  expect(bad).toStrictEqual({
    ok: false,
    error: {
      code: "input_validation",
      message: "text: no text",
      retryable: false,
      cause: [{ message: "no text", path: ["text"] }],
    },
  });
});

test("passes adapters to the step unchanged", async () => {
  const adapters = { llm: { complete: async (prompt: string) => prompt.toUpperCase() } };
  const step = defineStep({
    name: "shout",
    input: z.string(),
    output: z.object({ text: z.string(), same: z.boolean() }),
    run: async (input, ctx: StepContext<typeof adapters>) => ({
      output: { text: await ctx.adapters.llm.complete(input), same: ctx.adapters === adapters },
    }),
  });
  const result = await run(step, "a", { adapters });
  expect(result.ok && result.value.output).toStrictEqual({ text: "A", same: true });
});

test("runStep runs with a custom context", async () => {
  const usual = createContextFactory({ tag: "t" });
  const events: string[] = [];
  const heard: string[] = [];
  const step = defineStep({
    name: "tagged",
    input: z.string(),
    output: z.object({ tag: z.string() }),
    run: (_input, ctx: StepContext<{ tag: string }>) => {
      ctx.emitEvent({ type: "tagged" });
      return { output: { tag: ctx.adapters.tag } };
    },
  });
  const result = await runStep({
    step,
    input: "a",
    contextFactory: (metadata) => {
      const ctx = usual(metadata);
      return { ...ctx, emitEvent: (event) => (events.push(event.type), ctx.emitEvent(event)) };
    },
    workflowId: "w",
    workflowVersion: "1",
    runId: "r",
    onArtifact: ({ kind }) => void heard.push(kind),
  });
  expect(result.ok && result.value).toStrictEqual({
    input: "a",
    output: { tag: "t" },
    events: [{ type: "tagged" }],
    artifacts: [],
    stepName: "tagged",
    workflowId: "w",
    workflowVersion: "1",
    runId: "r",
  });
  expect([events, heard]).toStrictEqual([["tagged"], ["step-output"]]);
});

test("the default context works without an event handler", () => {
  const ctx = createContextFactory({})({ workflowId: "w", workflowVersion: "1", runId: "r" });
  expect(ctx.emitEvent({ type: "lost" })).toBeUndefined();
  expect("onArtifact" in ctx).toBe(false);
});

test("a step-output artifact has the commands, so that a snapshot of collected artifacts has them", async () => {
  const collected: Artifact[] = [];
  const step = answering(() => ({ output: { length: 1 }, commands: [emit("measured", 1)] }));
  await run(step, { text: "a" }, { onArtifact: (artifact) => void collected.push(artifact) });
  const content = { output: { length: 1, unit: "characters" }, events: [], commands: [emit("measured", 1)] };
  expect(collected).toStrictEqual([await captureArtifact("step-output", content)]);
});

test("an onArtifact that throws for the step-output is an error, not a rejection", async () => {
  const cause = new Error("disk full");
  const refuse = (): never => {
    throw cause;
  };
  expect(await run(measure, { text: "a" }, { onArtifact: refuse })).toStrictEqual({
    ok: false,
    error: { code: "execution_failed", message: "An artifact could not be stored: disk full", retryable: false, cause },
  });
});
