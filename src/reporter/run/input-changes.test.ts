import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { identityOf } from "../../baseline/baseline.ts";
import { caseFileName, caseHash } from "../../baseline/baseline-paths.ts";
import { createStepBaseline } from "../../baseline/create-baseline.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import type { LoggedCheck, TestFileLog } from "../../explain/append-run-log.ts";
import { withInputChanges } from "./input-changes.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";

const root = join(temporaryProject("input-changes"), "__baselines__");

/** A case of the step `triage`: its path and text. */
function caseOf(input: object, priority: string): { readonly path: string; readonly text: string } {
  const result = {
    input,
    output: { priority },
    events: [],
    commands: [],
    artifacts: [],
    stepName: "triage",
    workflowId: "triage",
    workflowVersion: "1",
  };
  const baseline = createStepBaseline(result, [], {});
  const path = join(root, "triage", caseFileName("a ticket", caseHash(identityOf(baseline))));
  return { path, text: serializeBaseline(baseline) };
}

function logOf(...checks: readonly LoggedCheck[]): readonly TestFileLog[] {
  return [{ testPath: join(root, "..", "a.test.ts"), root, checks, staged: [] }];
}

const stored = caseOf({ text: "help" }, "high");
putBaseline(stored.path, stored.text);
const input = { text: "help", locale: "de" };
const added = caseOf(input, "low");
const missing: LoggedCheck = {
  test: "a ticket",
  path: added.path,
  outcome: "missing",
  newCase: { input, text: added.text },
};

test("a missing case that replaces an unused one is input_changed, with both differences", () => {
  const [log] = withInputChanges(logOf(missing));
  expect(log?.checks).toMatchObject([
    {
      outcome: "input_changed",
      remarks: [
        'input changed (+ locale); output.priority: "high" → "low" ' +
          `(compared with ${basename(stored.path)}, which is now obsolete)`,
      ],
      findings: {
        changes: [
          { part: "input", path: "locale", after: "de" },
          { part: "output", path: "priority", before: "high", after: "low" },
        ],
      },
    },
  ]);
});

test("a missing case stays missing if a test uses the other one, or if the run has no new case", () => {
  const used = logOf(missing, { test: "another", path: stored.path, outcome: "clean" });
  expect(withInputChanges(used)).toStrictEqual(used);
  const { newCase: _newCase, ...plain } = missing;
  expect(withInputChanges(logOf(plain))).toStrictEqual(logOf(plain));
});
