import { expect, test } from "vitest";
import { ciRefusal, isCi, keepsPending, updateMode } from "./write-policy.ts";

test("the runner's snapshot mode decides what a test run writes, and a runner without one writes nothing", () => {
  expect(updateMode({ snapshotUpdateState: "all", _updateSnapshot: "none" })).toBe("all");
  expect(updateMode({ _updateSnapshot: "new" })).toBe("new");
  expect(updateMode({})).toBe("none");
});

test("CI is refused, and nobody else is", () => {
  expect(ciRefusal({ kind: "ci", because: "CI is set" })).toBe("CI never writes baselines (CI is set).");
  expect(ciRefusal({ kind: "ci", because: "policy.actor" }, "commits")).toBe("CI never commits (policy.actor).");
  expect(ciRefusal({ kind: "human", because: "a terminal" })).toBeUndefined();
  expect(ciRefusal({ kind: "agent", because: "CLAUDECODE is set" })).toBeUndefined();
});

test.each([
  [true, { CI: "true" }],
  [true, { GITHUB_ACTIONS: "true" }],
  [true, { CI: "", GITLAB_CI: "1" }],
  [false, { CI: "false", GITHUB_ACTIONS: "true" }],
  [false, { CI: "0" }],
  [false, {}],
])("a CI job is known by its variables: %s of %j", (expected, environment) => {
  expect(isCi(environment)).toBe(expected);
});

test("a run that writes nothing keeps pending changes only in a state directory that is named", () => {
  expect(keepsPending(true, {})).toBe(true);
  expect(keepsPending(false, {})).toBe(false);
  expect(keepsPending(false, { VERITEST_STATE_DIR: "" })).toBe(false);
  expect(keepsPending(false, { VERITEST_STATE_DIR: "/state" })).toBe(true);
});
