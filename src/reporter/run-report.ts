import { readVariable } from "../kernel/environment.ts";
import { basename, dirname, resolve } from "node:path";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { type VerdictClass, isVerdictClass } from "../check/verdict.ts";
import { targetName } from "../kernel/files/project-paths.ts";
import { readText } from "../kernel/files/read.ts";
import { isCi } from "../kernel/write-policy.ts";
import { type ReceiptRunner, versions } from "../updates/receipts/receipt.ts";
import type { RunUpdateResult } from "../updates/apply-run.ts";
import type { TestFileLog } from "../explain/append-run-log.ts";
import { buildRunModel } from "./build-run-model.ts";
import { reportText } from "../explain/report-value.ts";
import type { ReportEnvironment, ReportSource, RunModel, RunShard } from "../explain/run-model.ts";
import type { ReportCase, ReportUpdateState } from "../explain/report-case.ts";
import { findingsOfChanges } from "./run/input-changes.ts";
import { type TestFileCheck, appliedOutcomes, worstChecks } from "./outcomes.ts";

/** Data of a finished run in the main process. */
export interface FinishedTestRun {
  /** The project's root, absolute. */
  readonly root: string;
  readonly logs: readonly TestFileLog[];
  readonly updateResult: RunUpdateResult | undefined;
  /** Paths of baselines that no test uses, and whether they were removed. */
  readonly obsolete: readonly string[];
  readonly removed: boolean;
  readonly problems: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly runner: ReceiptRunner | undefined;
  readonly shard: RunShard | undefined;
  readonly source?: ReportSource;
  readonly environment: NodeJS.ProcessEnv;
  /** The line of the assertion that failed, by `locationKey`. */
  readonly lines: ReadonlyMap<string, number>;
  /** True if the runner annotates failed tests on GitHub itself. */
  readonly isAnnotated?: boolean | undefined;
}

/** Makes the model of a run of tests. Reads the baselines for their labels. An unreadable one has none. */
export function reportRun(left: FinishedTestRun): RunModel {
  const { updateResult, startedAt, endedAt, problems } = left;
  return buildRunModel({
    startedAt: new Date(startedAt).toISOString(),
    durationMs: Math.round(endedAt - startedAt),
    environment: environmentOf(left),
    cases: [...checkedCases(left), ...obsoleteCases(left)],
    applied:
      updateResult === undefined
        ? null
        : { receipt: updateResult.receipt?.id ?? null, because: updateResult.reasons.map(reportText) },
    problems: problems.map(reportText),
  });
}

function checkedCases(left: FinishedTestRun): ReportCase[] {
  const checks = worstChecks(left.logs);
  const outcomes = new Map(appliedOutcomes(checks, left.updateResult).map(({ path, outcome }) => [path, outcome]));
  const reviewed = new Set((left.updateResult?.failing ?? []).map(({ target }) => resolve(left.root, target)));
  return checks.flatMap((check) => {
    const outcome = outcomes.get(check.path);
    return outcome === undefined ? [] : [checkedCase(check, { left, outcome, reviewed: reviewed.has(check.path) })];
  });
}

function checkedCase(
  check: TestFileCheck,
  { left, outcome, reviewed }: { readonly left: FinishedTestRun; readonly outcome: string; readonly reviewed: boolean },
): ReportCase {
  const { path, testPath, test, source = null } = check;
  const changes = outcome === "input_changed" ? left.updateResult?.inputChanges?.get(path) : undefined;
  const findings = (changes === undefined ? check.findings : findingsOfChanges(changes)) ?? null;
  const line = left.lines.get(locationKey(testPath, test)) ?? null;
  return {
    ...describeBaseline(path),
    baseline: reportText(targetName(left.root, path)),
    test: { file: reportText(targetName(left.root, testPath)), name: reportText(test), line },
    kind: outcome === "input_changed" ? outcome : kindOf(check),
    // In CI a changed input isn't pending.
    updateState:
      (check.outcome === "input_changed" ? undefined : updateStateOf(outcome)) ?? (reviewed ? "review" : "none"),
    source,
    durationMs: check.ms ?? null,
    usage: check.usage ?? null,
    findings,
  };
}

function obsoleteCases({ root, obsolete, removed, updateResult }: FinishedTestRun): ReportCase[] {
  const left = [...(updateResult?.pending ?? []), ...(updateResult?.incomplete ?? [])];
  const pending = new Set(left.map(({ target }) => resolve(root, target)));
  const nothing = {
    test: null,
    kind: "obsolete",
    source: null,
    durationMs: null,
    usage: null,
    findings: null,
  } as const;
  return obsolete.map((path) => {
    const state = pending.has(path) ? "pending" : "none";
    return {
      ...describeBaseline(path),
      ...nothing,
      baseline: reportText(targetName(root, path)),
      updateState: removed ? "removed" : state,
    };
  });
}

function kindOf({ verdict, outcome }: TestFileCheck): VerdictClass {
  if (verdict !== undefined) return verdict;
  return isVerdictClass(outcome) ? outcome : "missing";
}

function updateStateOf(outcome: string): ReportUpdateState | undefined {
  // It's pending, too, and the reasons next to it name the first action.
  if (["incomplete", "pending", "input_changed"].includes(outcome)) return "pending";
  return outcome === "captured" || outcome === "updated" ? outcome : undefined;
}

/** Step and labels of a baseline, read without checking it. A damaged one is identified by its path. */
function describeBaseline(path: string): Pick<ReportCase, "step" | "labels"> {
  const { step, labels } = readFields(path);
  return {
    step: reportText(typeof step === "string" ? step : basename(dirname(path))),
    labels: isArray(labels) ? labels.filter((label) => typeof label === "string").map(reportText) : [],
  };
}

function readFields(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readText(path) ?? "null");
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}

function environmentOf({ environment, runner, shard, source }: FinishedTestRun): ReportEnvironment {
  const { veritest, node, platform } = versions();
  return {
    veritest,
    runner: runner === undefined ? null : { name: runner.name, version: runner.version },
    node,
    platform,
    ci: isCi(environment),
    adapterMode:
      readVariable(environment, "VERITEST_MODE") ?? readVariable(environment, "VERITEST_PROJECT_MODE") ?? null,
    shard: shard === undefined ? null : { index: shard.index, count: shard.count },
    ...(source === undefined ? {} : { source }),
  };
}

/** Key of a test for the lookup of its failing line. */
export function locationKey(testPath: string, test: string): string {
  return `${testPath}\n${test}`;
}
