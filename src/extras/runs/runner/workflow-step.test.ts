import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type Result, unwrap } from "../../../kernel/result.ts";
import { emit, fanout, invoke, normalizeCommands, review, suspend } from "../../../kernel/step/command.ts";
import type { StepContext } from "../../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../../kernel/step/define-step.ts";
import { type Workflow, defineWorkflow } from "../../../kernel/step/define-workflow.ts";
import { fail, type StepError } from "../../../kernel/step/fail.ts";
import { run } from "../../../kernel/step/run.ts";
import type { StepResult } from "../../../kernel/step/step-result.ts";
import type { WorkflowStepOptions } from "../../../kernel/step/whole-run.ts";
import { workflowStep } from "./workflow-step.ts";

type Run = (input: unknown, ctx: StepContext<{ llm: (text: string) => unknown }>) => ReturnType<AnyStep["run"]>;

const step = (name: string, code: Run, more: { readonly keyBy?: AnyStep["keyBy"] } = {}): AnyStep =>
  defineStep({ name, input: z.unknown(), output: z.looseObject({}), run: code, ...more });
const workflowOf = (...steps: readonly AnyStep[]): Workflow =>
  defineWorkflow({ name: "whole", version: "1.0.0", steps: Object.fromEntries(steps.map((one) => [one.name, one])) });

async function runWhole(
  workflow: Workflow,
  options: WorkflowStepOptions = {},
  input: unknown = {},
): Promise<Result<StepResult, StepError>> {
  return run(workflowStep(workflow, options), input, { adapters: { llm: async (text: string) => `said ${text}` } });
}

async function told(workflow: Workflow, options: WorkflowStepOptions = {}): Promise<unknown> {
  const result = await runWhole(workflow, options);
  return result.ok ? { output: result.value.output, commands: result.value.commands } : result.error;
}

describe("a workflow as one step", () => {
  const first = step("first", async (_input, ctx) => ({
    output: { seen: await ctx.adapters.llm("hello") },
    events: [{ type: "began" }],
    commands: [fanout("rate", [{ id: "b" }, { id: "a" }]), emit("told", 1)],
  }));
  const rate = step("rate", async (input, ctx) => ({
    output: { risk: await ctx.adapters.llm(JSON.stringify(input)) },
    events: [{ type: "rated", payload: input }],
    commands: [emit("rated", input)],
  }));

  test("runs delayed steps without waiting, in the order of their times", async () => {
    const later = step("later", () => ({ output: {}, commands: [emit("order", "later")] }));
    const last = step("last", () => ({ output: {}, commands: [emit("order", "last")] }));
    const start = step("start", () => ({
      output: {},
      commands: [invoke("last", {}, { after: 60_000 }), invoke("later", {}, { after: 1000 })],
    }));
    expect(await told(workflowOf(start, later, last))).toMatchObject({
      output: { steps: { later: { "1": {} }, last: { "1": {} } } },
      commands: [emit("order", "later"), emit("order", "last")],
    });
  });

  test("runs until nothing is left to do, and reports outputs by step and run", async () => {
    const result = await runWhole(workflowOf(first, rate), { runsBy: { rate: "id" } });
    expect(result).toMatchObject({
      ok: true,
      value: {
        output: {
          steps: {
            first: { "1": { seen: "said hello" } },
            rate: { a: { risk: 'said {"id":"a"}' }, b: { risk: 'said {"id":"b"}' } },
          },
        },
        events: [{ type: "began" }, { type: "rated", payload: { id: "b" } }, { type: "rated", payload: { id: "a" } }],
        commands: [emit("told", 1), emit("rated", { id: "b" }), emit("rated", { id: "a" })],
      },
    });
  });

  test("reports the latest value of a field that several steps write", async () => {
    const judge = step("judge", () => ({ output: { risk: "none" } }));
    const begin = step("begin", () => ({ output: {}, commands: [invoke("judge", {}), invoke("rate", {})] }));
    expect(await told(workflowOf(begin, judge, rate))).toMatchObject({ output: { latest: { risk: "rate" } } });
    const other = step("begin", () => ({ output: {}, commands: [invoke("rate", {}), invoke("judge", {})] }));
    expect(await told(workflowOf(other, judge, rate))).toMatchObject({ output: { latest: { risk: "judge" } } });
  });

  test("counts the runs of a step where their names are equal, and where two are called alike", async () => {
    const counted = await runWhole(workflowOf(first, rate));
    expect(counted).toMatchObject({ ok: true, value: { output: { steps: { rate: { "1": {}, "2": {} } } } } });
    const twice = step("twice", () => ({
      output: {},
      commands: [fanout("rate", [{ id: 1, n: 1 }, { id: 1, n: 2 }, {}])],
    }));
    const alike = await runWhole(workflowOf(twice, rate), { runsBy: { rate: "id" } });
    expect(alike.ok && Object.keys(Reflect.get(Reflect.get(alike.value.output, "steps"), "rate")).toSorted()).toEqual([
      "1",
      "1 (2)",
      "3",
    ]);
  });

  test("begins with the given step, and parses what it is given as that step does", async () => {
    const strict = defineStep({
      name: "strict",
      input: z.object({ id: z.string().transform((id) => id.length) }),
      output: z.looseObject({}),
      run: ({ id }) => ({ output: { id } }),
    });
    const workflow = workflowOf(first, rate, strict);
    expect(await runWhole(workflow, { start: "strict" }, { id: "four" })).toMatchObject({
      ok: true,
      value: { input: { id: "four" }, output: { steps: { strict: { "1": { id: 4 } } } } },
    });
    expect(await runWhole(workflow, { start: "strict" }, { id: 4 })).toMatchObject({
      ok: false,
      error: { code: "input_validation", message: "id: Invalid input: expected string, received number" },
    });
  });

  test("arrays that a step keys are reported by key", async () => {
    const keyed = step("keyed", () => ({ output: { list: [{ id: "b" }, { id: "a" }] } }), { keyBy: { list: "id" } });
    expect(await told(workflowOf(keyed))).toMatchObject({
      output: { steps: { keyed: { "1": { list: { a: { id: "a" }, b: { id: "b" } } } } } },
    });
    const record = { a: { id: "a" }, b: { id: "b" } };
    const asRecord = step("keyed", () => ({ output: { list: record } }), { keyBy: { list: "id" } });
    // The same, keyed: but a list that became a record is a change.
    expect(await told(workflowOf(asRecord))).toMatchObject({
      output: { steps: { keyed: { "1": { list: { "no list": record } } } } },
    });
    const deep = step("deep", () => ({ output: { a: { list: [{ id: 1 }], other: 2 } } }), {
      keyBy: { "a.list": "id" },
    });
    expect(await told(workflowOf(deep))).toMatchObject({
      output: { steps: { deep: { "1": { a: { list: { "1": { id: 1 } }, other: 2 } } } } },
    });
    const double = step("double", () => ({ output: { list: [{ id: 1 }, { id: 1 }] } }), { keyBy: { list: "id" } });
    expect(await told(workflowOf(double))).toMatchObject({
      code: "normalization_failed",
      message: 'Step "double": keyBy: duplicate key "1" in list',
    });
  });
});

describe("blocks", () => {
  const ask = step("ask", () => ({
    output: { risk: "high" },
    commands: [review("Is it high?", { risk: "high" }), invoke("pay", { to: "ann" }), emit("asked", 1)],
  }));
  const pay = step("pay", () => ({ output: { paid: true }, commands: [emit("paid", 1)] }));
  const workflow = workflowOf(ask, pay);
  const asked = { ask: { "1": { risk: "high" } } };
  const paid = { pay: { "1": { paid: true } } };
  const decided = (answer: unknown): object => ({
    ask: { "1": { review: "Is it high?", payload: { risk: "high" }, answer } },
  });

  test("one that isn't resolved stays open, and is the last command", async () => {
    expect(await told(workflow)).toEqual({
      output: { steps: asked },
      commands: [review("Is it high?", { risk: "high" })],
    });
  });

  test.each<
    [answer: NonNullable<WorkflowStepOptions["resolve"]>["review"], output: object, commands: readonly object[]]
  >([
    ["approve", { steps: { ...asked, ...paid }, decisions: decided("approve") }, [emit("asked", 1), emit("paid", 1)]],
    ["reject", { steps: asked, decisions: decided("reject") }, []],
    [
      { override: { risk: "low", note: undefined } },
      {
        steps: { ...asked, ...paid },
        decisions: decided({ override: { risk: "low", note: undefined }, removes: ["note"] }),
      },
      [emit("asked", 1), emit("paid", 1)],
    ],
    [
      ({ payload }) => (Reflect.get(Object(payload), "risk") === "high" ? "reject" : undefined),
      { steps: asked, decisions: decided("reject") },
      [],
    ],
    [() => undefined, { steps: asked }, [review("Is it high?", { risk: "high" })]],
  ])("a review resolved with %o", async (answer, output, commands) => {
    expect(await told(workflow, { resolve: { review: answer } })).toEqual({ output, commands });
  });

  test("refuses an invalid resolution with an error", async () => {
    const typo: unknown = "aprove";
    const options = { resolve: { review: () => typo } };
    // @ts-expect-error -- what untyped code may give
    expect(await told(workflow, options)).toMatchObject({
      code: "execution_failed",
      message: expect.stringContaining(
        'resolve.review must return "approve", "reject" or { override: { …fields } }, got "aprove".',
      ),
    });
  });

  const wait = step("wait", (input) =>
    typeof input === "object" && input !== null && "resumeData" in input
      ? { output: { got: input } }
      : { output: {}, commands: [suspend({ reason: "data", checkpoint: { at: 3 } }), emit("never", 1)] },
  );

  test.each([
    ["data", { n: 1 }, { n: 1 }],
    ["a function of the checkpoint", (checkpoint: unknown) => ({ of: checkpoint }), { of: { at: 3 } }],
  ])("a suspended run resumes with %s", async (_what, given, data) => {
    expect(await told(workflowOf(wait), { resolve: { suspend: given } })).toEqual({
      output: {
        steps: { wait: { "1": {}, "2": { got: { checkpoint: { at: 3 }, resumeData: data } } } },
        decisions: { wait: { "1": { suspend: "data", checkpoint: { at: 3 }, answer: { resume: data } } } },
      },
      commands: [],
    });
  });

  test("a suspended run without a resolution ends there", async () => {
    expect(await told(workflowOf(wait))).toEqual({
      output: { steps: { wait: { "1": {} } } },
      commands: [suspend({ reason: "data", checkpoint: { at: 3 } })],
    });
  });

  test("several runs of a step can be blocked at once", async () => {
    const two = step("two", () => ({ output: {}, commands: [fanout("one", [1, 2])] }));
    const one = step("one", (input) => ({ output: {}, commands: [review(`Is ${String(input)} right?`)] }));
    const reasons: string[] = [];
    const answer = ({ reason }: { readonly reason: string }): "approve" => {
      reasons.push(reason);
      return "approve";
    };
    expect(await told(workflowOf(two, one), { resolve: { review: answer } })).toMatchObject({
      output: {
        decisions: {
          one: {
            "1": { review: "Is 1 right?", answer: "approve" },
            "2": { review: "Is 2 right?", answer: "approve" },
          },
        },
      },
    });
    expect(reasons.toSorted()).toEqual(["Is 1 right?", "Is 2 right?"]);
    const result = unwrap(await runWhole(workflowOf(two, one), {}));
    expect(normalizeCommands(result.commands)).toEqual([review("Is 1 right?"), review("Is 2 right?")]);
  });
});

describe("failures", () => {
  test("fails with the code of the step that fails", async () => {
    const broken = step("broken", () => fail("no_credit", "The account is empty."));
    const start = step("start", () => ({ output: {}, commands: [invoke("broken", {})] }));
    expect(await told(workflowOf(start, broken))).toMatchObject({
      code: "no_credit",
      message: 'Step "broken": The account is empty.',
      retryable: false,
    });
  });

  test("tries a retryable failure five times", async () => {
    let asked = 0;
    const flaky = (works: number): Workflow =>
      workflowOf(
        step("flaky", () => {
          asked += 1;
          return asked === works ? { output: { asked } } : fail("busy", "Too many.", { retryable: true });
        }),
      );
    expect(await told(flaky(5))).toMatchObject({ output: { steps: { flaky: { "1": { asked: 5 } } } } });
    asked = 0;
    expect(await told(flaky(6))).toMatchObject({ code: "busy", retryable: true });
    expect(asked).toBe(5);
  });

  test.each([
    ["a step that is not there", [invoke("nobody", {})], /Step "nobody" not found in workflow "whole"/],
    ["two blocks of one step", [review("a"), review("b")], /at most one blocking command is allowed, found 2/],
    ["one command twice", [emit("a", 1), emit("a", 1)], /commands\[1\] equals commands\[0\]/],
  ])("%s", async (_what, commands, message) => {
    const start = step("start", () => ({ output: {}, commands }));
    expect(await told(workflowOf(start))).toMatchObject({ message: expect.stringMatching(message) });
  });

  test("gives up a run that never ends", { tags: "deep" }, async () => {
    const ever = step("ever", (input) => ({
      output: {},
      commands: [invoke("ever", { n: Number(Reflect.get(Object(input), "n") ?? 0) + 1 })],
    }));
    expect(await told(workflowOf(ever))).toMatchObject({
      code: "orchestration_error",
      message: "The run didn't finish within 10000 commands. Check that its steps don't invoke each other endlessly.",
    });
  });

  test.each<[what: string, make: () => AnyStep, message: string]>([
    ["no steps", () => workflowStep(workflowOf()), 'Workflow "whole" has no steps. Add one or more.'],
    [
      "an unknown first step",
      () => workflowStep(workflowOf(step("a", () => ({ output: {} }))), { start: "b" }),
      'Step "b" not found in workflow "whole". Known steps: "a".',
    ],
    [
      "an unknown step in runsBy",
      () => workflowStep(workflowOf(step("a", () => ({ output: {} }))), { runsBy: { b: "id" } }),
      'Step "b" not found in workflow "whole". Known steps: "a".',
    ],
    [
      "a step of the workflow's own name",
      () => workflowStep(workflowOf(step("whole", () => ({ output: {} })))),
      'Workflow "whole" has a step of the same name, so their baselines would share a folder. Rename one of them.',
    ],
  ])("refuses %s", (_what, make, message) => {
    expect(make).toThrow(new TypeError(message));
  });
});

describe("a workflow that repeats a stored run", () => {
  const start = step("start", () => ({
    output: {},
    commands: [
      fanout("rate", [
        { kind: "line", id: "b" },
        { kind: "line", id: "a" },
        { kind: "line", id: "b", n: 2 },
      ]),
    ],
  }));
  const rate = step("rate", (input) => ({
    output: { of: input },
    commands: [review("ok?", input), emit("rated", input)],
  }));
  const workflow = workflowOf(start, rate);
  const answers = ["approve", { override: { of: undefined, more: 1 } }, "reject"] as const;
  const stored = async (options: WorkflowStepOptions): Promise<unknown> => {
    let asked = 0;
    const result = await runWhole(workflow, { resolve: { review: () => answers[asked++] }, ...options });
    return unwrap(result).output;
  };
  const repeated = async (options: WorkflowStepOptions, output: unknown): Promise<StepResult> => {
    const repeating = workflowStep(workflow, options).repeating?.({ output });
    return unwrap(await run(repeating ?? start, {}));
  };

  test.each([
    { runsBy: { rate: "id" } },
    {},
  ])("takes the names of its runs and its decisions from it: %j", async (options) => {
    const output = await stored(options);
    const again = await repeated({}, JSON.parse(JSON.stringify(output)));
    expect(again.output).toEqual(JSON.parse(JSON.stringify(output)));
    expect(again.commands?.map(({ type }) => type)).toEqual(["emit", "emit"]);
  });

  test("takes them by the field that named the runs, though its values look like numbers and like another field's", async () => {
    const inputs = [2, 1].map((id) => ({ size: 3 - id, id }));
    const first = step("start", () => ({ output: {}, commands: [fanout("rate", inputs)] }));
    const rated = workflowOf(first, rate);
    const review = ({ payload }: { readonly payload?: unknown }): "approve" | "reject" =>
      JSON.stringify(payload).includes('"id":2') ? "approve" : "reject";
    const { output } = unwrap(await runWhole(rated, { runsBy: { rate: "id" }, resolve: { review } }));
    expect(output).toMatchObject({ decisions: { rate: { 1: { answer: "reject" }, 2: { answer: "approve" } } } });
    const again = workflowStep(rated).repeating?.({ output: JSON.parse(JSON.stringify(output)) });
    expect(unwrap(await run(again ?? first, {})).output).toEqual(output);
  });

  test("uses the options that it's given instead", async () => {
    const output = await stored({ runsBy: { rate: "id" } });
    const again = await repeated({ runsBy: { rate: "kind" }, resolve: { review: "reject" } }, output);
    expect(again.output).toMatchObject({
      steps: { rate: { line: {}, "line (2)": {}, "line (3)": {} } },
      decisions: { rate: { line: { answer: "reject" }, "line (2)": { answer: "reject" } } },
    });
  });
});
