import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { groupDirectory } from "../baseline/baseline-paths.ts";
import { unmatchedIgnoreWarning, unmatchedRuleWarning } from "../check/compare/unmatched-rules.ts";
import type { ChangeShape } from "../check/update/change-shape.ts";
import { SEVERITY, isVerdictClass } from "../check/verdict.ts";
import type { RunUpdateResult } from "../updates/apply-run.ts";
import type { LoggedCheck, TestFileLog } from "../explain/append-run-log.ts";
import { addressSetting, addressVariable } from "../explain/other-address.ts";
import { quote } from "../kernel/text.ts";
import { shapeOf } from "../explain/shape-of-case.ts";
import { hostsText, rerunAllLines } from "../explain/rerun-command.ts";

/** A check that was logged, with the test file it ran in. */
export interface TestFileCheck extends LoggedCheck {
  /** Absolute. */
  readonly testPath: string;
}

/**
 * Outcomes besides the verdicts' classes, better than any problem and worth more than "clean". `pending`: not
 * written, because its test failed.
 */
const RANK: Readonly<Record<string, number>> = { ...SEVERITY, pending: 8, updated: 9, captured: 9.5 };

/**
 * The last check of each baseline in each test's round, because a retry's last word counts. Tests with the same titles
 * are separate, and so are the logs of a test file in two projects.
 */
function lastChecks(logs: readonly TestFileLog[]): Iterable<TestFileCheck> {
  const lastWords = new Map<string, TestFileCheck>();
  for (const [file, { testPath, checks }] of logs.entries()) {
    for (const check of checks) {
      const key = JSON.stringify([file, check.round ?? check.test, check.path]);
      lastWords.set(key, merged(lastWords.get(key), { ...check, testPath }));
    }
  }
  return lastWords.values();
}

/** Returns the paths of cases that had two results, and so none that can be accepted. */
export function contradictedPaths(logs: readonly TestFileLog[]): ReadonlySet<string> {
  return new Set([...lastChecks(logs)].flatMap(({ path, isSecondResult }) => (isSecondResult === true ? [path] : [])));
}

/** One check per baseline, sorted by path: the one of the worst test. */
export function worstChecks(logs: readonly TestFileLog[]): TestFileCheck[] {
  const worst = new Map<string, TestFileCheck>();
  for (const check of lastChecks(logs)) {
    const known = worst.get(check.path);
    if (known === undefined || rank(check.outcome) < rank(known.outcome)) worst.set(check.path, check);
  }
  return [...worst.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Within one test a capture stays a capture when the baseline is checked again after it. */
function merged(earlier: TestFileCheck | undefined, check: TestFileCheck): TestFileCheck {
  const wrote = earlier?.outcome === "captured" || earlier?.outcome === "updated";
  return wrote && check.outcome === "clean" ? earlier : check;
}

function rank(outcome: string): number {
  return RANK[outcome] ?? 0;
}

/**
 * Outcome of each baseline after the run's updates were applied: only then a staged one is written or becomes pending.
 * One that a retry didn't stage again is neither. If several tests captured one case under different names, one file is
 * written, and the others are left out. If no updates were applied, none is pending, and only an existing file counts
 * as captured. `incomplete`: it may be old or new, until it's recovered.
 */
export function appliedOutcomes(
  outcomes: readonly BaselineOutcome[],
  updateResult: RunUpdateResult | undefined,
): readonly BaselineOutcome[] {
  const root = updateResult?.root ?? "";
  const pending = new Map((updateResult?.pending ?? []).map(({ target, verdict }) => [resolve(root, target), verdict]));
  const incomplete = new Set((updateResult?.incomplete ?? []).map(({ target }) => resolve(root, target)));
  return outcomes.flatMap((known): BaselineOutcome[] => {
    const { outcome, path } = known;
    if (!["captured", "updated", "pending"].includes(outcome)) return [known];
    if (pending.has(path))
      return [{ path, outcome: pending.get(path) === "input_changed" ? "input_changed" : "pending" }];
    if (incomplete.has(path)) return [{ path, outcome: "incomplete" }];
    const written = outcome === "captured" ? existsSync(path) : outcome === "updated" && updateResult !== undefined;
    if (written) return [known];
    return updateResult === undefined ? [{ path, outcome: "not written" }] : [];
  });
}

/** Outcome of one baseline in a run, by its worst test. */
export interface BaselineOutcome {
  readonly path: string;
  readonly outcome: string;
  /** Shape of its changes, if it has any: they may not be pending, as in CI. */
  readonly shape?: ChangeShape;
}

/**
 * How to record the unrecorded requests of several tests. `-u` changes no baseline of a clean check, unless a remark
 * says so: a live check may be clean with another request.
 */
export function rerunLines(logs: readonly TestFileLog[], runner: string): readonly string[] {
  const checks = [...lastChecks(logs)].filter(
    ({ outcome, rerun, remarks = [] }) => rerun !== undefined || !KEPT.has(outcome) || remarks.length > 0,
  );
  return rerunAllLines(checks, runner);
}

/** Returns a sentence on the tests whose requests differ from the recording by their host alone. */
function otherHostLines(logs: readonly TestFileLog[]): readonly string[] {
  const checks = [...lastChecks(logs)].filter(({ rerun, origin }) => rerun === undefined && origin !== undefined);
  const tests = new Set(checks.map(({ testPath, test }) => `${testPath}\n${test}`)).size;
  if (tests < 2) return [];
  const origins = checks.flatMap(({ origin }) => origin ?? []);
  const setting = addressSetting(addressVariable(origins));
  return [`${tests} tests send their recorded requests to another host: ${hostsText(origins)}. Check ${setting}.`];
}

/** Returns advice on the tests of a run as a group. */
export function adviceLines(logs: readonly TestFileLog[], updateResult: RunUpdateResult | undefined): string[] {
  return [...otherHostLines(logs), ...earlyCheckLines(logs, updateResult)];
}

/**
 * Returns a sentence on the steps whose baselines a test checked before this run captured them, which withholds them:
 * tests ran in another order, or test files at the same time.
 */
function earlyCheckLines(
  logs: readonly TestFileLog[],
  { root = "", pending = [] }: Partial<Pick<RunUpdateResult, "root" | "pending">> = {},
): readonly string[] {
  const captured = new Map(pending.map((change) => [resolve(root, change.target), change]));
  const directories = new Set([...captured.keys()].map((path) => dirname(path)));
  const empty = logs.flatMap((log) =>
    (log.emptySteps ?? []).filter((step) => directories.has(join(log.root, groupDirectory(step)))),
  );
  const unrecorded = [...lastChecks(logs)].flatMap(({ path, test, outcome }) => {
    const change = captured.get(path);
    return outcome === "request_changed" && change !== undefined && change.test !== test ? [change.group] : [];
  });
  const steps = [...new Set([...empty, ...unrecorded])].toSorted().map((step) => quote(step));
  if (steps.length === 0) return [];
  return [
    `A test checked the baselines of ${steps.join(", ")} before this run captured them.`,
    "Accept the pending changes, then run the tests again.",
  ];
}

/** Outcomes of checks whose baselines another run with `-u` doesn't change. */
const KEPT: ReadonlySet<string> = new Set(["clean", "captured", "updated"]);

/** One outcome per baseline, sorted by path. */
export function summarize(logs: readonly TestFileLog[]): BaselineOutcome[] {
  return worstChecks(logs).map(({ path, outcome, findings }) => ({
    path,
    outcome,
    ...(findings !== undefined &&
      findings.changes.length > 0 &&
      isVerdictClass(outcome) && { shape: shapeOf({ kind: outcome, findings }) }),
  }));
}

/**
 * Remarks of passing checks, without repeated lines: several tests may check one baseline. A rule is reported if no
 * check of its group matches it: a path that one baseline lacks may be in another.
 */
export function remarksOfRun(logs: readonly TestFileLog[]): Remark[] {
  const checks = logs.flatMap((log) => log.checks.map((check) => ({ ...check, group: groupOfCheck(log, check) })));
  const groups = Map.groupBy(checks, ({ group }) => group);
  const matched = new Map(
    [...groups].map(([group, of]) => [group, new Set(of.flatMap(({ matchedRules = [] }) => matchedRules))]),
  );
  const remarks = checks.flatMap(({ path, group, remarks: texts = [], unmatchedRules: rules = [] }) => [
    ...texts.map((text) => ({ path, text })),
    ...rules
      .filter((rule) => matched.get(group)?.has(rule) !== true)
      .map((rule) => ({ path, text: unmatchedRuleWarning(rule) })),
  ]);
  const once = Map.groupBy(remarks, ({ path, text }) => `${path}\n${text}`);
  return [...[...once.values()].flatMap((of) => of.slice(0, 1)), ...unmatchedIgnores(checks)];
}

/** The step of a check, which tests in several folders may check. The values of a test file are in its folder only. */
function groupOfCheck({ testPath }: TestFileLog, { path }: LoggedCheck): string {
  const folder = dirname(path);
  const group = basename(folder);
  return group === groupDirectory(basename(testPath).normalize("NFC")) ? folder : group;
}

/** The project's rules of `ignore` that no check matched, each with the first check that reports it. */
function unmatchedIgnores(checks: readonly LoggedCheck[]): Remark[] {
  const matched = new Set(checks.flatMap(({ projectIgnores }) => projectIgnores?.matched ?? []));
  const firsts = new Map<string, string>();
  for (const { path, projectIgnores } of checks)
    for (const rule of projectIgnores?.unmatched ?? [])
      if (!matched.has(rule) && !firsts.has(rule)) firsts.set(rule, path);
  return [...firsts].map(([rule, path]) => ({ path, text: unmatchedIgnoreWarning(rule) }));
}

/** A line about one baseline. */
export interface Remark {
  readonly path: string;
  readonly text: string;
}
