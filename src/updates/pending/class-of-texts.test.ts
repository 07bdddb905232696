import { readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { changeOf, makeProject, put, updateContextOf } from "../../../test-support/pending-project.ts";
import { type PutStep, callOf, putStep } from "../../../test-support/put-step.ts";
import { type VerdictClass } from "../../check/verdict.ts";
import { acceptPending } from "./accept-pending.ts";
import { pendingChange } from "./pending-change.ts";

test.each<[string, VerdictClass, VerdictClass]>([
  ["an update", "value_changed", "events_changed"],
  ["an update that claims to be clean", "value_changed", "clean"],
  ["an addition", "missing", "value_changed"],
  ["a removal", "obsolete", "value_changed"],
])("a policy forbids %s by its texts, even if its record has another class", async (what, forbidden, claimed) => {
  const project = makeProject();
  if (what !== "an addition") put(project, "one", 1);
  const change = changeOf(project, "one", { to: what === "a removal" ? undefined : 2, verdict: claimed });
  const context = updateContextOf(project.paths, { policy: { forbid: [forbidden] } });
  expect(await acceptPending([change], context)).toMatchObject({
    outcome: "refused",
    problems: [`${change.target} is pending as ${claimed}, and its text is ${forbidden}, which policy.forbid has.`],
  });
  const other = updateContextOf(project.paths, { policy: { forbid: ["schema_violation"] } });
  expect(await acceptPending([change], other)).toMatchObject({ outcome: "accepted" });
});

const OLD: PutStep = {
  step: "triage",
  name: "case",
  input: { id: 1 },
  output: { level: 1 },
  calls: [callOf("a", "b")],
};
const commands = [{ type: "invoke", workflowId: "order", step: "x", input: 1 }] as const;
const ORIGIN = { testPath: "a.test.ts", test: "t", passed: false, run: "run", at: "2026-01-02T03:04:05.000Z" };

test.each<[string, Partial<PutStep>, VerdictClass, string]>([
  ["commands", { commands }, "commands_changed", "is"],
  ["an output and commands", { output: { level: 2 }, commands }, "value_changed", "is"],
  ["an input of the same name", { input: { id: 2 } }, "value_changed", "is"],
  ["events", { events: [{ type: "mail", payload: 1 }] }, "events_changed", "is"],
  ["a request", { calls: [callOf("other", "b")] }, "request_changed", "can be"],
  ["a request of a tool", { calls: [callOf("other", "b")] }, "calls_changed", "can be"],
  ["a response", { calls: [callOf("a", "other")] }, "value_changed", "can be"],
  ["a case with another input", { name: "new" }, "input_changed", "is"],
])("a policy forbids a step's change of %s, even if its record has another class", async (_, more, forbidden, verb) => {
  const project = makeProject();
  const read = (target: string): string => readFileSync(join(project.root, target), "utf8");
  const target = putStep(project.root, { ...OLD, ...more });
  const after = read(target);
  if (more.name !== undefined) rmSync(join(project.root, target));
  const replaced = putStep(project.root, OLD);
  const paths = { root: join(project.root, "__baselines__"), path: join(project.root, target) };
  const texts = more.name === undefined ? { before: read(target), after } : { before: undefined, after };
  const update = { kind: more.name === undefined ? "update" : "add", group: "triage", ...paths, ...texts } as const;
  const origin = { ...ORIGIN, projectRoot: project.root };
  const change = pendingChange({ update, intent: "review", verdict: "clean", shown: [] }, origin);
  const replaces = more.name === undefined ? {} : { replaces: basename(replaced) };
  const context = updateContextOf(project.paths, { policy: { forbid: [forbidden] } });
  expect(await acceptPending([{ ...change, ...replaces }], context)).toMatchObject({
    outcome: "refused",
    problems: [
      `${target} is pending as clean, and its text ${verb} ${forbidden}, which policy.forbid has.` +
        (verb === "is" ? "" : " Run its test with -u: only a run finds its class."),
    ],
  });
});
