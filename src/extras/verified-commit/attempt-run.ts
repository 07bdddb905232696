import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { type ChangedFile, changesBetween } from "./changes.ts";
import { checkDiff } from "./check-diff.ts";
import { git } from "./git.ts";
import { freshChecks } from "./fresh-checks.ts";
import { findingsFailure, judgeResults } from "./judge-results.ts";
import { makeCommit } from "./repository.ts";
import { type RunContext, type RunDiscard, discardOf, gitCall, recordGate, treePath } from "./run-options.ts";
import { runChecks, runProgram } from "./run-checks.ts";
import { addWorktree, makeLinks, removeLinks } from "./temporary-worktree.ts";

/** Result of a run's work: everything is checked, and only files in the run's folder have changed. */
export interface RunWork {
  readonly tree: string;
  readonly changes: readonly ChangedFile[];
  /** Reason to discard it; undefined if there is none. */
  readonly failure: RunDiscard | undefined;
}

/**
 * Runs the command in a temporary work tree and checks its changes: first the diff and the checks, then what the
 * command can't influence (`approve`, the checks again in a fresh work tree of the very files that would be committed).
 */
export async function attemptRun(context: RunContext): Promise<RunWork> {
  const { options, repository } = context;
  const nothing: RunWork = { tree: "", changes: [], failure: undefined };
  const path = treePath(context, "run");
  const added = await addWorktree({ ...repository, environment: gitCall(context).environment }, path, repository.base);
  if (!added.ok) return { ...nothing, failure: discardOf("worktree", added.error) };
  makeLinks(repository, path, context.links);
  step(context, "tree-made");
  const failed = await runProgram(context, path, { gate: "command", command: options.command, timeoutMs: Infinity });
  step(context, "command-ended");
  if (failed !== undefined) return { ...nothing, failure: failed };
  const work = await readWork(context, path);
  if (!work.ok) return { ...nothing, failure: discardOf("worktree", work.error) };
  if (work.value.changes.length === 0) return { ...work.value, failure: undefined };
  return {
    ...work.value,
    failure: (await selfVerify(context, path, work.value)) ?? (await directorVerify(context, work.value)),
  };
}

type Work = Pick<RunWork, "tree" | "changes">;

/** The files as the command left them become a tree of git: later writes of the checks aren't part of it. */
async function readWork(context: RunContext, path: string): Promise<Result<Work, string>> {
  removeLinks(context.repository, path, context.links);
  // No process of the run is left, so a lock is one that a killed git left behind.
  rmSync(join(context.repository.commonDir, "worktrees", basename(path), "index.lock"), { force: true });
  const added = await git(["add", "--all", "--", "."], gitCall(context, path));
  if (!added.ok) return err(added.error.message);
  const tree = await git(["write-tree"], gitCall(context, path));
  if (!tree.ok) return err(tree.error.message);
  const changes = await changesBetween(context.repository.base, tree.value.trim(), {
    ...gitCall(context),
    renames: true,
  });
  step(context, "tree-written");
  return changes.ok ? ok({ tree: tree.value.trim(), changes: changes.value }) : changes;
}

async function selfVerify(context: RunContext, path: string, { changes }: Work): Promise<RunDiscard | undefined> {
  const started = context.options.clock();
  const findings = await checkDiff(changes, context.options.limits, gitCall(context));
  const failure = findings.ok ? findingsFailure("diff", findings.value) : discardOf("diff", findings.error);
  recordGate(context, { name: "diff", started, failure });
  if (failure !== undefined) return failure;
  step(context, "diff-checked");
  makeLinks(context.repository, path, context.links);
  return runChecks(context, path);
}

async function directorVerify(context: RunContext, work: Work): Promise<RunDiscard | undefined> {
  const refusal = await requestApproval(context, work);
  if (refusal !== undefined) return refusal;
  step(context, "approved");
  if (context.options.checks.length === 0) return undefined;
  const { repository, options, links } = context;
  const commit = await makeCommit(
    { tree: work.tree, parent: repository.base, workItem: options.workItem, receipt: undefined },
    gitCall(context),
  );
  if (!commit.ok) return discardOf("worktree", commit.error);
  const path = treePath(context, "check");
  const added = await addWorktree({ ...repository, environment: gitCall(context).environment }, path, commit.value);
  if (!added.ok) return discardOf("worktree", added.error);
  makeLinks(repository, path, links);
  step(context, "fresh-tree-made");
  const fresh = await freshChecks(context, path, work.changes);
  if (fresh.failure !== undefined) return fresh.failure;
  return judgeResults(context, work, fresh.measured);
}

async function requestApproval(context: RunContext, { changes }: Work): Promise<RunDiscard | undefined> {
  const { approve, workItem, clock } = context.options;
  if (approve === undefined) return undefined;
  const started = clock();
  const textOf = async (file: ChangedFile): Promise<string | undefined> => {
    const blob = file.kind === "removed" ? undefined : await git(["cat-file", "blob", file.newId], gitCall(context));
    return blob?.ok === true ? blob.value : undefined;
  };
  const failure = await answerOf(async () => approve({ workItem, files: changes, textOf }));
  recordGate(context, { name: "approve", started, failure });
  return failure;
}

async function answerOf(approve: () => Promise<boolean | string>): Promise<RunDiscard | undefined> {
  try {
    const answer = await approve();
    if (answer === true) return undefined;
    return {
      gate: "approve",
      summary: answer === false ? "approve said no." : `approve said no: ${escapeText(answer)}`,
      details: [],
    };
  } catch (thrown) {
    // The user's own function: an error isn't consent.
    return discardOf("approve", messageOf(thrown));
  }
}

function step(context: RunContext, name: string): void {
  context.options.onStep?.(name);
}
