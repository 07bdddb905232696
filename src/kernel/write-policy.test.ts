import { expect, test } from "vitest";
import { ciRefusal, isCi, keepsPending, updateMode } from "./write-policy.ts";

test("the runner's snapshot mode decides which baselines are written, and none without it", () => {
  expect(updateMode({ snapshotUpdateState: "all", _updateSnapshot: "none" })).toBe("all");
  expect(updateMode({ _updateSnapshot: "new" })).toBe("new");
  expect(updateMode({})).toBe("none");
});

test("refuses CI, and no other actor", () => {
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
  [true, { VERITEST_JEST_CI: "1" }],
  [false, { CI: "false", VERITEST_JEST_CI: "1" }],
  [false, {}],
])("detects a CI job by its variables and Jest's option: %s of %j", (expected, environment) => {
  expect(isCi(environment)).toBe(expected);
});

test("a run that writes no baselines keeps pending changes only in a configured state directory", () => {
  expect(keepsPending(true, {})).toBe(true);
  expect(keepsPending(false, {})).toBe(false);
  expect(keepsPending(false, { VERITEST_STATE_DIR: "" })).toBe(false);
  expect(keepsPending(false, { VERITEST_STATE_DIR: "/state" })).toBe(true);
});
