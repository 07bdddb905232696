import { diskMessageOf } from "../kernel/thrown.ts";
import type { Proposal } from "../baseline/baseline.ts";
import type { Receipt, ReceiptRunner } from "./receipts/receipt.ts";
import { targetName } from "../kernel/files/places.ts";
import { type SettlementFacts, commitChanges, receiptOfNothing, withRefusal } from "./commit/commit-changes.ts";
import { askGates } from "./gates/ask-gates.ts";
import { type PendingChange, pendingChange } from "./pending/pending-change.ts";
import { dropPending, keepPending, pendingOf } from "./pending/pending.ts";
import type { GateAnswer } from "./gates/policy-gates.ts";
import type { Settler } from "./settler.ts";
import type { SettlingRun } from "./run-identity.ts";
import { type EndedFile, answerProblems, manifestProblems, splitByScope } from "./gates/run-gates.ts";
import { type StagedRun, clearSettled, readStaged, stageDirectory } from "./pending/stage.ts";

/** A run that ended, as its reporter knows it. */
export interface EndedRun {
  readonly run: SettlingRun;
  readonly settler: Settler;
  readonly files: readonly EndedFile[];
  /**
   * Reasons why the run can't be trusted, one sentence each: it was interrupted, a worker died, an error was unhandled.
   */
  readonly problems: readonly string[];
  /** Obsolete baselines to remove. */
  readonly removals: readonly Proposal[];
  readonly runner: ReceiptRunner | undefined;
}

/** Result of applying a run's updates. */
export interface Settlement {
  /** The project's root, which targets are relative to. */
  readonly root: string;
  readonly written: readonly Proposal[];
  readonly receipt: Receipt | undefined;
  /** Updates that the run was going to write and that are now pending. */
  readonly held: readonly PendingChange[];
  /** Updates that may be written in part. Only `veritest recover` makes it all or none. */
  readonly unsettled: readonly PendingChange[];
  /** Reasons why they are pending or incomplete, one sentence each. */
  readonly because: readonly string[];
  /** Changes of failing tests, which are pending. */
  readonly review: readonly PendingChange[];
  /** Problems that don't affect the result, one sentence each. */
  readonly notices: readonly string[];
  /** True if the run must fail, because an update wasn't written. */
  readonly failed: boolean;
}

/**
 * Ends a run: writes its updates as one transaction if every gate passes, otherwise makes all of them pending. Only
 * throws before the first write. A later error is a notice, because the baselines are already written.
 */
export async function settleRun(ended: EndedRun): Promise<Settlement> {
  const { run, settler, files } = ended;
  const { places, id } = run;
  const staged = readStaged(places, id);
  const changes = onceEach(staged.changes);
  const failing = changes.filter(({ intent }) => intent === "review");
  const writes = [
    ...changes.filter(({ intent }) => intent === "write"),
    ...ended.removals.map((proposal) => removalOf(proposal, ended)),
  ];
  const { candidates, behind, because } = splitByScope(writes, {
    scope: settler.policy.scope,
    root: places.root,
    files,
  });
  const known = knownAnswers(
    ended,
    staged.changes,
    staged.unreadable.map((name) => `A staged change cannot be read: ${name}.`),
  );
  const tried = candidates.length === 0 ? NOTHING_TRIED : await tryToCommit(candidates, ended, known);
  const { written, receipt, unsettled } = tried;
  const wrote = new Set(written.map(({ path }) => targetName(places.root, path)));
  // A failing test may have the same change that was written for a passing one.
  const isOpen = ({ target }: Pick<PendingChange, "target">): boolean => !wrote.has(target);
  const [held, review] = [[...behind, ...tried.held].filter(isOpen), failing.filter(isOpen)];
  const waiting = [...held, ...unsettled, ...review];
  const notices = [
    ...tried.notices,
    ...trouble("What waited for review of them is still there", () =>
      wrote.size === 0
        ? undefined
        : dropPending(
            places,
            pendingOf(places.state, (older) => !isOpen(older)),
          ),
    ),
    ...putAway(waiting, ended, staged),
  ];
  noteDown(ended, { held, review, tried, because: [...because, ...tried.because] });
  return {
    root: places.root,
    written,
    receipt,
    held,
    unsettled,
    because: [...because, ...tried.because],
    review,
    notices,
    failed: held.length + unsettled.length > 0,
  };
}

/**
 * Moves changes from the run's stage to the pending changes. Those that can't be moved stay staged for the next run.
 */
function putAway(waiting: readonly PendingChange[], { run: { places, id } }: EndedRun, staged: StagedRun): string[] {
  const kept = trouble(`What waits is still in ${stageDirectory(places, id)}, and the next run keeps it`, () => {
    keepPending(places, waiting, staged.texts);
  });
  if (kept.length > 0) return kept;
  return trouble("What the run staged is still there, and the next run removes it", () => {
    clearSettled(places, id, staged.changes);
  });
}

/** Runs a cleanup. Returns one sentence if it fails. */
function trouble(what: string, work: () => string | void): string[] {
  try {
    const problem = work();
    return problem === undefined ? [] : [problem];
  } catch (thrown) {
    return [`${what}: ${diskMessageOf(thrown)}`];
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
interface Tried {
  readonly written: readonly Proposal[];
  readonly receipt: Receipt | undefined;
  readonly held: readonly PendingChange[];
  readonly unsettled: readonly PendingChange[];
  readonly because: readonly string[];
  readonly notices: readonly string[];
}

const NOTHING_TRIED: Tried = {
  written: [],
  receipt: undefined,
  held: [],
  unsettled: [],
  because: [],
  notices: [],
};

async function tryToCommit(
  changes: readonly PendingChange[],
  ended: EndedRun,
  known: readonly GateAnswer[],
): Promise<Tried> {
  const { run, settler, runner } = ended;
  const report = await askGates({ changes, settler, known });
  const facts: SettlementFacts = { kind: "commit", run: run.id, settler, report, runner };
  if (report.problems.length > 0) return hold(changes, facts, report.problems);
  const commitment = commitChanges(changes, facts);
  switch (commitment.kind) {
    case "committed":
      return {
        ...NOTHING_TRIED,
        written: commitment.written,
        receipt: commitment.receipt,
        notices: commitment.problem === undefined ? [] : [commitment.problem],
      };
    case "refused":
    case "blocked":
      return hold(changes, withRefusal(facts, commitment.problem), [commitment.problem]);
    case "unsettled":
      // No receipt yet, because its content isn't known. The process that recovers the transaction writes one.
      return { ...NOTHING_TRIED, unsettled: changes, because: [commitment.problem] };
  }
}

function knownAnswers(
  { problems, run, files }: EndedRun,
  changes: readonly PendingChange[],
  unreadable: readonly string[],
): GateAnswer[] {
  const joined = (found: readonly string[]): string | undefined => (found.length === 0 ? undefined : found.join(" "));
  return [
    { name: "complete", problem: joined(problems) },
    {
      name: "manifest",
      problem: joined([...unreadable, ...manifestProblems(changes, { root: run.places.root, files })]),
    },
    { name: "one-answer", problem: joined(answerProblems(changes)) },
  ];
}

function hold(changes: readonly PendingChange[], facts: SettlementFacts, because: readonly string[]): Tried {
  const at = facts.settler.now.getTime().toString(36);
  const receipt = receiptOfNothing(changes, { ...facts, kind: "hold" }, `${facts.run}-${at}`);
  const result = { ...NOTHING_TRIED, held: changes, because };
  return receipt.ok ? { ...result, receipt: receipt.value } : { ...result, notices: [receipt.error] };
}

function removalOf(proposal: Proposal, { run, settler }: EndedRun): PendingChange {
  const origin = {
    projectRoot: run.places.root,
    testPath: run.places.root,
    test: "(no test uses it)",
    passed: true,
    run: run.id,
    at: settler.now.toISOString(),
  };
  return pendingChange(
    { proposal, intent: "write", verdict: "obsolete", shown: ["    no test uses it any more"] },
    origin,
  );
}

function noteDown(
  { run, settler: { notes } }: EndedRun,
  {
    held,
    review,
    tried,
    because,
  }: {
    readonly held: readonly PendingChange[];
    readonly review: readonly PendingChange[];
    readonly tried: Tried;
    readonly because: readonly string[];
  },
): void {
  const refs = tried.receipt === undefined ? [] : [tried.receipt.id];
  if (tried.written.length > 0)
    notes.write({ type: "committed", run: run.id, body: `${tried.written.length} baselines written.`, refs });
  for (const problem of because) notes.write({ type: "gate_failed", run: run.id, body: problem });
  if (held.length + review.length > 0)
    notes.write({ type: "held", run: run.id, body: `${held.length + review.length} changes wait for review.`, refs });
}
