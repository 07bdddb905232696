import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { emit } from "../kernel/step/command.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { fail } from "../kernel/step/fail.ts";
import { run } from "../kernel/step/run.ts";
import { filterCases } from "./filter-cases.ts";
import "../vitest-types.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";

interface Llm {
  ask(prompt: string): unknown;
}

const stage = new MatcherStage(expect);

beforeEach(() => {
  stage.begin();
  stage.holds = true;
});

/** Outcomes of the run's checks, as the run's log has them. */
function noted(): readonly string[] {
  return stage.checks.map(({ verdict: { kind }, update }) => {
    if (update?.state !== "toWrite") return kind;
    return kind === "missing" ? "captured" : "updated";
  });
}

type Run = (
  input: { readonly text: string },
  ctx: StepContext<{ llm: Llm }>,
) => Promise<{
  output: { total?: string; more?: Record<string, string> };
  commands?: readonly ReturnType<typeof emit>[];
}>;

function stepOf(today: Run, name = "read"): AnyStep {
  const output = z.object({ total: z.string(), more: z.record(z.string(), z.string()).optional() });
  return defineStep({ name, input: z.object({ text: z.string() }), output, run: today });
}

const answer: Run = async ({ text }, { adapters }) => ({
  output: { total: String(await adapters.llm.ask(`total of ${text}`)) },
});
const step = stepOf(answer);
const live = { llm: { ask: async () => "9.00" } };
const input = { text: "a" };

async function capture(...texts: readonly string[]): Promise<void> {
  for (const text of texts) await expect(step).toMatchBaseline({ input: { text }, adapters: live, name: text });
  stage.settle("new");
}

test("captures a step's case under its name, or the test's, and compares from then on", async () => {
  await expect(step).toMatchBaseline({ input, adapters: live });
  await expect(step).toMatchBaseline({ input, adapters: live, name: "march", labels: ["eu"], meta: { pages: 1 } });
  expect(noted()).toStrictEqual(["captured", "captured"]);
  stage.settle("none");
  expect(readdirSync(join(stage.root, "read")).map((name) => name.replace(/-[0-9a-f]{8}\./, "."))).toStrictEqual([
    "march.json",
    "the-test.json",
  ]);
  await expect(step).toMatchBaseline({ input });
  await expect(step).toMatchBaseline({ input, adapters: live, name: "march" });
  expect(noted()).toStrictEqual(["clean", "clean"]);
});

test("with -u a change passes and is staged; a different second result for the case fails", async () => {
  await capture("a");
  stage.mode = "all";
  await expect(step).toMatchBaseline({ input, adapters: { llm: { ask: async () => "10.00" } }, name: "a" });
  expect(noted()).toStrictEqual(["updated"]);
  expect(
    await stage.message(() =>
      expect(step).toMatchBaseline({ input, adapters: { llm: { ask: async () => "11.00" } }, name: "a" }),
    ),
  ).toBe(
    `read: 1 of 1 baseline changed (live adapters)

  ROOT/read/a-HASH.json  value_changed
    cause: model (same requests, different responses: llm.ask)
    total: "10.00" → "11.00"

Not accepted: one case had two results in one run. Make the step deterministic, or give each case its own name.`,
  );
  stage.settle("new");
  await expect(step).toMatchBaseline({ input, adapters: { llm: { ask: async () => "10.00" } }, name: "a" });
});

test("where nothing may be written or pending, a missing baseline fails and the step does not run", async () => {
  stage.mode = "none";
  stage.holds = false;
  const never = stepOf(() => Promise.reject(new Error("it ran")));
  expect(await stage.message(() => expect(never).toMatchBaseline({ input, adapters: live }))).toBe(
    `read: 1 of 1 baseline missing (recorded calls)

  ROOT/read/the-test-HASH.json  missing
    there is no such baseline

To capture it, run the test on your machine, without CI=1 or --ci.`,
  );
});

test("requires the input, and refuses .not", async () => {
  // The types refuse it, too.
  const { not } = expect<unknown>(step);
  const opposite = async (matcher: "toMatchBaseline" | "toRecomputeClean" | "toReplay"): Promise<unknown> => {
    const negated: unknown = Reflect.get(not, matcher);
    return typeof negated === "function" ? Reflect.apply(negated, not, []) : undefined;
  };
  expect(await stage.message(() => expect<unknown>(step).toMatchBaseline())).toBe(
    'toMatchBaseline needs an input to run step "read" on: toMatchBaseline({ input, adapters }).',
  );
  const options: object = { input, keyBy: { lines: "id" } };
  expect(await stage.message(() => expect<unknown>(step).toMatchBaseline(options))).toBe(
    'toMatchBaseline doesn\'t accept keyBy for step "read". Set it on the step: defineStep({ keyBy }).',
  );
  for (const matcher of ["toMatchBaseline", "toRecomputeClean", "toReplay"] as const) {
    expect(await stage.message(() => opposite(matcher))).toBe(
      `${matcher} can't be used with .not: a baseline describes an expected result, not an unexpected one. Assert the difference itself, e.g. expect(result.value.output.total).not.toBe("9.00").`,
    );
  }
});

test("compares a step result and a successful Result; a failed one fails", async () => {
  const result = await run(step, input, { adapters: live });
  await expect(result).toMatchBaseline({ name: "march" });
  stage.settle("new");
  if (result.ok) await expect(result.value).toMatchBaseline({ name: "march" });
  const failing = await run(
    stepOf(() => Promise.reject(new Error("no answer\u001b[2J"))),
    input,
    { adapters: live },
  );
  expect(await stage.message(() => expect(failing).toMatchBaseline({ name: "march" }))).toBe(
    `the step: 1 of 1 baseline failed (result)

  (no result)  failed
    execution_failed: no answer\\u001b[2J
    thrown at src/matchers/baseline-matchers.test.ts:LINE

A failing step isn't captured. Fix the step, then run the test again.`,
  );
});

test("compares any JSON value under its name, and keyed arrays by key", async () => {
  await expect({ claims: [{ id: "a" }, { id: "b" }] }).toMatchBaseline({ name: "claims", keyBy: { claims: "id" } });
  stage.settle("new");
  await expect({ claims: [{ id: "b" }, { id: "a" }] }).toMatchBaseline({ name: "claims", keyBy: { claims: "id" } });
  expect(
    await stage.message(() =>
      expect({ claims: [{ id: "b" }] }).toMatchBaseline({ name: "claims", keyBy: { claims: "id" } }),
    ),
  ).toBe(
    `claims: 1 of 1 baseline changed (value)

  ROOT/a.test.ts/claims-HASH.json  value_changed
  - claims.a: {"id":"a"}

Review the changes. Accept them with -u, or accept exactly these with: npx veritest review`,
  );
});

test.each<[unknown, string]>([
  [1, "number"],
  [null, "null"],
  [[1], "an array"],
  [{ a: 1 }, "an object with a different shape"],
  [Promise.resolve(1), "a promise (await it first)"],
])("requires a name for a value: %j", async (received, found) => {
  for (const options of [undefined, { name: "" }, { name: "  " }]) {
    expect(await stage.message(() => expect(received).toMatchBaseline(options))).toBe(
      `toMatchBaseline needs a name for a value: toMatchBaseline({ name: "…" }). Got ${found}.`,
    );
  }
});

test("requires a step for an input or adapters", async () => {
  for (const options of [{ input: {} }, { adapters: {} }])
    expect(await stage.message(() => expect(undefined).toMatchBaseline(options))).toBe(
      "toMatchBaseline expects a step or a workflow with its input, got undefined.",
    );
});

test("fails a value that can't be stored, with the reason", async () => {
  expect(await stage.message(() => expect({ a: Symbol("a") }).toMatchBaseline({ name: "n" }))).toBe(
    `n: 1 of 1 baseline failed (value)

  ROOT/a.test.ts/n-HASH.json  failed
    not_storable: The value can't be stored: a baseline can't store a symbol at "a". Convert it to plain data`,
  );
  expect(await stage.message(() => expect(1).toMatchBaseline({ name: "n", meta: { score: Number.NaN } }))).toBe(
    `n: 1 of 1 baseline failed (value)

  ROOT/a.test.ts/n-HASH.json  failed
    not_storable: The result can't be stored: the new baseline can't be read back: "meta" is not an object of strings, numbers and booleans.`,
  );
  expect(stage.staged.size).toBe(0);
});

test("a check of all cases recomputes every baseline of the step with recorded calls, and with live adapters", async () => {
  await capture("a", "b");
  await expect(step).toRecomputeClean();
  await expect(step).toRecomputeClean({ adapters: live, concurrency: 2 });
  await expect(step).toReplay();
  expect(noted()).toStrictEqual(Array.from({ length: 6 }, () => "clean"));
});

test("one failing baseline hides no other: each is reported with its class, in one message", async () => {
  await capture("a", "b", "c", "d", "e");
  const [, second = ""] = readdirSync(join(stage.root, "read"));
  writeFileSync(join(stage.root, "read", second), "");
  const changed = stepOf(async (given, ctx) => {
    const { output } =
      given.text === "c"
        ? { output: { total: String(await ctx.adapters.llm.ask("sum of c")) } }
        : await answer(given, ctx);
    if (given.text === "d") return { output, commands: [emit("read", 1)] };
    if (given.text === "e") throw new Error("it broke");
    return { output: given.text === "a" ? { total: "0" } : output };
  });
  expect(await stage.message(() => expect(changed).toRecomputeClean())).toBe(
    `read: 5 of 5 baselines failed (recompute with recorded calls)

  ROOT/read/a-HASH.json  value_changed
    cause: code (same requests, same responses, new output)
    total: "9.00" → "0"
  ROOT/read/b-HASH.json  broken
    Cannot read it: it is empty. Restore the file with npx veritest repair --restore, or delete it and capture the case again.
  ROOT/read/c-HASH.json  request_changed
    cause: prompt
    adapter "llm.ask" was called with a request that wasn't recorded (1 recorded for it)
    request[0]: "total of c" → "sum of c"
  ROOT/read/d-HASH.json  commands_changed
    cause: code (same requests, same responses, new output)
  + commands["emit read"]: {"payload":1,"topic":"read","type":"emit"}
  ROOT/read/e-HASH.json  failed
    cause: code (it fails with the recorded responses)
    execution_failed: it broke
    thrown at src/matchers/baseline-matchers.test.ts:LINE

Review the changes. Accept them with -u, or accept exactly these with: npx veritest review
-u doesn't accept failures. Fix the step, or delete the baseline if you removed the case.
Is the new request intended? Pass the current adapters ({ adapters }) to the matcher and record its response:

  npx vitest run src/matchers/baseline-matchers.test.ts -t "^the test$" -u`,
  );
  expect(noted()).toStrictEqual(["value_changed", "broken", "request_changed", "commands_changed", "failed"]);
});

test("an unrecorded request of a named case shows the changed input, and that tests may share the name", async () => {
  await capture("a");
  const shared = { input: { text: "b" }, name: "a" };
  expect(await stage.message(() => expect(step).toMatchBaseline(shared))).toBe(
    `read: 1 of 1 baseline failed (recorded calls)

  ROOT/read/a-HASH.json  request_changed
    input.text: "a" → "b"
    adapter "llm.ask" was called with a request that wasn't recorded (1 recorded for it)
    request[0]: "total of a" → "total of b"

The baseline with this name has a different input. If another test in this folder uses the same name, give each test its own name. Otherwise, recording for one of them breaks the other.
Is the new request intended? Pass the current adapters ({ adapters }) to the matcher and record its response:

  npx vitest run src/matchers/baseline-matchers.test.ts -t "^the test$" -u`,
  );
});

test("under -u a check of all cases accepts what can be accepted and fails for the rest", async () => {
  await capture("a", "b");
  stage.mode = "all";
  const changed = stepOf(async (given, ctx) => {
    if (given.text === "b") throw new Error("no");
    return { output: { total: String(await ctx.adapters.llm.ask("total of a")).repeat(2) } };
  });
  const shown = await stage.message(() => expect(changed).toRecomputeClean());
  expect(shown.split("\n")[0]).toBe("read: 1 of 2 baselines failed (recompute with recorded calls)");
  expect(noted()).toStrictEqual(["updated", "failed"]);
});

test("a schema violation names its path and kind, and that -u can't accept it", async () => {
  await capture("a");
  stage.mode = "all";
  const untyped = { llm: { ask: async () => "9.00" } };
  const wrong = stepOf(async () => JSON.parse('{"output":{"total":9}}'));
  expect(await stage.message(() => expect(wrong).toRecomputeClean({ adapters: untyped }))).toBe(
    `read: 1 of 1 baseline failed (recompute with live adapters)

  ROOT/read/a-HASH.json  schema_violation
    cause: code (with the same responses, it sends different requests: 1 fewer call to llm.ask)
    total: Invalid input: expected string, received number (type)
    total: "9.00" → 9

-u doesn't accept an output that the schema refuses. Fix the step or its schema, or delete the baseline and capture the case again.`,
  );
});

test("an input that the schema refuses is fixed in the test or the schema, not in the step", async () => {
  await capture("a");
  const strict: AnyStep = { ...step, inputSchema: z.object({ text: z.string().min(3) }) };
  const violation = `read: 1 of 1 baseline failed (recompute with recorded calls)

  ROOT/read/a-HASH.json  schema_violation
    cause: schema (rejects an input that it accepted before)
    input.text: Too small: expected string to have >=3 characters (refinement)

-u doesn't accept an input that the step's schema refuses. Fix the schema. Or change the test's input, and delete the baseline.`;
  expect(await stage.message(() => expect(strict).toRecomputeClean())).toBe(violation);
  expect(await stage.message(() => expect(strict).toMatchBaseline({ input, name: "a" }))).toBe(
    violation.replace("recompute with ", ""),
  );
  const refused = (name: string): string => `read: 1 of 1 baseline failed (recorded calls)

  ROOT/read/${name}-HASH.json  failed
    input_validation: text: Too small: expected string to have >=3 characters

The step doesn't run with this input. Fix the input in the test, or the step's schema.`;
  for (const name of ["a", "new"])
    expect(await stage.message(() => expect(strict).toMatchBaseline({ input: { text: "b" }, name }))).toBe(
      refused(name),
    );
});

test("a check of all cases that finds nothing fails and says how to capture", async () => {
  const capture = `Capture a baseline first, in a test in the same folder:

  await expect(step).toMatchBaseline({ input, adapters })`;
  expect(await stage.message(() => expect(step).toRecomputeClean())).toBe(
    `read: no baseline in ROOT/read/\n\n${capture}`,
  );
  expect(
    await stage.message(() => expect(step).toReplay({ names: ["x\u202e"], labels: ["eu"], meta: { pages: 1 } })),
  ).toBe(`read: no baseline with names ["x\\u202e"], labels ["eu"], meta {"pages":1} in ROOT/read/\n\n${capture}`);
  stage.mode = "none";
  expect(await stage.message(() => expect(stepOf(answer, "Read It!")).toRecomputeClean())).toBe(
    `Read It!: no baseline in ROOT/read-it-HASH/\n\n${capture}\n\nRun that test once on your machine, without CI=1 or --ci.`,
  );
});

test("a check of all cases takes only the cases it names; a file that cannot be read is always among them", async () => {
  await expect(step).toMatchBaseline({ input, adapters: live, name: "a", labels: ["eu", "vat"], meta: { pages: 1 } });
  await expect(step).toMatchBaseline({ input, adapters: live, name: "b", labels: ["eu"], meta: { pages: 2 } });
  await expect(step).toMatchBaseline({ input, adapters: live });
  stage.settle("new");
  for (const [filter, count] of [
    [{}, 3],
    [{ names: ["a", "b"] }, 2],
    [{ labels: ["eu"] }, 2],
    [{ labels: ["eu", "vat"] }, 1],
    [{ meta: { pages: 2 } }, 1],
    [{ names: ["a"], meta: { pages: 1 } }, 1],
  ] as const) {
    stage.checks = [];
    await expect(step).toRecomputeClean(filter);
    expect(noted()).toHaveLength(count);
  }
  const [first = ""] = readdirSync(join(stage.root, "read"));
  writeFileSync(join(stage.root, "read", first), "<<<<<<< HEAD\n");
  stage.checks = [];
  expect(await stage.message(() => expect(step).toReplay({ names: ["b"] }))).toBe(
    `read: 1 of 2 baselines failed (replay)

  ROOT/read/a-HASH.json  broken
    Cannot read it: it has git conflict markers (line 1). Keep one side with git checkout --ours or --theirs, run git add, and run its test with -u.`,
  );
  expect(filterCases([], {})).toStrictEqual([]);
});

test("toReplay reports differences, and never updates, not even with -u", async () => {
  await capture("a");
  stage.mode = "all";
  const changed = stepOf(async (given, ctx) => ({ output: { total: `${(await answer(given, ctx)).output.total}!` } }));
  expect(await stage.message(() => expect(changed).toReplay())).toBe(
    `read: 1 of 1 baseline changed (replay)

  ROOT/read/a-HASH.json  value_changed
    total: "9.00" → "9.00!"

toReplay never updates a baseline. If the change is intended, replace toReplay with await expect(step).toRecomputeClean() and run once with -u. If it isn't, fix the step.`,
  );
  const asksOtherwise = stepOf(async (_given, ctx) => ({
    output: { total: String(await ctx.adapters.llm.ask("sum")) },
  }));
  expect(await stage.message(() => expect(asksOtherwise).toReplay())).toBe(
    `read: 1 of 1 baseline failed (replay)

  ROOT/read/a-HASH.json  request_changed
    cause: prompt
    adapter "llm.ask" was called with a request that wasn't recorded (1 recorded for it)
    request[0]: "total of a" → "sum"

Record the calls again: pass the current adapters ({ adapters }) to toRecomputeClean and run with -u.`,
  );
  expect(stage.staged.size).toBe(0);
});

test("a call that is made more often, and a baseline without calls, are distinguished", async () => {
  await capture("a");
  const twice = stepOf(async (given, ctx) => ({
    output: { total: `${(await answer(given, ctx)).output.total}${(await answer(given, ctx)).output.total}` },
  }));
  expect(await stage.message(() => expect(twice).toRecomputeClean())).toContain(
    '    adapter "llm.ask" was called again more often than recorded (1 recorded for it)\n',
  );
  const unrecorded = await run(step, { text: "b" }, { adapters: live });
  await expect(unrecorded).toMatchBaseline({ name: "b" });
  stage.settle("new");
  expect(await stage.message(() => expect(step).toRecomputeClean({ names: ["b"] }))).toContain(
    '    adapter "llm.ask" was called, but this baseline was captured from a result without recorded calls\n',
  );
});

test("the first call of a step that made none has a cause, and the baseline isn't that of a result", async () => {
  const silent = stepOf(async () => ({ output: { total: "0" } }));
  await expect(silent).toMatchBaseline({ input: { text: "s" }, adapters: live });
  stage.settle("new");
  expect(await stage.message(() => expect(step).toRecomputeClean())).toContain(
    "    cause: prompt (1 call to llm.ask, a new adapter)\n" +
      '    adapter "llm.ask" was called, but no call of it was recorded\n',
  );
});

test.each<[string, (ctx: StepContext<{ llm: Llm; search?: { query(request: object): unknown } }>) => unknown, string]>([
  [
    "a tool",
    ({ adapters }) => adapters.search?.query({ q: "x", limit: 3, more: "m".repeat(500) }),
    `    cause: code (with the same responses, it sends different requests: 1 call to search.query, a new adapter)
    adapter "search.query" was called, but no call of it was recorded
    + search.query({"limit":3,"more":"${"m".repeat(57)}… (+453 characters))`,
  ],
  [
    "a model",
    ({ adapters }) => adapters.llm.ask("Is that right?"),
    `    cause: prompt (1 more call to llm.ask)
    adapter "llm.ask" was called with a request that wasn't recorded (1 recorded for it)
    + llm.ask("Is that right?")`,
  ],
  [
    "the same model again",
    ({ adapters }) => adapters.llm.ask("total of a"),
    `    cause: code (with the same responses, it sends different requests: 1 more call to llm.ask)
    adapter "llm.ask" was called again more often than recorded (1 recorded for it)
    + llm.ask("total of a")`,
  ],
])("shows the request of an added call of %s", async (_what, call, lines) => {
  await capture("a");
  const more = stepOf(async (given, ctx) => {
    const result = await answer(given, ctx);
    await call(ctx);
    return result;
  });
  expect(await stage.message(() => expect(more).toRecomputeClean())).toContain(
    `read: 1 of 1 baseline failed (recompute with recorded calls)

  ROOT/read/a-HASH.json  request_changed
${lines}

Is the new request intended? Pass the current adapters ({ adapters }) to the matcher and record its response:`,
  );
});

test.each([
  ["a recorded one", "total of a", "1 more call to llm.ask", '+ llm.ask("Is this a bill?")'],
  [
    "a changed one, which may be either",
    "total of a, in EUR",
    "llm.ask request[0] changed, 1 more call to llm.ask",
    'request[0]: "total of a" → "Is this a bill?"',
  ],
])("shows the request of an added call before %s", async (_what, prompt, cause, shown) => {
  await capture("a");
  const before = stepOf(async (_given, { adapters }) => {
    await adapters.llm.ask("Is this a bill?");
    return { output: { total: String(await adapters.llm.ask(prompt)) } };
  });
  expect(await stage.message(() => expect(before).toRecomputeClean())).toContain(
    `  ROOT/read/a-HASH.json  request_changed
    cause: prompt (${cause})
    adapter "llm.ask" was called with a request that wasn't recorded (1 recorded for it)
    ${shown}

`,
  );
});

test("a stream that is read past its recorded end is reported as that", async () => {
  async function* tokens(): AsyncGenerator<string> {
    yield "a";
    yield "b";
  }
  const reads = (count: number): AnyStep =>
    stepOf(async (_given, ctx) => {
      const found: string[] = [];
      for await (const token of Object(ctx.adapters.llm.ask("go"))) {
        found.push(String(token));
        if (found.length === count) break;
      }
      return { output: { total: found.join("") } };
    });
  await expect(reads(1)).toMatchBaseline({ input, adapters: { llm: { ask: tokens } }, name: "a" });
  stage.settle("new");
  expect(await stage.message(() => expect(reads(2)).toRecomputeClean())).toContain(
    '    adapter "llm.ask" was read past the end of its recorded stream (1 chunk)\n',
  );
});

test.each(["toRecomputeClean", "toReplay"] as const)("%s refuses a value that isn't a step", async (matcher) => {
  expect(await stage.message(() => expect<unknown>({ run: 1 })[matcher]())).toBe(
    `${matcher} expects a step or a workflow, got an object with a different shape.`,
  );
});

test("shows ten changes of a case with a line for each value, and counts the rest", async () => {
  const wide =
    (fill: string): Run =>
    async () => ({
      output: {
        total: "1",
        more: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, fill.repeat(5000)])),
      },
    });
  await expect(stepOf(wide("a."))).toMatchBaseline({ input, name: "wide" });
  stage.settle("new");
  const lines = (await stage.message(() => expect(stepOf(wide("b."))).toMatchBaseline({ input, name: "wide" }))).split(
    "\n",
  );
  expect(lines).toHaveLength(37);
  expect(lines[4]).toBe("    more.k0:");
  expect(lines[5]).toBe(`      - "${"a.".repeat(55)}…`);
  expect(lines[6]).toBe(`      + "${"b.".repeat(55)}…`);
  expect(lines[34]).toBe("    … and 20 more changes");
});

test("many failing baselines of one kind are reported by kind, with an example; all of them where that is requested", {
  tags: "deep",
}, async () => {
  await capture(...Array.from({ length: 60 }, (_, index) => `case ${String(index).padStart(2, "0")}`));
  const lines = (
    await stage.message(() => expect(step).toRecomputeClean({ adapters: { llm: { ask: async () => "0" } } }))
  ).split("\n");
  const [headline, , ...told] = lines;
  expect(headline).toBe("read: 60 of 60 baselines changed (recompute with live adapters)");
  expect(told.join("\n")).toMatchInlineSnapshot(`
    "60 changed, 1 group:

      60 × total: "9.00" → "0" (model)  g-5fb0a7
        ROOT/read/case-00-HASH.json  value_changed
          cause: model (same requests, different responses: llm.ask)

    Review the changes. Accept them with -u, or accept exactly these with: npx veritest review, or one group with: npx veritest accept --group g-5fb0a7"
  `);
  vi.stubEnv("VERITEST_VERBOSE", "1");
  const all = await stage.message(() => expect(step).toRecomputeClean({ adapters: { llm: { ask: async () => "0" } } }));
  vi.unstubAllEnvs();
  expect(all.split("\n").filter((line) => line.endsWith("  value_changed"))).toHaveLength(60);
});

test("limits lines and characters of a failure's own text", { tags: "deep" }, async () => {
  await capture("a");
  const loud = defineStep({
    name: "read",
    input: z.object({ text: z.string() }),
    output: z.object({ total: z.string() }),
    run: () => fail("loud", `${"x".repeat(100_000)}\n`.repeat(200)),
  });
  const shown = await stage.message(() => expect(loud).toRecomputeClean());
  expect(shown.length).toBeLessThan(25_000);
  expect(shown.split("\n").length).toBeLessThanOrEqual(50);
  expect(shown).toContain("    … and 163 more lines\n");
});

test("limits hundreds of violations with long paths", async () => {
  await capture("a");
  const more = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}${"k".repeat(5000)}`, index]));
  const wrong = stepOf(async () => JSON.parse(JSON.stringify({ output: { total: "9.00", more } })));
  const shown = await stage.message(() => expect(wrong).toRecomputeClean({ adapters: live }));
  expect(shown.split("\n").length).toBeLessThanOrEqual(50);
  expect(Math.max(...shown.split("\n").map((line) => line.length))).toBeLessThan(600);
});

test("accepting a case again writes the same bytes", async () => {
  await capture("a");
  const [name = ""] = readdirSync(join(stage.root, "read"));
  const before = readFileSync(join(stage.root, "read", name), "utf8");
  stage.mode = "all";
  await expect(step).toMatchBaseline({ input, adapters: live, name: "a" });
  await expect(step).toRecomputeClean({ adapters: live });
  expect(stage.staged.size).toBe(0);
  expect(readFileSync(join(stage.root, "read", name), "utf8")).toBe(before);
});
