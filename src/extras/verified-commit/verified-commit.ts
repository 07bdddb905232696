import { existsSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { isWithin } from "../../kernel/files/real-directory.ts";
import { ciRefusal } from "../../kernel/write-policy.ts";
import { type RunWork, attemptRun, checkOutExactly } from "./attempt-run.ts";
import { keepAttempt, openAttempts } from "./attempts.ts";
import { cacheFolders, readCaches, removeChangedCaches } from "./caches.ts";
import { findConfinement } from "./confinement.ts";
import { indexFiles, releaseIndex } from "./index-lock.ts";
import { type LandingEnd, type ReadyRun, commitAt, landCommit } from "./land-commit.ts";
import { planLinks, readOutside } from "./links.ts";
import { inodeOf, readRepositorySettings, removeFolder } from "./own-repository.ts";
import { changesOfRepository } from "./repository-changes.ts";
import { listWorktrees, makeCommit, openRepository } from "./repository.ts";
import {
  type RunContext,
  type RunDiscard,
  type VerifiedCommitOptions,
  type RunOutcome,
  gitCall,
  isWithoutCommit,
  treePath,
} from "./run-options.ts";
import { draftReceipt, noteEnd, noteStart } from "./run-ledger.ts";
import { type RunRecord, removeRecord, writeRecord } from "./run-record.ts";
import { stopMarked } from "../../kernel/files/run-process.ts";

/**
 * Runs a command in a temporary repository and ends with either exactly one verified commit on the target branch, or
 * no change at all. In every case, the user's branch, index and files are as before or have the complete commit;
 * `recoverRuns` finishes a killed run. Throws only by a bug.
 *
 * A run has these phases:
 *
 * 1. `open` reads the repository (repository.ts) and its settings (own-repository.ts), looks for the linked folders
 *    (links.ts) and for namespaces (confinement.ts), and writes the record for a recovery (run-record.ts).
 * 2. `attemptRun` checks the base out into the run's own repository and runs the command there (run-checks.ts).
 * 3. `verify` of attempt-run.ts judges the changes: the diff (check-diff.ts, check-contents.ts), the checks in a fresh
 *    work tree (fresh-checks.ts), the results of tests (judge-results.ts), the linked folders, and `approve`.
 * 4. A run that fails is discarded: `keepAttempt` keeps its changes (attempts.ts). A run that passes lands:
 *    `landCommit` moves the branch (land-commit.ts), and `updateCheckout` the files (update-checkout.ts).
 * 5. `cleanUp` removes the run's folder. `changesOfRepository` (repository-changes.ts) only lists what else changed,
 *    with the command that restores it.
 * 6. `noteEnd` writes the receipt of a discard, and the notes (run-ledger.ts).
 */
export async function runVerifiedCommit(options: VerifiedCommitOptions): Promise<RunOutcome> {
  const opened = await open(options);
  if (!opened.ok) return { kind: "refused", problem: opened.error };
  const context = opened.value;
  const work: { value: RunWork } = { value: { tree: "", changes: [], failure: undefined } };
  const outcome = noted(context, await finishRun(context, work), work.value);
  // A run that is pending keeps its record, by which it is recovered.
  if (outcome.kind !== "pending") removeRecord(options.paths.state, options.runId);
  return outcome;
}

function noted(context: RunContext, outcome: RunOutcome, { changes }: RunWork): RunOutcome {
  try {
    noteEnd(context, outcome, changes);
    return outcome;
  } catch (thrown) {
    return {
      kind: "pending",
      problem: `The run has ended (${outcome.kind}), and its receipt can't be written: ${wordsOf(thrown)}`,
    };
  }
}

async function open(options: VerifiedCommitOptions): Promise<Result<RunContext, string>> {
  const policy = policyProblem(options);
  if (policy !== undefined) return err(policy);
  const repository = await openRepository(options.paths.root, options.target, options.environment);
  if (!repository.ok) return repository;
  const links = await planLinks(repository.value, options.links, options.paths.root);
  if (!links.ok) return links;
  const folder = join(realpathSync(options.temporary), `veritest-${options.runId}`);
  if (isWithin(realpathSync(repository.value.top), folder))
    return err(`The run's worktrees would be in ${folder}, inside this checkout. Set TMPDIR to a folder outside it.`);
  const settings = await readRepositorySettings(repository.value);
  if (!settings.ok) return settings;
  const { top, gitDir, commonDir } = repository.value;
  const linked = links.value.map((path) => join(top, path));
  const trees = (await listWorktrees({ cwd: top, environment: options.environment })).map(({ path }) => path);
  const readOnly = [top, gitDir, commonDir, ...trees, ...recordFolders(options)].filter(
    (path) => existsSync(path) && !isWithin(realpathSync(path), folder) && !isWithin(folder, realpathSync(path)),
  );
  const linkState = readOutside({ repository: repository.value, links: links.value, folder, options });
  const confinement = findConfinement(
    { readOnly: [...new Set(readOnly)], writable: linked, caches: cacheFolders(top, linkState) },
    options.environment,
  );
  const context: RunContext = {
    options,
    repository: repository.value,
    settings: settings.value,
    confinement,
    links: links.value,
    linkState,
    caches: readCaches(top, linkState, confinement.isConfined),
    folder,
    inode: 0n,
    deadline: options.clock() + options.budgetMs,
    evidence: { tests: undefined, unmeasured: [] },
    gates: [],
  };
  const made = makeFolder(context);
  if (!made.ok) return made;
  if (!context.confinement.isConfined) options.onProgress(UNCONFINED);
  noteStart(context);
  return ok({ ...context, inode: made.value });
}

/** The folders in which veritest keeps earlier runs. The command must not change or replace them. */
function recordFolders({ attempts, paths }: VerifiedCommitOptions): readonly string[] {
  try {
    if (attempts !== undefined) openAttempts(attempts);
  } catch {
    // The run continues without a log.
  }
  return attempts === undefined ? [] : [attempts, paths.state];
}

/** The record comes first: files made after it are found and removed, wherever the process dies. */
function makeFolder(context: RunContext): Result<bigint, string> {
  const { options, folder } = context;
  try {
    keepRecord(context, recordOf(context, "open"));
    options.onStep?.("recorded");
    // Fails if it exists: another user's folder is never used.
    mkdirSync(folder, { mode: 0o700 });
    options.onStep?.("folder-made");
    return ok(inodeOf(folder) ?? 0n);
  } catch (thrown) {
    removeRecord(options.paths.state, options.runId);
    return err(`The run can't create its folders: ${wordsOf(thrown)}. Fix that, or set TMPDIR or VERITEST_STATE_DIR.`);
  }
}

function policyProblem({ actor, agents, checks, approve, limits }: VerifiedCommitOptions): string | undefined {
  const refusal = ciRefusal(actor, "commits");
  if (refusal !== undefined)
    return `${refusal} If this job should write, set VERITEST_ACTOR=human or VERITEST_ACTOR=agent.`;
  if (actor.kind === "agent" && agents === "propose-only")
    return (
      `A run commits, but agents can only propose changes here (${actor.because}; policy.agents in veritest.config). ` +
      "Ask a human to start it."
    );
  const allowed = [...limits.allow, ...limits.approvedTests];
  if (actor.kind !== "human" && allowed.length > 0)
    return (
      `Only a person can disable checks of a run (${escapeText(allowed.join(", "))}), ` +
      `and this run was started by an agent (${actor.because}). Remove --allow, --allow-unmeasured and --approve-test.`
    );
  if (checks.length === 0 && approve === undefined)
    return (
      "Only verified code is committed, but no check is set. " +
      'Add a check, such as --verify "npm test", or policy.verify in veritest.config.'
    );
  return undefined;
}

/** Does the run's work and ends the run; the work trees are removed in either case. */
async function finishRun(context: RunContext, work: { value: RunWork }): Promise<RunOutcome> {
  const outcome = await outcomeOf(context, work);
  try {
    const isTouched = await cleanUp(context, outcome);
    return isTouched && outcome.kind === "discarded" ? { ...outcome, isTouched } : outcome;
  } catch (thrown) {
    return {
      kind: "pending",
      problem: `Files that the run left in ${context.folder} can't be removed: ${wordsOf(thrown)}`,
    };
  }
}

async function outcomeOf(context: RunContext, work: { value: RunWork }): Promise<RunOutcome> {
  try {
    work.value = await attemptRun(context);
    const { failure, changes } = work.value;
    if (failure !== undefined)
      return { kind: "discarded", failure, isKept: await keepAttempt(context, work.value, failure) };
    if (changes.length === 0) return { kind: "unchanged" };
    if (context.options.signal.aborted) return discarded("land", "the run was interrupted.");
    return await land(context, work.value);
  } catch (thrown) {
    return discarded("run", `${wordsOf(thrown)}.`);
  }
}

/** The receipt comes first, because the commit names it; if the commit then cannot land, a second one reports that. */
async function land(context: RunContext, { tree, changes }: RunWork): Promise<RunOutcome> {
  const { options, repository } = context;
  const draft = draftReceipt(context, "run", changes);
  keepRecord(context, { ...recordOf(context, "settling"), receipt: draft });
  options.onStep?.("settling");
  const receipt = options.receipts.append(draft);
  options.onStep?.("receipt-written");
  const commit = await makeCommit(
    { tree, parent: repository.base, workItem: options.workItem, receipt },
    gitCall(context),
  );
  if (!commit.ok) return discarded("land", `${escapeText(commit.error)}.`);
  const differing = await checkOutExactly(context, treePath(context, "commit"), commit.value);
  if (differing !== undefined) return { kind: "discarded", failure: differing };
  const { target, old, base, checkedOut, top, gitDir } = repository;
  const landing = { target, old, base, checkedOut, commit: commit.value };
  keepRecord(context, { ...recordOf(context, "landing"), receipt: draft, landing });
  options.onStep?.("landing");
  const end = await landSafely({
    state: options.paths.state,
    record: { id: options.runId, top, gitDir, workItem: options.workItem, landing },
    environment: gitCall(context).environment,
    onStep: (step) => options.onStep?.(step),
  });
  options.onStep?.("landed");
  switch (end.kind) {
    case "landed":
      return {
        kind: "committed",
        commit: commit.value,
        target,
        receipt,
        files: changes.length,
        ...context.evidence,
        leftAlone: end.leftAlone,
      };
    case "refused":
      return discarded(
        "land",
        `${end.problem} The verified commit is ${commit.value}: git keeps it for some days, for git cherry-pick.`,
      );
    case "pending":
      return {
        kind: "pending",
        problem: `The branch has the commit, but the files aren't updated yet: ${end.problem}`,
      };
  }
}

/** An error may be thrown before or after the branch's exchange; the branch shows which. */
async function landSafely(run: ReadyRun): Promise<LandingEnd> {
  try {
    return await landCommit(run);
  } catch (thrown) {
    const { target, commit } = run.record.landing;
    if ((await commitAt(run, target)) === commit) return { kind: "pending", problem: wordsOf(thrown) };
    releaseIndex(indexFiles(run.record.gitDir, run.record.id), run.record.id);
    return { kind: "refused", problem: `${wordsOf(thrown)}.` };
  }
}

/** Returns true if it reported changes of the user's repository. */
async function cleanUp(context: RunContext, outcome: RunOutcome): Promise<boolean> {
  const { options, folder } = context;
  await stopMarked(options.runId);
  removeChangedCaches(context);
  let isTouched = false;
  // A program outside of the namespaces can work for a command, too: a terminal server, or a service.
  if (!context.confinement.isConfined || isWithoutCommit(outcome))
    for (const line of await changesOfRepository(context, outcome)) {
      isTouched = true;
      options.onProgress(line);
    }
  // A program may have moved the folder, and left a link to another one at its path.
  const moved = readdirSync(dirname(folder)).find((name) => inodeOf(join(dirname(folder), name)) === context.inode);
  for (const path of moved === undefined ? [folder] : [folder, join(dirname(folder), moved)]) removeFolder(path);
  options.onStep?.("cleaned");
  return isTouched;
}

const UNCONFINED =
  "This system doesn't support namespaces, so the command can write to your repository through its path, and a " +
  "process that " +
  "leaves its group can outlive the run. Changes of your repository are listed at the end.";

/** Leaves a record for whoever finds the run dead. */
function keepRecord({ options }: RunContext, record: Omit<RunRecord, "version" | "owner">): void {
  const { redact, redactText } = options.receipts.hides ?? {};
  writeRecord(options.paths.state, {
    ...record,
    workItem: redactText?.(record.workItem) ?? record.workItem,
    receipt: redact?.(record.receipt) ?? record.receipt,
  });
}

function recordOf(context: RunContext, phase: RunRecord["phase"]): Omit<RunRecord, "version" | "owner"> {
  const { options, repository, folder } = context;
  const { top, gitDir, commonDir } = repository;
  return {
    id: options.runId,
    phase,
    workItem: options.workItem,
    top,
    gitDir,
    commonDir,
    folder,
    receipt: draftReceipt(context, "discard", []),
  };
}

function discarded(gate: string, summary: string): RunOutcome {
  const failure: RunDiscard = { gate, summary, details: [] };
  return { kind: "discarded", failure };
}

function wordsOf(thrown: unknown): string {
  return escapeText(messageOf(thrown)).replace(/\.$/, "");
}
