import { expect, test } from "vitest";
import { explainFailures, explainNone } from "./failure-message.ts";

test("a message about what is named `:` is no command to a log", () => {
  const check = { file: "a.json", path: "/a.json", verdict: { kind: "missing" }, propose: undefined } as const;
  const report = { subject: ":", how: "value", settled: [check], updatable: true, utils: {} };
  expect(explainFailures({ ...report, mode: "none" })).toBe(`:\\u003a 1 of 1 baseline missing (value)

  a.json  missing
    there is no such baseline

Capture it by running the test where baselines may be written: not in CI, not with --ci.`);
  const none = explainNone({ subject: ":", directory: "baselines/", chosen: "", mode: "new" });
  expect(none.split("\n", 1)).toEqual([":\\u003a no baseline in baselines/"]);
});
