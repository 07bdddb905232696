import { resolve } from "node:path";
import { fileErrorMessage } from "../kernel/error-message.ts";
import type { PartDiff } from "../check/compare/compare.ts";
import type { BaselineUpdate } from "../baseline/baseline.ts";
import type { Receipt, ReceiptRunner } from "./receipts/receipt.ts";
import { targetName } from "../kernel/files/project-paths.ts";
import { type CommitRequest, commitChanges, appendEmptyReceipt, withFailedGate } from "./commit/commit-changes.ts";
import { checkGates } from "./gates/check-gates.ts";
import { type PendingChange, pendingChange } from "./pending/pending-change.ts";
import { countPending, removePending, writePending, pendingOf } from "./pending/pending-store.ts";
import type { GateResult } from "./gates/check-policy.ts";
import type { UpdateContext } from "./update-context.ts";
import type { TestRun } from "./test-run.ts";
import { type ChangedInput, type UnusedBaseline, findChangedInputs } from "./gates/changed-inputs.ts";
import { type EndedFile, conflictProblems, manifestProblems, splitByScope } from "./gates/split-by-scope.ts";
import { type StagedRun, clearApplied, readStaged, stageDirectory } from "./pending/stage-changes.ts";

/** A run that ended, as its reporter knows it. */
export interface EndedRun {
  readonly run: TestRun;
  readonly context: UpdateContext;
  readonly files: readonly EndedFile[];
  /**
   * Reasons why the run can't be trusted, one sentence each: it was interrupted, a worker died, an error was unhandled.
   */
  readonly problems: readonly string[];
  /** Obsolete baselines to remove. */
  readonly removals: readonly BaselineUpdate[];
  /** Absolute paths of cases that had two results: their changes are dropped. */
  readonly contradicted?: ReadonlySet<string>;
  /** Baselines that the run's test files don't use, and that stay. */
  readonly unused?: readonly UnusedBaseline[];
  readonly runner: ReceiptRunner | undefined;
}

/** Result of applying a run's updates. */
export interface RunUpdateResult {
  /** The project's root, which targets are relative to. */
  readonly root: string;
  readonly written: readonly BaselineUpdate[];
  readonly receipt: Receipt | undefined;
  /** Updates that the run was going to write and that are now pending. */
  readonly pending: readonly PendingChange[];
  /** Updates that may be written in part. Only `veritest doctor` makes it all or none. */
  readonly incomplete: readonly PendingChange[];
  /** Reasons why they are pending or incomplete, one sentence each. */
  readonly reasons: readonly string[];
  /** Changes of failing tests, which are pending. */
  readonly failing: readonly PendingChange[];
  /** Differences of each new case from the one of the earlier input, by absolute path. */
  readonly inputChanges?: ReadonlyMap<string, readonly PartDiff[]>;
  /** Changed inputs that only a complete run with -u replaces. */
  readonly unreplaced?: readonly PendingChange[];
  /** Number of other changes that are still pending from earlier runs. */
  readonly earlier: number;
  /** Problems that don't affect the result, one sentence each. */
  readonly notices: readonly string[];
  /** True if the run must fail, because an update wasn't written. */
  readonly failed: boolean;
}

/**
 * Ends a run: writes its updates as one transaction if every gate passes, otherwise makes all of them pending. Only
 * throws before the first write. A later error is a notice, because the baselines are already written.
 */
export async function applyRun(ended: EndedRun): Promise<RunUpdateResult> {
  const { run, context, files } = ended;
  const { paths, id } = run;
  const staged = readStaged(paths, id);
  const isValid = ({ target }: PendingChange): boolean => ended.contradicted?.has(resolve(paths.root, target)) !== true;
  const changes = onceEach(staged.changes).filter(isValid);
  const unused = ended.unused ?? [];
  const reviewed = changes.filter(({ intent }) => intent === "review");
  const ofFailed = new Map(findChangedInputs(reviewed, { unused, root: paths.root }).map((each) => [each.added, each]));
  const failing = reviewed.map((change) => unreplaced(ofFailed.get(change)?.change) ?? change);
  const { writes, changedInputs, pairs } = replacementsOf(
    changes.filter(({ intent }) => intent === "write"),
    ended,
  );
  const split = splitByScope(writes, { scope: context.policy.scope, root: paths.root, files });
  const { candidates } = split;
  const withheld = [...split.withheld, ...changedInputs.map(({ change }) => change)];
  const reasons = [...split.reasons, ...changedInputs.map(({ reason }) => reason)];
  const known = knownGates(
    ended,
    staged.changes,
    staged.unreadable.map((name) => `A pending update can't be read: ${name}. Run its test again.`),
  );
  const tried = candidates.length === 0 ? NOTHING_WRITTEN : await tryToCommit(candidates, ended, known);
  const { written, receipt, incomplete } = tried;
  const wrote = new Set(written.map(({ path }) => targetName(paths.root, path)));
  // A failing test may have the same change that was written for a passing one.
  const isOpen = ({ target }: Pick<PendingChange, "target">): boolean => !wrote.has(target);
  const [pending, review] = [[...withheld, ...tried.pending].filter(isOpen), failing.filter(isOpen)];
  const stillPending = [...pending, ...incomplete, ...review];
  const notices = [
    ...tried.notices,
    ...problemOf("Written baselines are still listed as pending", () =>
      wrote.size === 0
        ? undefined
        : removePending(
            paths,
            pendingOf(paths.state, (older) => !isOpen(older)),
          ),
    ),
    ...storePending(stillPending, ended, staged),
  ];
  writeNotes(ended, { pending, review, tried, reasons: [...reasons, ...tried.reasons] });
  return {
    root: paths.root,
    written,
    receipt,
    pending,
    incomplete,
    reasons: [...reasons, ...tried.reasons],
    failing: review,
    unreplaced: changedInputs.filter(({ hasOutage }) => !hasOutage).map(({ change }) => change),
    inputChanges: new Map(pairs.map(({ added: { target }, changes }) => [resolve(paths.root, target), changes])),
    earlier: countOther(paths.state, stillPending),
    notices,
    failed: pending.length + incomplete.length > 0,
  };
}

/**
 * Finds the new cases that replace another one. They become pending, but under -u a complete run writes each with the
 * removal of the other, and gives it its class, which a policy may forbid. It doesn't if a model failed: the case to be
 * removed has responses that the new one lacks.
 */
function replacementsOf(
  added: readonly PendingChange[],
  ended: EndedRun,
): {
  readonly writes: readonly PendingChange[];
  /** The pairs that aren't written. */
  readonly changedInputs: readonly ChangedInput[];
  readonly pairs: readonly ChangedInput[];
} {
  const { removals, run, unused = [] } = ended;
  const removed = removals.map(({ path }) => ({ path, allTestsRan: true }));
  const pairs = findChangedInputs(added, { unused: [...unused, ...removed], root: run.paths.root });
  const changedInputs = pairs.filter(({ hasOutage }) => hasOutage || removed.length === 0);
  const withheld = new Set(changedInputs.map((pair) => pair.added));
  const kept = new Set(changedInputs.map(({ replaced }) => replaced));
  const replacing = new Map(pairs.map((pair) => [pair.added, pair.change.shown]));
  const additions = added
    .filter((change) => !withheld.has(change))
    .map((change) => {
      const lines = replacing.get(change);
      return lines === undefined ? change : { ...change, verdict: "input_changed" as const, shown: lines };
    });
  const rest = removals.filter(({ path }) => !kept.has(path));
  return { writes: [...additions, ...rest.map((update) => removalOf(update, ended))], changedInputs, pairs };
}

/** A failed test may not have reached the check that uses the earlier case: accepting the new one keeps it. */
function unreplaced(change: PendingChange | undefined): PendingChange | undefined {
  if (change === undefined) return undefined;
  const { replaces: _replaces, replacedHash: _hash, ...rest } = change;
  return rest;
}

/**
 * Moves changes from the run's stage to the pending changes. Those that can't be moved stay staged for the next run.
 */
function storePending(
  changes: readonly PendingChange[],
  { run: { paths, id } }: EndedRun,
  staged: StagedRun,
): string[] {
  const kept = problemOf(
    `The pending changes are still in ${stageDirectory(paths, id)}, and the next run stores them`,
    () => {
      writePending(paths, changes, staged.texts);
    },
  );
  if (kept.length > 0) return kept;
  return problemOf("The run's pending updates are still stored, and the next run removes them", () => {
    clearApplied(paths, id, staged.changes);
  });
}

/** Number of pending changes besides these; 0 if they can't be listed. */
function countOther(state: string, changes: readonly PendingChange[]): number {
  try {
    return countPending(state, changes);
  } catch {
    return 0;
  }
}

/** Runs a cleanup. Returns one sentence if it fails. */
function problemOf(what: string, work: () => string | void): string[] {
  try {
    const problem = work();
    return problem === undefined ? [] : [problem];
  } catch (thrown) {
    return [`${what}: ${fileErrorMessage(thrown)}`];
  }
}

/** Merges equal changes of two tests, for example of a check of all cases and of the test of one case. */
function onceEach(changes: readonly PendingChange[]): PendingChange[] {
  return [
    ...Map.groupBy(changes, ({ target, after, intent, passed }) =>
      JSON.stringify([target, after, intent, passed]),
    ).values(),
  ].flatMap((of) => of.slice(0, 1));
}

/** Result of trying to write. */
interface CommitOutcome {
  readonly written: readonly BaselineUpdate[];
  readonly receipt: Receipt | undefined;
  readonly pending: readonly PendingChange[];
  readonly incomplete: readonly PendingChange[];
  readonly reasons: readonly string[];
  readonly notices: readonly string[];
}

const NOTHING_WRITTEN: CommitOutcome = {
  written: [],
  receipt: undefined,
  pending: [],
  incomplete: [],
  reasons: [],
  notices: [],
};

async function tryToCommit(
  changes: readonly PendingChange[],
  ended: EndedRun,
  known: readonly GateResult[],
): Promise<CommitOutcome> {
  const { run, context, runner } = ended;
  const report = await checkGates({ changes, context, known });
  const facts: CommitRequest = { kind: "commit", run: run.id, context, report, runner };
  if (report.problems.length > 0) return leavePending(changes, facts, report.problems);
  const commitment = commitChanges(changes, facts);
  switch (commitment.kind) {
    case "committed":
      return {
        ...NOTHING_WRITTEN,
        written: commitment.written,
        receipt: commitment.receipt,
        notices: [commitment.problem, report.stagedNotice].filter((line) => line !== undefined),
      };
    case "refused":
    case "blocked":
      return leavePending(changes, withFailedGate(facts, commitment.problem), [commitment.problem]);
    case "incomplete":
      // No receipt yet, because its content isn't known. The process that recovers the transaction writes one.
      return { ...NOTHING_WRITTEN, incomplete: changes, reasons: [commitment.problem] };
  }
}

function knownGates(
  { problems, run, files }: EndedRun,
  changes: readonly PendingChange[],
  unreadable: readonly string[],
): GateResult[] {
  const joined = (problems: readonly string[]): string | undefined =>
    problems.length === 0 ? undefined : problems.join(" ");
  return [
    { name: "complete", problem: joined(problems) },
    {
      name: "manifest",
      problem: joined([...unreadable, ...manifestProblems(changes, { root: run.paths.root, files })]),
    },
    { name: "one-result", problem: joined(conflictProblems(changes, { root: run.paths.root, files })) },
  ];
}

function leavePending(
  changes: readonly PendingChange[],
  facts: CommitRequest,
  reasons: readonly string[],
): CommitOutcome {
  const at = facts.context.now.getTime().toString(36);
  const receipt = appendEmptyReceipt(changes, { ...facts, kind: "hold" }, `${facts.run}-${at}`);
  const result = { ...NOTHING_WRITTEN, pending: changes, reasons };
  return receipt.ok ? { ...result, receipt: receipt.value } : { ...result, notices: [receipt.error] };
}

function removalOf(update: BaselineUpdate, { run, context }: EndedRun): PendingChange {
  const origin = {
    projectRoot: run.paths.root,
    testPath: run.paths.root,
    test: "(no test uses it)",
    passed: true,
    run: run.id,
    at: context.now.toISOString(),
  };
  return pendingChange({ update, intent: "write", verdict: "obsolete", shown: ["    no test uses it"] }, origin);
}

function writeNotes(
  { run, context: { notes } }: EndedRun,
  {
    pending,
    review,
    tried,
    reasons,
  }: {
    readonly pending: readonly PendingChange[];
    readonly review: readonly PendingChange[];
    readonly tried: CommitOutcome;
    readonly reasons: readonly string[];
  },
): void {
  const refs = tried.receipt === undefined ? [] : [tried.receipt.id];
  if (tried.written.length > 0)
    notes.write({ type: "committed", run: run.id, body: `${tried.written.length} baselines written.`, refs });
  for (const problem of reasons) notes.write({ type: "gate_failed", run: run.id, body: problem });
  if (pending.length + review.length > 0)
    notes.write({
      type: "held",
      run: run.id,
      body: `${pending.length + review.length} changes are pending.`,
      refs,
    });
}
