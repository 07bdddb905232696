import { readdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { MAX_TIMER_MS } from "../../kernel/max-timer.ts";
import { type Result, ok } from "../../kernel/result.ts";
import { commandLine } from "../../kernel/files/command-line.ts";
import { escapeText } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { type ChangedFile, changesBetween } from "./changes.ts";
import { checkContents } from "./check-contents.ts";
import { checkDiff } from "./check-diff.ts";
import { git } from "./git.ts";
import { freshChecks } from "./fresh-checks.ts";
import { findingsFailure } from "./findings.ts";
import { hiddenFiles } from "./ignored-files.ts";
import { judgeResults } from "./judge-results.ts";
import { makeCommit } from "./repository.ts";
import { changedLink, makeLinks, readOutside, removeLinks } from "./links.ts";
import { checkOut, differingFile, removeFolder, writeTree } from "./own-repository.ts";
import { type RunContext, type RunDiscard, discardOf, gitCall, recordGate, treePath } from "./run-options.ts";
import { runProgram } from "./run-checks.ts";

/** Result of a run's work: everything is checked, and only files in the run's folder have changed. */
export interface RunWork {
  readonly tree: string;
  readonly changes: readonly ChangedFile[];
  /** Reason to discard it; undefined if there is none. */
  readonly failure: RunDiscard | undefined;
}

/**
 * Runs the command in a separate repository and checks its changes: the diff, then the checks in a fresh work tree of
 * the very files that would be committed, what the tests report, and `approve`.
 */
export async function attemptRun(context: RunContext): Promise<RunWork> {
  const { repository } = context;
  const nothing: RunWork = { tree: "", changes: [], failure: undefined };
  const path = treePath(context, "run");
  const made = await checkOut(path, repository.base, context.settings);
  if (!made.ok) return { ...nothing, failure: discardOf("worktree", made.error) };
  makeLinks(repository, path, context.links);
  step(context, "tree-made");
  const failed = (await resumeAttempt(context, path)) ?? (await runCommand(context, path));
  step(context, "command-ended");
  if (failed !== undefined) return { ...nothing, failure: failed };
  removeOthers(context.folder, path);
  const work = await readWork(context, path);
  if (!work.ok) return { ...nothing, failure: discardOf("worktree", work.error) };
  if (work.value.changes.length === 0) return { ...work.value, failure: undefined };
  return { ...work.value, failure: await verify(context, work.value) };
}

/** Removes what the command left next to its work tree: code in the other work trees could read it by `../`. */
function removeOthers(folder: string, tree: string): void {
  for (const name of readdirSync(folder)) if (join(folder, name) !== tree) removeFolder(join(folder, name));
}

async function runCommand(context: RunContext, path: string): Promise<RunDiscard | undefined> {
  const { command, resume } = context.options;
  if (command.length === 0) return undefined;
  return runProgram(context, path, { gate: "command", command, timeoutMs: Infinity, input: resume?.feedback });
}

async function resumeAttempt({ options, settings }: RunContext, path: string): Promise<RunDiscard | undefined> {
  if (options.resume === undefined) return undefined;
  const call = { cwd: path, environment: settings.environment };
  const applied = await git(["apply", "--3way", "--whitespace=nowarn", "--", options.resume.patch], call);
  if (applied.ok) return undefined;
  const problem = "the run's changes don't apply to the current commit, whose files changed since";
  const remedy = `Apply them by hand: ${commandLine(["git", "apply", "--3way", options.resume.patch])}`;
  return { ...discardOf("resume", `${problem} (${applied.error.message})`), details: [remedy] };
}

type Work = Pick<RunWork, "tree" | "changes">;

/** The files as the command left them become a tree of git: later writes of the checks aren't part of it. */
async function readWork(context: RunContext, path: string): Promise<Result<Work, string>> {
  const { repository, settings, folder, links } = context;
  removeLinks(repository, path, links);
  const left = Math.max(0, context.deadline - context.options.clock());
  const signal = AbortSignal.any([context.options.signal, AbortSignal.timeout(Math.min(left, MAX_TIMER_MS))]);
  const tree = await writeTree({ path, store: join(folder, "store"), base: repository.base, signal }, settings);
  if (!tree.ok) return tree;
  const changes = await changesBetween(repository.base, tree.value, { ...gitCall(context), renames: true });
  step(context, "tree-written");
  return changes.ok ? ok({ tree: tree.value, changes: changes.value }) : changes;
}

async function verify(context: RunContext, work: Work): Promise<RunDiscard | undefined> {
  return (
    (await judgeDiff(context, work)) ??
    (await runChecks(context, work)) ??
    linksFailure(context) ??
    (await requestApproval(context, work))
  );
}

async function judgeDiff(context: RunContext, { tree, changes }: Work): Promise<RunDiscard | undefined> {
  const started = context.options.clock();
  const { limits } = context.options;
  const findings = await checkDiff(changes, limits, gitCall(context));
  const checked = { allow: limits.allow, tree, links: context.links };
  const contents = [
    ...(await checkContents(changes, checked, gitCall(context))),
    ...(await hiddenFiles(context, changes)),
  ];
  const failure = findings.ok
    ? findingsFailure("diff", [...findings.value, ...contents])
    : discardOf("diff", findings.error);
  recordGate(context, { name: "diff", started, failure });
  if (failure === undefined) step(context, "diff-checked");
  return failure ?? linksFailure(context);
}

async function runChecks(context: RunContext, work: Work): Promise<RunDiscard | undefined> {
  if (context.options.checks.length === 0) return undefined;
  const path = treePath(context, "check");
  const { repository, options } = context;
  const commit = await makeCommit(
    { tree: work.tree, parent: repository.base, workItem: options.workItem, receipt: undefined },
    gitCall(context),
  );
  if (!commit.ok) return discardOf("worktree", commit.error);
  const problem = await checkOutExactly(context, path, commit.value);
  if (problem !== undefined) return problem;
  makeLinks(repository, path, context.links);
  step(context, "fresh-tree-made");
  const fresh = await freshChecks(context, path, work);
  if (fresh.failure !== undefined) return fresh.failure;
  return judgeResults(context, work, fresh.measured);
}

/** Checks a commit out, and compares each of its files with the commit, by the file's own bytes. */
export async function checkOutExactly(
  context: RunContext,
  path: string,
  commit: string,
): Promise<RunDiscard | undefined> {
  const made = await checkOut(path, commit, context.settings);
  const differing = made.ok ? await differingFile(path, commit, gitCall(context)) : made;
  if (!differing.ok) return discardOf("worktree", differing.error);
  if (differing.value === undefined) return undefined;
  return discardOf("worktree", `git's checkout differs from the bytes in the commit: ${differing.value}`);
}

/** The command and the checks run on the linked folders, which no commit has: an edit there would help them. */
function linksFailure(context: RunContext): RunDiscard | undefined {
  const changed = changedLink(context.linkState, readOutside(context));
  if (changed === undefined) return undefined;
  const failure = {
    gate: "links",
    summary: `${escapeText(changed)} changed during the run, and the checks use it, too.`,
    details: isAbsolute(changed)
      ? ["If you didn't make that change, undo it. Then run the command again."]
      : [
          "Install your packages again, then run the command again. To install packages in the run, pass " +
            '--without-links --verify "npm ci".',
        ],
  };
  recordGate(context, { name: "links", started: context.options.clock(), failure });
  return failure;
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
      summary: answer === false ? "approve refused." : `approve refused: ${escapeText(answer)}`,
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
