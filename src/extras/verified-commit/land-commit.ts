import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { type Lock, acquireLock } from "../../updates/commit/lock.ts";
import { changesBetween } from "./changes.ts";
import { type GitCall, git } from "./git.ts";
import { indexFiles, lockIndex, releaseIndex } from "./index-lock.ts";
import { reasonNotClean, shortName } from "./repository.ts";
import type { RunRecord } from "./run-record.ts";
import { type Checkout, findBlocker, prepareIndex, updateCheckout } from "./update-checkout.ts";

/** Outcome of bringing a commit to its branch. */
export type LandingEnd =
  | {
      readonly kind: "landed";
      /** Files that somebody changed in that very moment, which keep their content. */
      readonly leftAlone: readonly string[];
    }
  /** No file was changed; `problem` is the reason, as a sentence. */
  | { readonly kind: "refused"; readonly problem: string }
  /** The branch has the commit, and the work tree does not follow yet: why, as a sentence. */
  | { readonly kind: "pending"; readonly problem: string };

/** A recorded run whose commit is ready. */
export interface ReadyRun {
  readonly state: string;
  readonly record: Pick<RunRecord, "id" | "top" | "gitDir" | "workItem"> & {
    readonly landing: NonNullable<RunRecord["landing"]>;
  };
  readonly environment: NodeJS.ProcessEnv;
  /** Called at each step, for tests that end the process there. */
  readonly onStep: (step: string) => void;
}

/**
 * Brings a run's commit to its branch, if that is still at the commit where the run began. The decisive moment is git's
 * own atomic exchange of the branch's commit: before it no file is changed, after it the run can only be finished. If
 * the branch is checked out, git's index stays locked around it, so that no other git command sees or makes a mixture.
 */
export async function landCommit(run: ReadyRun): Promise<LandingEnd> {
  const lock = await lockProject(run.state);
  if (!lock.ok) return { kind: "refused", problem: lock.error };
  try {
    return run.record.landing.checkedOut ? await landInCheckout(run) : await moveBranch(run);
  } finally {
    lock.value.release();
  }
}

/**
 * Brings the work tree to a commit that its branch has already. Done by the run itself, and after a crash by
 * `recoverRuns`.
 */
export async function finishLanding(run: ReadyRun): Promise<LandingEnd> {
  const checkout = await checkoutOf(run);
  if (!checkout.ok) return pending(checkout.error);
  try {
    const prepared = await prepareIndex(checkout.value);
    return prepared.ok ? await moveFiles(run, checkout.value) : pending(prepared.error);
  } catch (thrown) {
    return pending(messageOf(thrown));
  }
}

async function moveFiles(run: ReadyRun, checkout: Checkout): Promise<LandingEnd> {
  const updated = await updateCheckout(checkout);
  if (!updated.ok) return pending(updated.error);
  run.onStep("checked-out");
  releaseIndex(checkout.files, run.record.id);
  return { kind: "landed", leftAlone: updated.value };
}

/** Describes how the worktree gets from the run's base to its commit. The error is git's. */
async function checkoutOf(run: ReadyRun): Promise<Result<Checkout, string>> {
  const { top, gitDir, id, landing } = run.record;
  const [from, to] = [landing.base, landing.commit];
  const changes = await changesBetween(from, to, { ...landingCall(run), renames: false });
  if (!changes.ok) return changes;
  return ok({ top, environment: run.environment, files: indexFiles(gitDir, id), from, to, changes: changes.value });
}

async function landInCheckout(run: ReadyRun): Promise<LandingEnd> {
  const files = indexFiles(run.record.gitDir, run.record.id);
  if (!lockIndex(files, run.record.id)) {
    releaseIndex(files, run.record.id);
    return {
      kind: "refused",
      problem: `another git command is running: ${files.lock} exists. Run again when it has finished.`,
    };
  }
  run.onStep("index-locked");
  const ready = await makeReady(run);
  const moved: LandingEnd = ready.ok ? await moveBranch(run) : { kind: "refused", problem: ready.error };
  if (moved.kind === "refused") releaseIndex(files, run.record.id);
  if (!ready.ok || moved.kind !== "landed") return moved;
  try {
    return await moveFiles(run, ready.value);
  } catch (thrown) {
    return pending(messageOf(thrown));
  }
}

/** Checks that the files may follow the branch, and makes the index for it. */
async function makeReady(run: ReadyRun): Promise<Result<Checkout, string>> {
  const { top, gitDir, landing } = run.record;
  const head = await git(["symbolic-ref", "--quiet", "HEAD"], landingCall(run));
  if (!head.ok || head.value.trim() !== landing.target)
    return err(`${shortName(landing.target)} is no longer checked out. Check it out, and run again.`);
  const busy = await reasonNotClean(top, gitDir, run.environment);
  if (busy !== undefined) return err(`the worktree changed during the run: ${busy}.`);
  const checkout = await checkoutOf(run);
  if (!checkout.ok) return checkout;
  const blocker = findBlocker(top, checkout.value.changes);
  if (blocker !== undefined)
    return err(`${escapeText(blocker)} is ignored by git, but the commit has a file at that path. Move it.`);
  // Now, so that what can fail of it fails before the branch moves.
  const prepared = await prepareIndex(checkout.value);
  run.onStep("ready");
  return prepared.ok ? checkout : prepared;
}

/** Git compares and exchanges in one step, whoever else moves the branch. */
async function moveBranch(run: ReadyRun): Promise<LandingEnd> {
  const { landing, workItem } = run.record;
  const reason = `veritest run: ${escapeText(workItem).replaceAll(/\s+/g, " ")}`;
  const moved = await git(
    ["update-ref", "-m", reason, landing.target, landing.commit, landing.old ?? "0".repeat(landing.commit.length)],
    landingCall(run),
  );
  if (!moved.ok && (await commitAt(run, landing.target)) !== landing.commit)
    return {
      kind: "refused",
      problem: `${shortName(landing.target)} changed during the run (${escapeText(moved.error.message)}).`,
    };
  run.onStep("branch-moved");
  return { kind: "landed", leftAlone: [] };
}

/** The commit of a branch; undefined if there is no such branch. */
export async function commitAt(
  run: Pick<ReadyRun, "record" | "environment">,
  target: string,
): Promise<string | undefined> {
  const commit = await git(["rev-parse", "--verify", "--quiet", `${target}^{commit}`], landingCall(run));
  return commit.ok ? commit.value.trim() : undefined;
}

function landingCall({ record, environment }: Pick<ReadyRun, "record" | "environment">): GitCall {
  return { cwd: record.top, environment };
}

function pending(problem: string): LandingEnd {
  return { kind: "pending", problem: escapeText(problem) };
}

const POLL_MS = 50;
const WAIT_MS = 10_000;

/**
 * Takes the lock under which a project's baselines change, so that none does while a commit comes to the checkout.
 * Waits by turns of the event loop: another run of this process may have it, and Ctrl-C must work.
 */
export async function lockProject(state: string): Promise<Result<Lock, string>> {
  for (let waited = 0; ; waited += POLL_MS) {
    const lock = acquireLock(state, 0);
    if (lock.ok || waited >= WAIT_MS) return lock;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
