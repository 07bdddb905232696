import { relative } from "node:path";
import type { GateFinding } from "./check-diff.ts";
import { changedTestsFailure, findingsFailure, unmeasuredTests } from "./findings.ts";
import { namesTests } from "./foreign-tests.ts";
import { isTestData, isTestSide, layCode } from "./base-tests.ts";
import { type CheckedWork, type MeasuredCheck, hasCode } from "./fresh-checks.ts";
import { makeLinks } from "./links.ts";
import { checkOut } from "./own-repository.ts";
import { projectIn } from "./run-checks.ts";
import { type RunContext, type RunDiscard, discardOf, gitCall, recordGate, treePath } from "./run-options.ts";
import { writeChanges } from "./tree-files.ts";
import { CheckJudge } from "./check-judge.ts";
import { isRun } from "./runner-results.ts";

/**
 * Runs the tests of the commit before on the new code, with their own expectations and configuration: those that fail
 * there and pass on the old code are changed expectations. Compares which tests run and execute assertions. If the run
 * changes code and tests, one of the changed test files must also fail on the old code, and if a changed line of the
 * code is altered.
 */
export async function judgeResults(
  context: RunContext,
  work: CheckedWork,
  checks: readonly MeasuredCheck[],
): Promise<RunDiscard | undefined> {
  if (!hasCode(work.changes)) return undefined;
  const started = context.options.clock();
  const path = treePath(context, "base");
  const made = await checkOut(path, context.repository.base, context.settings);
  if (!made.ok) return discardOf("worktree", made.error);
  makeLinks(context.repository, path, context.links);
  context.options.onStep?.("base-tree-made");
  const findings: GateFinding[] = [];
  const [data, settings, counted] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let count = checks.flatMap(({ results }) => results.filter(isRun)).length;
  const foreign: string[] = [];
  const judges: CheckJudge[] = [];
  for (const [index, check] of context.options.checks.entries()) {
    // The judge of the check before left the old code in the tree, and perhaps new tests.
    if (index > 0) await writeChanges(path, work.changes, { side: "before", call: gitCall(context) });
    const kept = await layCode(context, path, work.changes);
    const checked = kept.map(({ oldPath }) => oldPath).filter((each) => isTestData(each) || !isTestSide(each));
    for (const each of checked) (isTestData(each) ? data : settings).add(each);
    const after = checks.find((each) => each.check === check);
    const isTests = [path, treePath(context, "check")].some((tree) => namesTests(check.run, projectIn(context, tree)));
    const isTestKept = work.changes.some(({ kind, oldPath }) => kind !== "added" && isTestSide(oldPath));
    const judge = new CheckJudge(context, work, {
      check,
      after,
      path,
      isKept: kept.some(({ oldPath }) => !isTestData(oldPath)) || (isTests && isTestKept),
      isOnly: checks.length === 1,
    });
    judges.push(judge);
    findings.push(...(await judge.judged()));
    for (const file of judge.files) counted.add(file);
    if (judge.isMeasured) count ||= 1;
    else if (isTests && after === undefined) foreign.push(check.name);
    if (context.options.signal.aborted) return { gate: "results", summary: "the run was interrupted.", details: [] };
  }
  const unmeasured = count === 0 ? [context.options.checks.map(({ name }) => name).join(", ")] : foreign;
  findings.push(...unmeasured.map(unmeasuredTests));
  context.evidence.tests = count;
  context.evidence.unmeasured = foreign;
  // Each of these runs tests again, so they come last.
  const judging = new Set([...data, ...settings]);
  const open = openFindings(context, findings);
  if (open.length === 0)
    for (const judge of judges) open.push(...openFindings(context, await judge.unnoticedChanges(judging)));
  const project = relative(path, projectIn(context, path)).replaceAll("\\", "/");
  const known = unmeasured.length === 0 ? undefined : counted;
  const tests = { data, counted: known, kept: settings, tree: work.tree, project };
  const failure =
    findingsFailure("results", open) ??
    (context.options.limits.allow.includes("test-changed")
      ? undefined
      : await changedTestsFailure(context, work.changes, tests));
  recordGate(context, { name: "results", started, failure });
  context.options.onStep?.("results-judged");
  return failure;
}

/** The findings that no person allowed. */
function openFindings({ options }: RunContext, findings: readonly GateFinding[]): GateFinding[] {
  return findings.filter(({ rule }) => !options.limits.allow.some((allowed) => allowed === rule));
}
