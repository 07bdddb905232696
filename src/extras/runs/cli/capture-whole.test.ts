import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { type CheckProject, checkProject } from "../../../../test-support/check-project.ts";
import { unwrap } from "../../../kernel/result.ts";
import type { Workflow } from "../../../kernel/step/define-workflow.ts";
import { createRunner } from "../runner/runner.ts";
import { openSqliteStore } from "../store/sqlite.ts";

const SRC = join(import.meta.dirname, "../../..");
const FROM = ["--store", "sqlite:runs.sqlite"];

/** A workflow with a fanout, a join, a review, a suspend and a step that reads the run's state. */
const STEPS = `
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { defineStep } from "${SRC}/kernel/step/define-step.ts";
import { defineWorkflow } from "${SRC}/kernel/step/define-workflow.ts";
import { emit, fanout, invoke, review, suspend } from "${SRC}/kernel/step/command.ts";
import { workflowStep } from "${SRC}/extras/runs/runner/workflow-step.ts";
const { extra = 0, again = false } = JSON.parse(readFileSync(join(import.meta.dirname, "mood.json"), "utf8"));
const any = z.any();
const split = defineStep({ name: "split", input: any, output: any, run: ({ lines }) => ({
  output: { lines: lines.length },
  commands: [fanout("rate", lines.map((id) => ({ kind: "line", id })), { then: "sum" })],
}) });
const rate = defineStep({ name: "rate-line", input: any, output: any, run: async ({ id }, ctx) => ({
  output: { cents: extra + (await ctx.adapters.llm("price of a line")), id },
}) });
const sum = defineStep({ name: "sum", input: any, output: any, run: (rated) => ({
  output: { total: rated.reduce((all, { cents }) => all + cents, 0) },
  commands: [review("high", { lines: rated.length }), invoke("pay", {}), ...(again ? [invoke("split", { lines: [] })] : [])],
}) });
const pay = defineStep({ name: "pay", input: any, output: any, run: async (input, ctx) => {
  const { total } = await ctx.adapters.run.state();
  return input.resumeData === undefined
    ? { output: {}, commands: [suspend({ reason: "iban", checkpoint: 1 })] }
    : { output: { paid: total, iban: input.resumeData }, commands: [emit("payment", { total })] };
} });
export const invoices = defineWorkflow({ name: "invoices", version: "1.0.0", steps: { split, rate, sum, pay } });
export const whole = workflowStep(invoices);
`;

let project: CheckProject;

beforeEach(async () => {
  project = checkProject();
  project.write("steps/index.ts", STEPS);
  project.write(
    "veritest.config.ts",
    'export default { steps: async () => [(await import("./steps/index.ts")).whole] };',
  );
  const loaded: { readonly invoices: Workflow } = await import(
    pathToFileURL(join(project.root, "steps/index.ts")).href
  );
  const store = unwrap(await openSqliteStore({ path: join(project.root, "runs.sqlite") }));
  let calls = 0;
  const adapters = { llm: async () => (calls += 1) };
  const runner = createRunner({ store, workflows: [loaded.invoices], adapters, sinks: { "*": () => undefined } });
  for (const runId of ["i-1", "i-2", "i-3"]) {
    const input = { lines: ["b", "a", "c"], runId };
    unwrap(await runner.startRun({ workflow: "invoices", step: "split", runId, input }));
    if (runId === "i-3") break;
    const decisions = [
      { kind: "override", patch: { total: 70 } },
      { kind: "resume", data: "DE12" },
    ] as const;
    for (const decision of decisions) {
      unwrap(await runner.runUntilIdle("invoices", runId));
      const [block] = unwrap(await store.blocks.list({ workflowId: "invoices", runId }));
      unwrap(await store.blocks.resolve({ blockId: block?.blockId ?? "", decision, reason: "r", actor: "ann" }));
    }
    expect(unwrap(await runner.runUntilIdle("invoices", runId)).computed).toMatchObject({ paid: 70 });
  }
  await store.close();
});

test("capture --whole makes each completed run one baseline, which repeats its decisions", {
  tags: "deep",
}, async () => {
  expect(await project.veritest(["capture", ...FROM, "--whole"])).toEqual({
    code: 0,
    out: "2 runs, 2 steps: 2 pending\n2 changes are pending: npx veritest review, or accept --all, reject --all\n",
    err: "",
  });
  await project.veritest(["accept", "--all", "--reason", "production"]);
  const [file = ""] = project.list("__baselines__/invoices");
  const { output, commands, calls } = JSON.parse(project.read(`__baselines__/invoices/${file}`));
  expect(output.steps.sum).toEqual({ 1: { total: 6 } });
  expect(output.steps.pay).toEqual({ 1: {}, 2: { paid: 70, iban: "DE12" } });
  expect(output.decisions).toMatchObject({
    sum: { 1: { answer: { override: { total: 70 } } } },
    pay: { 1: { answer: { resume: "DE12" } } },
  });
  expect(commands).toEqual([{ type: "emit", topic: "payment", payload: { total: 70 } }]);
  expect(calls).toHaveLength(3);
  expect(await project.veritest(["test"])).toMatchObject({ code: 0 });
  expect(await project.veritest(["replay"])).toMatchObject({ code: 0 });
  expect((await project.veritest(["capture", ...FROM, "--whole"])).out).toBe(
    "2 runs, 2 steps: 0 pending, 2 with a baseline\n",
  );
});

test.each([
  [
    "returns another output",
    '{"extra":1}',
    /not_reproduced: Step "rate" returned an output that differs from all its outputs in the stored\s+run\./,
  ],
  [
    "runs more steps",
    '{"again":true}',
    /not_reproduced: Step "split" returned an output that differs from all its outputs in the stored\s+run\./,
  ],
])("capture --whole refuses a run if the current code %s", { tags: "deep" }, async (_name, mood, message) => {
  project.write("steps/mood.json", mood);
  project.write("steps/index.ts", `${STEPS}\n`);
  const ran = await project.spawned(["capture", ...FROM, "--whole"]);
  expect([ran.code, ran.out]).toEqual([1, expect.stringMatching(message)]);
  expect(ran.out).toContain("2 runs, 2 steps: 0 pending, 2 refused");
});

test("capture --whole names a workflow without a step, and is refused without a store", async () => {
  project.write("veritest.config.ts", "export default { steps: [] };");
  const ran = await project.veritest(["capture", ...FROM, "--whole"]);
  expect([ran.code, ran.err]).toEqual([
    2,
    "veritest: Not captured, because the configuration doesn't have a workflowStep of this name: invoices.\n" +
      "veritest: No step of 2 runs matches. See: veritest runs list\n",
  ]);
  const without = await project.veritest(["capture", "--whole", "--step", "invoices", "--input", "a.json"]);
  expect([without.code, without.err]).toEqual([
    2,
    "veritest: --whole only applies to stored runs. Add --store <url>.\n",
  ]);
});
