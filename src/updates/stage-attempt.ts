import { printToStderr } from "../kernel/printed.ts";
import { dirname } from "node:path";
import { type Result, err, ok } from "../kernel/result.ts";
import { type UpdateContext, openUpdateContext } from "./update-context.ts";
import { projectPaths, projectRoot } from "../kernel/files/project-paths.ts";
import { fileErrorMessage, messageOf } from "../kernel/error-message.ts";
import { realNow } from "../kernel/real-clock.ts";
import { ciRefusal } from "../kernel/write-policy.ts";
import type { StagedUpdate } from "../check/update/stage-update.ts";
import { type GateReport, checkGates } from "./gates/check-gates.ts";
import type { LookUpPolicy } from "./policy.ts";
import { receiptHead } from "./commit/commit-changes.ts";
import { commitUpdates } from "./commit/commit-updates.ts";
import { type PendingChange, pendingChange } from "./pending/pending-change.ts";
import { withoutSecretNames } from "./pending/hide-names.ts";
import { writePending } from "./pending/pending-store.ts";
import { type TestRun, announcedRun, beginRun } from "./test-run.ts";
import { failChanges, stageChanges } from "./pending/stage-changes.ts";

// The part of `updates` that workers load, at the first change of a test.
export { pendingOfTest } from "./pending/pending-of-test.ts";

/** One finished attempt of a test, with all its changes. */
export interface EndedAttempt {
  readonly changes: readonly StagedUpdate[];
  /** Absolute path of the test file. */
  readonly testPath: string;
  readonly test: string;
  /** Vitest's name of the project that ran it. */
  readonly project?: string | undefined;
  readonly passed: boolean;
  /**
   * Keys of the changes that earlier attempts of the test staged (`StagedByTest`); those not staged again are removed.
   */
  readonly earlier: ReadonlySet<string>;
}

/** Result of staging an attempt's changes. */
export interface StageResult {
  /** Keys that are staged until the end of the run. */
  readonly staged: readonly string[];
  /** One sentence on why a change of a passing test is neither written nor staged. */
  readonly problem: string | undefined;
}

/**
 * Stages an attempt's changes for the run that was announced to this worker. Without a run (no plugin, no
 * preset, other reporters), the test's own result decides, and its updates are written immediately by the same commit.
 */
export async function storeAttempt(
  attempt: EndedAttempt,
  environment: NodeJS.ProcessEnv,
  lookUpPolicy: LookUpPolicy,
): Promise<StageResult> {
  try {
    const run = announcedRun(environment);
    return run === undefined ? await applyAlone(attempt, environment, lookUpPolicy) : stageAttempt(attempt, run);
  } catch (thrown) {
    return { staged: [], problem: `Cannot store the updates of this test: ${fileErrorMessage(thrown)}` };
  }
}

/**
 * Stages the changes of an attempt until the end of a run, also those of a failed test. Then `splitByScope` withholds
 * these, and they become pending.
 */
export function stageAttempt(attempt: EndedAttempt, run: TestRun): StageResult {
  const changes = recordsOf(attempt, { root: run.paths.root, run: run.id });
  stageChanges(run, changes, attempt.earlier);
  return { staged: changes.map(({ key }) => key), problem: undefined };
}

/**
 * Marks staged changes, by their keys, as a failed test's. Does nothing if no run was announced, because they're
 * already applied.
 */
export function markStagedFailed(keys: ReadonlySet<string>, environment: NodeJS.ProcessEnv): void {
  const run = announcedRun(environment);
  if (run !== undefined) failChanges(run, keys);
}

async function applyAlone(
  attempt: EndedAttempt,
  environment: NodeJS.ProcessEnv,
  lookUpPolicy: LookUpPolicy,
): Promise<StageResult> {
  const directory = dirname(attempt.testPath);
  const paths = projectPaths(projectRoot(directory), environment);
  const run = beginRun(paths).id;
  const records = recordsOf(attempt, { root: paths.root, run });
  const writes = attempt.passed ? records.filter(({ intent }) => intent === "write") : [];
  const lookup = await lookUpPolicy(directory);
  const io = { environment, isTTY: process.stdout.isTTY, lookUpPolicy };
  // One test is all that is known.
  const context = lookup.ok ? openUpdateContext(paths, { ...lookup.value.policy, scope: "test" }, io) : lookup;
  const report = writes.length === 0 ? undefined : await reportAlone(attempt.test, writes, context);
  const written = new Set(report?.ok === false ? [] : writes);
  writePending(
    paths,
    records.filter((record) => !written.has(record)),
  );
  if (report?.ok === false)
    return {
      staged: [],
      problem: `${report.error} No file was written, and the result is pending. To review it, run: npx veritest review`,
    };
  if (report === undefined || !context.ok) return { staged: [], problem: undefined };
  const updates = attempt.changes.filter(({ intent }) => intent === "write").map(({ update }) => update);
  const facts = { kind: "commit", run, context: context.value, report: report.value, runner: undefined } as const;
  const commitment = commitUpdates(updates, { paths, receiptHead: receiptHead(facts) });
  switch (commitment.kind) {
    case "committed":
      // The baselines are written. The next process completes the rest.
      if (commitment.problem !== undefined) printToStderr([`veritest: ${commitment.problem}`]);
      return { staged: [], problem: undefined };
    case "refused":
    case "blocked":
    case "incomplete":
      return { staged: [], problem: keptFor(commitment.problem, () => writePending(paths, writes)) };
  }
}

/** Stores the result in any case, so that it isn't lost. If that fails too, the first problem is still reported. */
function keptFor(problem: string, keepAll: () => void): string {
  try {
    keepAll();
    return problem;
  } catch (thrown) {
    return `${problem} The result couldn't be stored as pending either: ${messageOf(thrown)}`;
  }
}

/**
 * Runs the gates of a test without a run. The error is the reason why it must not write: a gate refuses it, or the
 * policy has a rule about complete runs.
 */
async function reportAlone(
  test: string,
  writes: readonly PendingChange[],
  context: Result<UpdateContext, string>,
): Promise<Result<GateReport, string>> {
  if (!context.ok) return context;
  const { actor, policy } = context.value;
  const refusal = ciRefusal(actor);
  if (refusal !== undefined) return err(refusal);
  const rules = [
    ...(policy.maxUpdates === Infinity ? [] : ["maxUpdates"]),
    ...(policy.verify.length === 0 ? [] : ["verify"]),
    ...(policy.approve === undefined ? [] : ["approve"]),
  ];
  if (rules.length > 0)
    return err(
      `policy.${rules.join(" and policy.")} apply to a complete run, so they need veritest's reporter. To add it, ` +
        "run: npx veritest init",
    );
  const report = await checkGates({ changes: writes, context: context.value, known: [] });
  if (report.problems.length > 0) return err(report.problems.join(" "));
  return ok({ ...report, gates: [{ name: "test", ok: true, detail: test, ms: 0 }, ...report.gates] });
}

function recordsOf(
  { changes, testPath, test, project, passed }: EndedAttempt,
  { root, run }: { readonly root: string; readonly run: string },
): PendingChange[] {
  // With a date of fake timers, the change would expire at once.
  const at = new Date(realNow()).toISOString();
  return changes.map((change) =>
    withoutSecretNames(pendingChange(change, { projectRoot: root, testPath, test, project, passed, run, at })),
  );
}
