import type { Proposal } from "../baseline/baseline.ts";
import type { Receipt, ReceiptRunner } from "../notes/receipt.ts";
import { targetName } from "../files/places.ts";
import { type SettlementFacts, commitChanges, receiptOfNothing, withRefusal } from "./commit/commit-changes.ts";
import { askGates } from "./gates/ask-gates.ts";
import { type PendingChange, pendingChange } from "./pending/pending-change.ts";
import { dropPending, keepPending, pendingOf } from "./pending/pending.ts";
import type { GateAnswer } from "./gates/policy-gates.ts";
import type { Settler } from "./settler.ts";
import type { SettlingRun } from "./run-identity.ts";
import { type EndedFile, answerProblems, manifestProblems, splitByScope } from "./gates/run-gates.ts";
import { clearSettled, readStaged } from "./pending/stage.ts";

/** A run that ended, as its reporter knows it. */
export interface EndedRun {
  readonly run: SettlingRun;
  readonly settler: Settler;
  readonly files: readonly EndedFile[];
  /**
   * Why the run as a whole cannot be trusted, a sentence each: it was interrupted, a worker died, an error was not
   * handled.
   */
  readonly problems: readonly string[];
  /** Obsolete baselines to remove. */
  readonly removals: readonly Proposal[];
  readonly runner: ReceiptRunner | undefined;
}

/** What became of everything a run proposed. */
export interface Settlement {
  /** The project's root, which targets are relative to. */
  readonly root: string;
  readonly written: readonly Proposal[];
  readonly receipt: Receipt | undefined;
  /** What the run was to write and did not: it waits for review. */
  readonly held: readonly PendingChange[];
  /** Why it was held, a sentence each. */
  readonly because: readonly string[];
  /** Changes of failing tests, which wait for review. */
  readonly review: readonly PendingChange[];
  /** True when the run must not end with success: something it was to write is not written. */
  readonly failed: boolean;
}

/** Ends a run: writes what it proposed as one transaction when every gate agrees, else keeps all of it for review. */
export async function settleRun(ended: EndedRun): Promise<Settlement> {
  const { run, settler, files } = ended;
  const { places, id } = run;
  const staged = readStaged(places, id);
  const changes = onceEach(staged.changes);
  const asked = changes.filter(({ intent }) => intent === "review");
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
  const wrote = new Set(tried.written.map(({ path }) => targetName(places.root, path)));
  // A failing test may have asked for just what a passing one got written.
  const isOpen = ({ target }: PendingChange): boolean => !wrote.has(target);
  const [held, review] = [[...behind, ...tried.held].filter(isOpen), asked.filter(isOpen)];
  if (wrote.size > 0)
    dropPending(
      places,
      pendingOf(places.state, (older) => !isOpen(older)),
    );
  keepPending(places, [...held, ...review], staged.texts);
  clearSettled(places, id, staged.changes);
  noteDown(ended, { held, review, tried, because: [...because, ...tried.because] });
  const { written, receipt } = tried;
  return {
    root: places.root,
    written,
    receipt,
    held,
    because: [...because, ...tried.because],
    review,
    failed: held.length > 0 || tried.because.length > 0,
  };
}

/** Two tests may ask for the very same change, as a sweep beside the test of one case does: it is one change. */
function onceEach(changes: readonly PendingChange[]): PendingChange[] {
  return [
    ...Map.groupBy(changes, ({ target, after, intent, passed }) =>
      JSON.stringify([target, after, intent, passed]),
    ).values(),
  ].flatMap((of) => of.slice(0, 1));
}

/** What an attempt to write came to. */
interface Tried {
  readonly written: readonly Proposal[];
  readonly receipt: Receipt | undefined;
  readonly held: readonly PendingChange[];
  readonly because: readonly string[];
}

const NOTHING_TRIED: Tried = { written: [], receipt: undefined, held: [], because: [] };

async function tryToCommit(
  changes: readonly PendingChange[],
  ended: EndedRun,
  known: readonly GateAnswer[],
): Promise<Tried> {
  const { run, settler, runner } = ended;
  const report = await askGates({ changes, settler, known });
  const facts: SettlementFacts = { kind: "commit", run: run.id, settler, report, runner };
  if (report.problems.length > 0)
    return { ...NOTHING_TRIED, receipt: receiptOfHold(changes, facts), held: changes, because: report.problems };
  const commitment = commitChanges(changes, facts);
  switch (commitment.kind) {
    case "committed":
      return {
        written: commitment.written,
        receipt: commitment.receipt,
        held: [],
        because: commitment.problem === undefined ? [] : [commitment.problem],
      };
    case "refused":
    case "unsettled":
      return {
        ...NOTHING_TRIED,
        receipt: receiptOfHold(changes, withRefusal(facts, commitment.problem)),
        held: changes,
        because: [commitment.problem],
      };
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

function receiptOfHold(changes: readonly PendingChange[], facts: SettlementFacts): Receipt {
  const at = facts.settler.now.getTime().toString(36);
  return receiptOfNothing(changes, { ...facts, kind: "hold" }, `${facts.run}-${at}`);
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
