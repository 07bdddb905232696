import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { type BaselineLibrary, type StoredCase, openLibrary } from "../../baseline/baseline-library.ts";
import { within } from "../../kernel/diff/tolerances.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import type { Cause, CauseKind } from "./cause.ts";
import { causeLine } from "../../explain/cause-line.ts";
import type { RoleRules } from "../../kernel/call-role.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import { run } from "../../kernel/step/run.ts";
import type { Check } from "../check.ts";
import { checkStepResult } from "../check-step-result.ts";
import { checkInputCase, checkStoredCase } from "../../../test-support/check-stored-case.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";

interface Llm {
  ask(request: {
    readonly prompt: string;
    readonly model?: string;
  }): Promise<{ readonly id: number; readonly text: string }>;
  rate(text: string): Promise<number>;
}

/** The world of the fixtures: each kind that is among the changes is as it is today, every other one as it was. */
function stepOf(changes: readonly string[]): AnyStep {
  const has = (change: string): boolean => changes.includes(change);
  const tone = has("schema") ? z.string().default("dry") : z.string().optional();
  return defineStep({
    name: "summarize",
    input: z.object({ text: has("refusal") ? z.string().max(1) : z.string(), tone }),
    output: z.object({
      summary: z.string(),
      score: has("bound") ? z.number().max(4) : z.number(),
      tone: z.string(),
      at: z.number().optional(),
    }),
    run: async (input, { adapters }: StepContext<{ llm: Llm }>) => {
      const prompt = `${has("prompt") ? "Briefly" : "Please"} summarize: ${input.text}`;
      const { text } = await adapters.llm.ask({ prompt, ...(has("name") ? { model: "large" } : { model: "small" }) });
      const score = has("dropped") ? 5 : await adapters.llm.rate(has("follow") ? text : input.text);
      const summary = has("code") ? text.toUpperCase() : text;
      if (has("more")) await adapters.llm.ask({ prompt: `Is it good? ${text}`, model: "small" });
      if (has("throws")) throw new Error("unfit");
      return {
        output: { summary, score, tone: input.tone ?? "none", ...(has("unstable") ? { at: Math.random() } : {}) },
      };
    },
  });
}

let calls = 0;

/** A provider: every answer has an id of its own, as real ones have, which nothing depends on. */
function providerOf(changes: readonly string[]): { llm: Llm } {
  const drifted = changes.includes("model");
  return {
    llm: {
      ask: async ({ prompt, model }) => ({
        id: (calls += 1),
        text: `${prompt.startsWith("Briefly") ? "short" : "long"} ${model === "large" ? "fine " : ""}text`,
      }),
      rate: async (text) => (drifted ? 7 : text.length),
    },
  };
}

async function stored(): Promise<{ readonly library: BaselineLibrary; readonly found: StoredCase }> {
  const library = openLibrary(join(temporaryProject("cause"), "__baselines__"));
  const check = await checkInputCase(
    stepOf([]),
    { input: { text: "a b c" }, label: "case", mayCapture: true, adapters: providerOf([]) },
    library,
  );
  const update = check.update?.propose();
  putBaseline(check.path, update?.after ?? "");
  const [found] = library.all("summarize");
  return { library, found: found ?? raise() };
}

async function checked(changes: readonly string[], live: boolean): Promise<Check> {
  const { library, found } = await stored();
  return checkStoredCase(stepOf(changes), found, {
    root: library.root,
    ...(live ? { adapters: providerOf(changes) } : {}),
  });
}

async function causeOf(changes: readonly string[], live: boolean): Promise<Cause | undefined> {
  const { verdict } = await checked(changes, live);
  return "cause" in verdict ? verdict.cause : undefined;
}

const kindsOf = (cause: Cause | undefined): readonly CauseKind[] => [
  ...new Set(cause?.evidence.map(({ kind }) => kind)),
];

const KINDS = ["code", "prompt", "model", "schema"] as const;
const EVERY_SET = KINDS.reduce<CauseKind[][]>(
  (sets, kind) => [...sets, ...sets.map((set) => [...set, kind])],
  [[]],
).filter((set) => set.length > 0);

test.each(
  EVERY_SET.map((set) => [set.join(" and "), set] as const),
)("with live adapters the cause is %s if only that changed", async (_title, set) => {
  const cause = await causeOf(set, true);
  expect(kindsOf(cause)).toStrictEqual(set);
  expect(cause?.kind).toBe(set.length === 1 ? set[0] : "mixed");
});

const OFFLINE = EVERY_SET.filter((set) => !set.includes("model"));

test.each(
  OFFLINE.map((set) => [set.join(" and "), set] as const),
)("with recorded calls the cause is %s if only that changed", async (_title, set) => {
  const check = await checked(set, false);
  expect(check.verdict.kind).toBe(set.includes("prompt") ? "request_changed" : "value_changed");
  expect(check.findings.source).toBe("recorded");
  expect(kindsOf("cause" in check.verdict ? check.verdict.cause : undefined)).toStrictEqual(set);
});

test("finds no cause without a change, even if other parts of the responses differ", async () => {
  expect((await checked([], true)).verdict).toStrictEqual({ kind: "clean" });
});

test("names each cause with its evidence", async () => {
  const cause = await causeOf(KINDS, true);
  expect(cause).toStrictEqual({
    kind: "mixed",
    evidence: [
      { kind: "code", entries: [{ path: ["summary"], before: "long text", after: "LONG TEXT" }] },
      {
        kind: "prompt",
        requests: [
          {
            kind: "changed",
            adapter: "llm.ask",
            entries: [
              { path: ["request", 0, "prompt"], before: "Please summarize: a b c", after: "Briefly summarize: a b c" },
            ],
          },
        ],
      },
      {
        kind: "model",
        requests: [],
        responses: [{ adapter: "llm.rate", entries: [{ path: ["response"], before: 5, after: 7 }] }],
      },
      { kind: "schema", entries: [{ path: ["tone"], before: undefined, after: "dry" }], violations: [] },
    ],
  });
});

test("a request with another model has the cause model, not prompt; with another prompt it has both", async () => {
  for (const live of [true, false]) {
    const named = await causeOf(["name"], live);
    expect(named).toMatchObject({
      kind: "model",
      evidence: [
        {
          requests: [{ entries: [{ path: ["request", 0, "model"], before: "small", after: "large" }] }],
          responses: [],
        },
      ],
    });
    expect(kindsOf(await causeOf(["name", "prompt"], live))).toStrictEqual(["prompt", "model"]);
  }
});

/** A step that asks one thing, of a model that is named in some way. */
function askingOf(...request: readonly unknown[]): AnyStep {
  return defineStep({
    name: "asking",
    input: z.object({}),
    output: z.object({ said: z.string() }),
    run: async (
      _input,
      { adapters }: StepContext<{ llm: { ask(...request: readonly unknown[]): Promise<string> } }>,
    ) => ({
      output: { said: await adapters.llm.ask(...request) },
    }),
  });
}

const EXAMPLES = ["one", "two", "three", "four"].map((content) => ({ role: "user", content: `Example ${content}.` }));
const CONVERSATION = [
  { role: "user", content: "What does Ada owe?" },
  { role: "assistant", content: "I look it up." },
  { role: "tool", content: "Ada owes 7." },
];

const ECHO = { llm: { ask: async (...request: readonly unknown[]) => JSON.stringify(request) } };

async function kindOf(before: readonly unknown[], after: readonly unknown[]): Promise<CauseKind | "mixed" | undefined> {
  const root = join(temporaryProject("cause"), "__baselines__");
  const library = openLibrary(root);
  const question = { input: {}, label: "case", mayCapture: true, adapters: ECHO };
  const captured = await checkInputCase(askingOf(...before), question, library);
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const [found] = library.all("asking");
  if (found === undefined) throw new Error("nothing is stored");
  const { verdict } = await checkStoredCase(askingOf(...after), found, { root, adapters: ECHO });
  return "cause" in verdict ? verdict.cause?.kind : undefined;
}

test.each<[what: string, before: readonly unknown[], after: readonly unknown[], kind: CauseKind | "mixed"]>([
  ["model_name", [{ model_name: "a" }], [{ model_name: "b" }], "model"],
  ["a deployment", [{ deployment: "a", prompt: "x" }], [{ deployment: "b", prompt: "x" }], "model"],
  ["deploymentId", [{ deploymentId: "a" }], [{ deploymentId: "b" }], "model"],
  ["an option deep in a request", [{ options: { modelVersion: "1" } }], [{ options: { modelVersion: "2" } }], "model"],
  ["a model that is an object", [{ model: { name: "a", t: 1 } }], [{ model: { name: "b", t: 1 } }], "model"],
  ["an argument", ["gpt-5-mini", "Hi."], ["gpt-5", "Hi."], "model"],
  ["an argument with its provider", ["anthropic/claude-opus-5"], ["anthropic/claude-haiku-5"], "model"],
  ["both", [{ deployment: "a", prompt: "x" }], [{ deployment: "b", prompt: "y" }], "mixed"],
  ["a name of something else", [{ customer: { name: "a" } }], [{ customer: { name: "b" } }], "prompt"],
  ["a temperature of the model", [{ model: { name: "a", t: 1 } }], [{ model: { name: "a", t: 2 } }], "prompt"],
  ["an argument that is a text", ["gpt-5 is a model"], ["claude is a model"], "prompt"],
  ["an argument that names a plan", ["basic"], ["premium"], "prompt"],
  [
    "examples before a tool's result",
    [{ messages: [...EXAMPLES, ...CONVERSATION] }],
    [{ messages: CONVERSATION }],
    "prompt",
  ],
  ["a tool's result", [{ messages: CONVERSATION }], [{ messages: CONVERSATION.slice(0, 2) }], "code"],
])("a change of %s in a request has its own cause", async (_what, before, after, kind) => {
  expect(await kindOf(before, after)).toBe(kind);
});

test.each([
  ["a row of a database", "db.find", { id: 4 }, {}, "response"],
  ["a tool", "tools.lookup", "Oslo", {}, "response"],
  ["an adapter that is named after a model", "claude.query", "Oslo", {}, "model"],
  ["an adapter that is declared a model", "gpt.ask", "Oslo", { gpt: "model" as const }, "model"],
  [
    "an adapter that takes prose",
    "assistant.say",
    "Please write a friendly letter to the customer and tell her that we are sorry.",
    {},
    "model",
  ],
])("another response of %s has its own cause", async (_what, path, request, roles, kind) => {
  const [name = "", method = ""] = path.split(".");
  const step: AnyStep = defineStep({
    name: "ask",
    input: z.object({}),
    output: z.object({ found: z.string() }),
    roles,
    run: async (
      _input,
      { adapters }: StepContext<Record<string, Record<string, (given: unknown) => Promise<string>>>>,
    ) => ({
      output: { found: (await adapters[name]?.[method]?.(request)) ?? "" },
    }),
  });
  const answering = (found: string) => ({ [name]: { [method]: async () => found } });
  const library = openLibrary(join(temporaryProject("response"), "__baselines__"));
  const captured = await checkInputCase(
    step,
    { input: {}, label: "case", mayCapture: true, adapters: answering("a") },
    library,
  );
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const [stored] = library.all("ask");
  if (stored === undefined) throw new Error("nothing is stored");
  const { verdict } = await checkStoredCase(step, stored, { root: library.root, adapters: answering("b") });
  expect(verdict).toMatchObject({
    kind: "value_changed",
    cause: { kind, evidence: [{ responses: [{ adapter: path }] }] },
  });
});

test("a request that follows from a changed response isn't a changed prompt", async () => {
  const { library, found } = await stored();
  const follow = stepOf(["follow"]);
  const captured = await checkStoredCase(follow, found, { root: library.root, adapters: providerOf([]) });
  putBaseline(found.path, captured.update?.propose().after ?? "");
  const [again = found] = library.all("summarize");
  const drifted = { llm: { ...providerOf([]).llm, ask: async () => ({ id: 1, text: "something else" }) } };
  const { verdict } = await checkStoredCase(follow, again, { root: library.root, adapters: drifted });
  expect(verdict).toMatchObject({
    kind: "value_changed",
    cause: { kind: "model", evidence: [{ responses: [{ adapter: "llm.ask" }] }] },
  });
});

test("a call that is no longer made is a changed request, even in a clean case", async () => {
  const dropped = await checked(["dropped"], true);
  expect(dropped.verdict).toMatchObject({
    kind: "clean",
    cause: { kind: "code", evidence: [{ calls: [{ kind: "dropped", adapter: "llm.rate", entries: [] }] }] },
  });
  const offline = await checked(["dropped"], false);
  expect([offline.verdict, offline.findings.uncalled]).toStrictEqual([{ kind: "clean" }, ["llm.rate"]]);
});

test("an input that the current schema refuses is the schema; what the code does meanwhile is still reported", async () => {
  expect(await causeOf(["refusal"], true)).toMatchObject({
    kind: "schema",
    evidence: [{ violations: [{ path: ["input", "text"] }] }],
  });
  expect(kindsOf(await causeOf(["refusal", "code"], false))).toStrictEqual(["code", "schema"]);
});

test("an unchanged output that is now refused has the cause schema; a changed one doesn't", async () => {
  expect(await causeOf(["bound"], false)).toMatchObject({
    kind: "schema",
    evidence: [{ violations: [{ path: ["score"] }] }],
  });
  const { library, found } = await stored();
  const worse = { llm: { ...providerOf([]).llm, rate: async () => Number.NaN } };
  const { verdict } = await checkStoredCase(stepOf([]), found, { root: library.root, adapters: worse });
  expect(verdict).toMatchObject({ kind: "schema_violation", cause: { kind: "model" } });
});

test("a field of the output that is named input changes by the code", async () => {
  const step = (text: string): AnyStep =>
    defineStep({
      name: "summarize",
      input: z.object({ text: z.string(), tone: z.string().optional() }),
      output: z.object({ input: z.string().max(5) }),
      run: async () => ({ output: { input: text } }),
    });
  const library = openLibrary(join(temporaryProject("cause"), "__baselines__"));
  const captured = await checkInputCase(
    step("abc"),
    { input: { text: "a" }, label: "case", mayCapture: true },
    library,
  );
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const [found] = library.all("summarize");
  const { verdict } = await checkStoredCase(step("abcdefgh"), found ?? raise(), { root: library.root });
  expect(verdict).toMatchObject({ kind: "schema_violation", cause: { kind: "code" } });
});

test("a changed result isn't blamed on the time because another part varies that is tolerated", async () => {
  const step = (total: number): AnyStep =>
    defineStep({
      name: "summarize",
      input: z.object({ text: z.string(), tone: z.string().optional() }),
      output: z.object({ total: z.number(), at: z.number() }),
      compare: { at: within(Number.MAX_SAFE_INTEGER) },
      run: async () => ({ output: { total, at: Date.now() } }),
    });
  const library = openLibrary(join(temporaryProject("cause"), "__baselines__"));
  const captured = await checkInputCase(step(12), { input: { text: "a" }, label: "case", mayCapture: true }, library);
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const [found] = library.all("summarize");
  const { verdict } = await checkStoredCase(step(15), found ?? raise(), { root: library.root });
  expect("cause" in verdict && verdict.cause?.evidence).toStrictEqual([
    { kind: "code", entries: [{ path: ["total"], before: 12, after: 15 }] },
  ]);
});

function raise(): never {
  throw new Error("nothing is stored");
}

test("a step that differs from run to run is reported as that, with recorded and with live answers", async () => {
  expect(await causeOf(["unstable"], false)).toMatchObject({ kind: "code" });
  expect(await causeOf(["unstable"], true)).toMatchObject({
    kind: "code",
    evidence: [{ unstable: true, entries: [{ path: ["at"] }] }],
  });
});

test("code that can no longer read the recorded responses has the cause code", async () => {
  const { library, found } = await stored();
  const strict = defineStep({
    name: "summarize",
    input: z.object({ text: z.string() }),
    output: z.object({ summary: z.string(), score: z.number(), tone: z.string() }),
    run: async ({ text }, { adapters }: StepContext<{ llm: Llm }>) => {
      const answer = await adapters.llm.ask({ prompt: `Please summarize: ${text}`, model: "small" });
      if (answer.id < 0 || !answer.text.startsWith("{")) throw new Error("no JSON");
      return { output: { summary: answer.text, score: await adapters.llm.rate(text), tone: "none" } };
    },
  });
  const json = { llm: { ...providerOf([]).llm, ask: async () => ({ id: 1, text: "{}" }) } };
  const { verdict } = await checkStoredCase(strict, found, { root: library.root, adapters: json });
  expect(verdict).toMatchObject({
    kind: "value_changed",
    cause: { evidence: [{ kind: "code", ended: "it fails with the recorded responses: execution_failed: no JSON" }] },
  });
});

test("a use of the response to a changed request belongs to that request", async () => {
  const library = openLibrary(join(temporaryProject("cause"), "__baselines__"));
  const reads = (prompt: string): AnyStep =>
    defineStep({
      name: "read",
      input: z.object({}),
      output: z.object({ text: z.string() }),
      roles: { ask: "model" },
      run: async (_input, { adapters }: StepContext<{ ask: (prompt: string) => Answer }>) => ({
        output: { text: await adapters.ask(prompt).finalText() },
      }),
    });
  /** As SDKs answer: a stream that gives its whole text too. */
  interface Answer extends AsyncIterable<string> {
    finalText(): Promise<string>;
  }
  const adapters = {
    ask: (): Answer => ({
      async *[Symbol.asyncIterator]() {
        yield "an answer";
      },
      finalText: async () => "an answer",
    }),
  };
  const captured = await checkInputCase(
    reads("Read it."),
    { input: {}, label: "case", mayCapture: true, adapters },
    library,
  );
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const [found] = library.all("read");
  if (found === undefined) throw new Error("nothing is stored");
  for (const live of [{}, { adapters }]) {
    const { verdict } = await checkStoredCase(reads("Read it all."), found, { root: library.root, ...live });
    expect(verdict).toMatchObject({
      cause: { kind: "prompt", evidence: [{ requests: [{ kind: "changed", adapter: "ask" }] }] },
    });
  }
});

interface Shop {
  db: { get(): Promise<{ readonly price: number }> };
  llm: { chat(prompt: string): Promise<{ readonly text: string }> };
}

test.each([
  ["a changed row, if the model's text has no effect", ["price"], "response", ["db.get"]],
  ["a changed text, if the row has no effect", ["text"], "model", ["llm.chat"]],
  ["both, if both have an effect", ["price", "text"], "mixed", ["llm.chat", "db.get"]],
] as const)("the cause in a live run is %s", async (_title, fields, kind, adapters) => {
  const shop = defineStep({
    name: "shop",
    input: z.object({}),
    output: z.object({ price: z.number().optional(), text: z.string().optional() }),
    run: async (_input, ctx: StepContext<Shop>) => {
      const { price } = await ctx.adapters.db.get();
      const { text } = await ctx.adapters.llm.chat("Describe it.");
      const all = { price, text };
      return { output: Object.fromEntries(fields.map((field) => [field, all[field]])) };
    },
  });
  const shopOf = (price: number, text: string): Shop => ({
    db: { get: async () => ({ price }) },
    llm: { chat: async () => ({ text }) },
  });
  const library = openLibrary(join(temporaryProject("cause"), "__baselines__"));
  const captured = await checkInputCase(
    shop,
    { input: {}, label: "case", mayCapture: true, adapters: shopOf(1, "Fine.") },
    library,
  );
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const [found] = library.all("shop");
  if (found === undefined) throw new Error("nothing is stored");
  const { verdict } = await checkStoredCase(shop, found, { root: library.root, adapters: shopOf(2, "Good.") });
  if (!("cause" in verdict) || verdict.cause === undefined) throw new Error("there is no cause");
  const { evidence } = verdict.cause;
  const named = evidence.flatMap((each) => ("responses" in each ? each.responses.map(({ adapter }) => adapter) : []));
  expect([verdict.cause.kind, named]).toStrictEqual([kind, adapters]);
});

test("finds no cause for a baseline without calls, a result, and a changed input", async () => {
  const { library } = await stored();
  const result = await run(stepOf([]), { text: "d" }, { adapters: providerOf([]) });
  if (!result.ok) throw new Error(result.error.message);
  const capture = await checkStepResult(result.value, { details: { name: "bare" }, label: "bare" }, library);
  putBaseline(capture.path, capture.update?.propose().after ?? "");
  const bare = library.all("summarize").find(({ file }) => file.includes("bare"));
  if (bare === undefined) throw new Error("nothing is stored");
  const { verdict } = await checkStoredCase(stepOf(["code"]), bare, { root: library.root, adapters: providerOf([]) });
  expect(verdict).toMatchObject({ kind: "value_changed" });
  expect("cause" in verdict).toBe(false);
  const changed = await checkStepResult(
    { ...result.value, output: { summary: "x" } },
    { details: { name: "bare" }, label: "bare" },
    library,
  );
  expect("cause" in changed.verdict).toBe(false);
});

test.each([
  ["recorded calls", false],
  ["live adapters", true],
])("code with an additional call has both causes with %s; such a call alone is a prompt", async (_title, live) => {
  for (const [changes, kinds] of [
    [["more"], ["prompt"]],
    [
      ["more", "code"],
      ["code", "prompt"],
    ],
  ] as const)
    expect(kindsOf(await causeOf(changes, live))).toStrictEqual(kinds);
});

test("blames a step that fails on the recorded responses, but not one that fails on others", async () => {
  const { library, found } = await stored();
  const failing = { llm: { ...providerOf([]).llm, ask: () => Promise.reject(new Error("503")) } };
  const outage = await checkStoredCase(stepOf([]), found, { root: library.root, adapters: failing });
  expect(outage.verdict).toMatchObject({
    kind: "failed",
    error: { message: "503" },
    cause: { kind: "model", evidence: [{ kind: "model", responses: [{ adapter: "llm.ask" }] }] },
  });
  for (const live of [{ mode: "replay" as const }, { adapters: providerOf([]) }]) {
    const { verdict } = await checkStoredCase(stepOf(["throws"]), found, { root: library.root, ...live });
    expect(verdict).toStrictEqual({
      kind: "failed",
      error: { code: "execution_failed", message: "unfit", retryable: false, cause: expect.any(Error) },
      cause: { kind: "code", evidence: [{ kind: "code", entries: [], ended: "it fails with the recorded responses" }] },
    });
  }
});

/** Adapters by name, each with methods of one argument. */
type Named = Record<string, Record<string, (given: unknown) => Promise<string>>>;

/** Checks a step that calls `path` now, after a capture without the call; `isLive` with adapters that don't have it. */
async function checkNewCall(path: string, roles: RoleRules, isLive: boolean): Promise<Check> {
  const [name = "", method = ""] = path.split(".");
  const stepWith = (calls: boolean): AnyStep =>
    defineStep({
      name: "ask",
      input: z.object({}),
      output: z.object({ text: z.string() }),
      roles,
      run: async (_input, context: StepContext<Named>) => {
        const service = context.adapters[name] ?? {};
        await service["find"]?.(1);
        const target: (given: unknown) => Promise<string> = Reflect.get(service, calls ? method : "find");
        return { output: { text: await target(calls ? PROSE : 1) } };
      },
    });
  const adapters = { [name]: { find: async () => "row" } };
  const root = join(temporaryProject("new-call"), "__baselines__");
  const library = openLibrary(root);
  const captured = await checkInputCase(
    stepWith(false),
    { input: {}, label: "case", mayCapture: true, adapters },
    library,
  );
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const [known] = library.all("ask");
  if (known === undefined) throw new Error("nothing is stored");
  return checkStoredCase(stepWith(true), known, { root, ...(isLive && { adapters }) });
}

const PROSE = "Please write a friendly letter to the customer and tell her that we are very sorry.";

test.each<[string, RoleRules, boolean]>([
  ["desk.write", {}, true],
  ["desk.write", { "desk.write": "write" }, false],
  ["desk.write", { desk: "read" }, false],
  ["tools.mail", {}, false],
])("asks if a new call of %s with prose and roles %j is a model's: %s", async (path, roles, isAsked) => {
  const { verdict } = await checkNewCall(path, roles, false);
  const line = "cause" in verdict && verdict.cause !== undefined ? causeLine(verdict.cause, verdict) : "";
  const hint = isAsked ? `. Is ${path} a model? If so, set roles: { "${path}": "model" }` : "";
  expect(line).toBe(
    `cause: code (with the same responses, it sends different requests: 1 call to ${path}, a new adapter${hint})`,
  );
});

test.each(["tools.delete_user", "db.drop"])("a call of %s, which doesn't exist, fails with its name", async (path) => {
  const { verdict } = await checkNewCall(path, {}, true);
  expect(verdict).toMatchObject({
    kind: "failed",
    error: { message: expect.stringContaining(` is not a function: there is no adapter "${path}"`) },
  });
});

test("follows one edited line of a prompt through all later requests within one run", async () => {
  const rules = Array.from({ length: 400 }, (_, index) => `Rule ${index}: answer the customer's question.`);
  let runs = 0;
  const triage = (line: string): AnyStep =>
    defineStep({
      name: "triage",
      input: z.object({ tickets: z.array(z.string()) }),
      output: z.object({ answers: z.array(z.string()) }),
      run: async ({ tickets }, { adapters }: StepContext<{ llm: Llm }>) => {
        runs += 1;
        const answers: string[] = [];
        for (const ticket of tickets) {
          const prompt = [...rules.slice(0, 200), line, ...rules.slice(200), ticket].join("\n");
          answers.push((await adapters.llm.ask({ prompt })).text);
        }
        return { output: { answers } };
      },
    });
  const tickets = Array.from({ length: 24 }, (_, index) => `Ticket ${index}`);
  const library = openLibrary(join(temporaryProject("cause"), "__baselines__"));
  const captured = await checkInputCase(
    triage("Be short."),
    { input: { tickets }, label: "case", mayCapture: true, adapters: providerOf([]) },
    library,
  );
  putBaseline(captured.path, captured.update?.propose()?.after ?? "");
  const [found] = library.all("triage");
  if (found === undefined) throw new Error("nothing is stored");
  runs = 0;
  const { verdict } = await checkStoredCase(triage("Be kind."), found, { root: library.root });
  // One stops at the first request, one gives that request its response, and the check has run once before.
  expect(runs).toBe(3);
  const cause = "cause" in verdict ? verdict.cause : undefined;
  expect(cause?.kind).toBe("prompt");
  const [prompts] = cause?.evidence ?? [];
  expect(prompts?.kind === "prompt" ? prompts.requests.map(({ kind }) => kind) : []).toStrictEqual(
    tickets.map(() => "changed"),
  );
});
