import { expect, test } from "vitest";
import { z } from "zod";
import { defineStep } from "./define-step.ts";
import { type Workflow, defineWorkflow } from "./define-workflow.ts";

const verify = defineStep({
  name: "verify",
  input: z.object({ id: z.number() }),
  output: z.object({}),
  run: () => ({ output: {} }),
});
const extract = defineStep({ name: "extract", input: z.string(), output: z.object({}), run: () => ({ output: {} }) });
const workflow = defineWorkflow({ name: "test", version: "1.0.0", steps: { extract, verify } });

// Seen as any workflow, whose step names are only known at run time.
const anyWorkflow: Workflow = workflow;
const unknown = new TypeError('Step "unknown" not found in workflow "test". Known steps: "extract", "verify".');

test("has its name, its version and its steps", () => {
  expect([workflow.name, workflow.version, workflow.steps]).toStrictEqual(["test", "1.0.0", { extract, verify }]);
  expect(workflow.getStep("verify")).toBe(verify);
});

test("builds the same commands as the free builders", () => {
  expect(workflow.invoke("verify", { id: 1 })).toStrictEqual({ type: "invoke", step: "verify", input: { id: 1 } });
  expect(workflow.fanout("extract", ["a", "b"])).toStrictEqual({ type: "fanout", step: "extract", inputs: ["a", "b"] });
  expect(workflow.review("unsure")).toStrictEqual({ type: "review", reason: "unsure" });
  expect(workflow.review("unsure", 1)).toStrictEqual({ type: "review", reason: "unsure", payload: 1 });
  expect(workflow.review({ reason: "unsure", payload: 1 })).toStrictEqual({
    type: "review",
    reason: "unsure",
    payload: 1,
  });
  expect(workflow.emit("found", 2)).toStrictEqual({ type: "emit", topic: "found", payload: 2 });
  expect(workflow.suspend({ reason: "wait", checkpoint: 0 })).toStrictEqual({
    type: "suspend",
    reason: "wait",
    checkpoint: 0,
  });
  expect(workflow.suspend({ reason: "wait", checkpoint: 0, resumeStep: "verify" })).toStrictEqual({
    type: "suspend",
    reason: "wait",
    checkpoint: 0,
    resumeStep: "verify",
  });
});

test.each([
  ["getStep", () => anyWorkflow.getStep("unknown")],
  ["invoke", () => anyWorkflow.invoke("unknown", {})],
  ["fanout", () => anyWorkflow.fanout("unknown", [])],
  ["suspend", () => anyWorkflow.suspend({ reason: "wait", checkpoint: 0, resumeStep: "unknown" })],
])("%s throws for an unknown step, and names the known ones", (_name, call) => {
  expect(call).toThrow(unknown);
});

test("names that every object has aren't steps", () => {
  expect(() => anyWorkflow.getStep("toString")).toThrow(
    new TypeError('Step "toString" not found in workflow "test". Known steps: "extract", "verify".'),
  );
});

test("reports a workflow without steps", () => {
  const empty: Workflow = defineWorkflow({ name: "empty", version: "1", steps: {} });
  expect(() => empty.getStep("verify")).toThrow(
    new TypeError('Step "verify" not found in workflow "empty". Known steps: none.'),
  );
});

test.each([
  [undefined, 'defineWorkflow: "name" is blank. Add it to the workflow.'],
  [{ name: "test", steps: {} }, 'defineWorkflow: "version" is blank. Add it to the workflow.'],
  [{ name: "test", version: "1" }, 'defineWorkflow "test": "steps" isn\'t an object. Add its steps by name.'],
])("refuses what JavaScript allows: %j", (config, message) => {
  // @ts-expect-error TypeScript requires all of them.
  expect(() => defineWorkflow(config)).toThrow(new TypeError(message));
});

test.each([
  ["name", { name: " ", version: "1" }],
  ["version", { name: "test", version: "" }],
])("refuses a blank %s", (field, blank) => {
  expect(() => defineWorkflow({ ...blank, steps: {} })).toThrow(
    new TypeError(`defineWorkflow: "${field}" is blank. Add it to the workflow.`),
  );
});
