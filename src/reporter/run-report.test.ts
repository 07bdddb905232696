import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createValueBaseline } from "../baseline/create-baseline.ts";
import { serializeBaseline } from "../baseline/serialize-baseline.ts";
import type { DiffResult } from "../kernel/diff/entries.ts";
import { renderMarkdown } from "./formats/render-markdown.ts";
import { pendingChange } from "../updates/pending/pending-change.ts";
import type { RunUpdateResult } from "../updates/apply-run.ts";
import type { LoggedCheck, TestFileLog } from "../explain/append-run-log.ts";
import { NO_FINDINGS } from "../explain/report-case.ts";
import { type FinishedTestRun, reportRun, locationKey } from "./run-report.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-run-report-")));
const testPath = join(root, "steps", "a.test.ts");

function baseline(name: string, text?: string): string {
  const path = join(root, "steps", "__baselines__", "extract", `${name}.json`);
  if (text !== undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return path;
}

function log(...checks: readonly LoggedCheck[]): TestFileLog {
  return { testPath, root: join(root, "steps", "__baselines__"), checks, staged: [] };
}

function left(more: Partial<FinishedTestRun>): FinishedTestRun {
  return {
    root,
    logs: [],
    updateResult: undefined,
    obsolete: [],
    removed: false,
    problems: [],
    startedAt: 0,
    endedAt: 1_234.4,
    runner: { name: "vitest", version: "5.1.1" },
    shard: undefined,
    environment: {},
    lines: new Map(),
    ...more,
  };
}

function held(path: string, intent: "write" | "review"): RunUpdateResult["pending"][number] {
  const update = {
    kind: "add",
    root,
    path,
    group: "extract",
    before: undefined,
    after: serializeBaseline(createValueBaseline(1, { test: "a.test.ts", name: "one" })),
  } as const;
  return pendingChange(
    { update, intent, verdict: "missing", shown: [] },
    { projectRoot: root, testPath, test: "t", passed: true, run: "r", at: "2026-01-01T00:00:00.000Z" },
  );
}

function applied(more: Partial<RunUpdateResult>): RunUpdateResult {
  return {
    root,
    written: [],
    receipt: undefined,
    pending: [],
    incomplete: [],
    reasons: [],
    failing: [],
    earlier: 0,
    notices: [],
    failed: false,
    ...more,
  };
}

test("a case has its step and labels, the location of its assertion, and its outcome", () => {
  const path = baseline("known", JSON.stringify({ step: "extract claims", labels: ["legal", 7] }));
  const findings = {
    ...NO_FINDINGS,
    changes: [{ part: "output", path: "a", before: 1, after: 2, cut: false }],
  } as const;
  const check = {
    test: "t",
    path,
    outcome: "value_changed",
    source: "live",
    findings,
    ms: 3.5,
    usage: { calls: 1, inputTokens: 10, outputTokens: 5 },
  } as const;
  const model = reportRun(left({ logs: [log(check)], lines: new Map([[locationKey(testPath, "t"), 12]]) }));
  expect(model.cases).toStrictEqual([
    {
      step: "extract claims",
      labels: ["legal"],
      baseline: "steps/__baselines__/extract/known.json",
      test: { file: "steps/a.test.ts", name: "t", line: 12 },
      kind: "value_changed",
      updateState: "none",
      source: "live",
      durationMs: 3.5,
      usage: { calls: 1, inputTokens: 10, outputTokens: 5 },
      findings,
    },
  ]);
  expect([model.status, model.summary, model.durationMs, model.usage.inputTokens]).toStrictEqual([
    "fail",
    "1 baseline, 1 changed",
    1_234,
    10,
  ]);
});

test.each<[string, string | undefined]>([
  ["is missing", undefined],
  ["is no JSON", "<<<<<<< HEAD"],
  ["is no object", "[]"],
  ["has another shape", '{"step":1,"labels":"x"}'],
])("names a baseline that %s by its directory", (what, text) => {
  const path = baseline(what.replaceAll(" ", "-"), text);
  const model = reportRun(left({ logs: [log({ test: "t", path, outcome: "broken" })] }));
  expect(model.cases.map(({ step, labels, kind }) => ({ step, labels, kind }))).toStrictEqual([
    { step: "extract", labels: [], kind: "broken" },
  ]);
  expect(model.status).toBe("error");
});

test("a changed input has its differences from the earlier case, like a changed result", () => {
  const path = baseline("other");
  const entries = (name: string, before: string, after: string): DiffResult => ({
    equal: false,
    entries: [{ path: [name], before, after }],
  });
  const updateResult = applied({
    pending: [{ ...held(path, "write"), verdict: "input_changed" }],
    inputChanges: new Map([
      [
        path,
        [
          { part: "input", diff: entries("text", "Hello", "Hi") },
          { part: "output", diff: entries("priority", "low", "high") },
        ],
      ],
    ]),
  });
  const model = reportRun(left({ logs: [log({ test: "t", path, outcome: "captured" })], updateResult }));
  expect(model.cases).toMatchObject([
    {
      kind: "input_changed",
      updateState: "pending",
      findings: {
        changes: [
          { part: "input", path: "text", before: "Hello", after: "Hi" },
          { part: "output", path: "priority", before: "low", after: "high" },
        ],
      },
    },
  ]);
  expect(renderMarkdown(model)).toMatch(/text.*Hello.*\n?.*Hi[^]*priority.*low.*\n?.*high/);
});

test("what was written or pending is reported by what the run applied", () => {
  const path = (name: string): string => baseline(name, "{}");
  const checks: LoggedCheck[] = [
    { test: "t", path: path("captured"), outcome: "captured", verdict: "missing" },
    { test: "t", path: path("updated"), outcome: "updated", verdict: "value_changed" },
    { test: "t", path: path("held"), outcome: "captured", verdict: "missing" },
    { test: "t", path: path("review"), outcome: "value_changed" },
    { test: "t", path: path("clean"), outcome: "clean" },
  ];
  const updateState = applied({
    pending: [held(path("held"), "write")],
    failing: [held(path("review"), "review")],
    reasons: ["1 test file failed."],
  });
  const model = reportRun(left({ logs: [log(...checks)], updateResult: updateState }));
  expect(model.cases.map((one) => [one.baseline.split("/").at(-1), one.kind, one.updateState])).toStrictEqual([
    ["review.json", "value_changed", "review"],
    ["updated.json", "value_changed", "updated"],
    ["captured.json", "missing", "captured"],
    ["held.json", "missing", "pending"],
    ["clean.json", "clean", "none"],
  ]);
  expect(model.summary).toBe("5 baselines, 1 clean, 1 captured, 1 updated, 1 changed, 1 missing, 2 pending");
  expect(model.applied).toStrictEqual({ receipt: null, because: ["1 test file failed."] });
});

test.each<[string, Partial<FinishedTestRun>, string, string]>([
  ["stays", {}, "none", "1 baseline, 1 obsolete"],
  ["is removed under -u", { removed: true }, "removed", "1 baseline, 1 obsolete"],
  [
    "is held",
    { updateResult: applied({ pending: [held(baseline("old"), "write")] }) },
    "pending",
    "1 baseline, 1 obsolete, 1 pending",
  ],
])("an obsolete baseline %s", (_what, more, updateState, summary) => {
  const model = reportRun(left({ obsolete: [baseline("old")], ...more }));
  expect(model.cases.map((one) => [one.kind, one.updateState, one.test])).toStrictEqual([
    ["obsolete", updateState, null],
  ]);
  expect(model.summary).toBe(summary);
});

test("counts the worst test of a baseline that several check", () => {
  const path = baseline("shared", "{}");
  const model = reportRun(
    left({ logs: [log({ test: "a", path, outcome: "clean" }, { test: "b", path, outcome: "failed" })] }),
  );
  expect(model.cases.map(({ kind, test: of }) => [kind, of?.name])).toStrictEqual([["failed", "b"]]);
});

test("what the run ran on is reported; a problem of the run is an error", () => {
  const model = reportRun(
    left({
      environment: { CI: "true", VERITEST_MODE: "live" },
      shard: { index: 2, count: 3 },
      problems: ["The run was interrupted."],
    }),
  );
  expect(model.environment).toMatchObject({
    ci: true,
    adapterMode: "live",
    shard: { index: 2, count: 3 },
    runner: { name: "vitest", version: "5.1.1" },
  });
  expect([model.status, model.summary, model.problems]).toStrictEqual([
    "error",
    "no baselines",
    ["The run was interrupted."],
  ]);
});
