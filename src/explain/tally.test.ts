import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runModels } from "../../test-support/run-models.ts";
import { sampleCase } from "../../test-support/sample-run.ts";
import type { ReportCase } from "./report-case.ts";
import { countCases, caseStatus, statusOf, caseSummary, totalUsage } from "./tally.ts";
import { runCount } from "../../test-support/run-count.ts";

const of = (kind: ReportCase["kind"], updateState: ReportCase["updateState"] = "none"): ReportCase =>
  sampleCase("step", "a.json", { kind, updateState });
const status = (cases: readonly ReportCase[], problems: readonly string[] = []): string =>
  statusOf({ counts: countCases(cases), problems });

describe("counts", () => {
  test("add up to the number of cases", { tags: "deep" }, () => {
    fc.assert(
      fc.property(runModels({ maxCases: 10, findings: false }), ({ cases, counts }) => {
        const { total, captured: _, updated: __, pending: ___, ...standings } = counts;
        expect(Object.values(standings).reduce((sum, count) => sum + count, 0)).toBe(total);
        expect(total).toBe(cases.length);
      }),
      { numRuns: runCount(1000) },
    );
  });

  test("count captured and updated cases as passed, and removed ones as obsolete, not clean", () => {
    expect([
      caseStatus(of("missing", "captured")),
      caseStatus(of("value_changed", "updated")),
      caseStatus(of("obsolete", "removed")),
      caseStatus(of("missing", "pending")),
    ]).toEqual(["passed", "passed", "obsolete", "missing"]);
    expect(caseSummary(countCases([of("clean"), of("obsolete", "removed")]))).toBe("2 baselines, 1 clean, 1 obsolete");
  });
});

describe("a run's status", () => {
  test.each<readonly [status: string, cases: readonly ReportCase[], problems: readonly string[]]>([
    ["pass", [], []],
    ["pass", [of("clean"), of("obsolete"), of("missing", "captured"), of("value_changed", "updated")], []],
    ["fail", [of("clean"), of("value_changed")], []],
    ["fail", [of("clean"), of("missing", "pending")], []],
    ["fail", [of("obsolete", "pending")], []],
    ["error", [of("clean"), of("broken")], []],
    ["error", [of("clean")], ["The run was interrupted."]],
  ])("is %s", (expected, cases, problems) => {
    expect(status(cases, problems)).toBe(expected);
  });
});

test("a run is reported in one sentence", () => {
  expect(caseSummary(countCases([]))).toBe("no baselines");
  expect(caseSummary(countCases([of("clean")]))).toBe("1 baseline, 1 clean");
  expect(caseSummary(countCases([of("value_changed", "review"), of("clean")]))).toBe(
    "2 baselines, 1 clean, 1 changed, 1 pending",
  );
  expect(caseSummary(countCases([of("broken")]))).toBe("1 baseline, 1 broken");
});

test("adds up usage over the cases that have any", () => {
  const used = { ...of("clean"), usage: { calls: 2, inputTokens: 30, outputTokens: 4 } };
  expect(totalUsage([used, of("clean"), used])).toEqual({ calls: 4, inputTokens: 60, outputTokens: 8 });
});
