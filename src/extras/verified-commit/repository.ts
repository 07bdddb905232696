import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText, quote, truncate } from "../../kernel/text.ts";
import { findGit } from "../../kernel/files/project-paths.ts";
import { type GitCall, git } from "./git.ts";

/** Start of a run: the repository and its commit. */
export interface Repository {
  /** The top of the user's work tree. */
  readonly top: string;
  readonly gitDir: string;
  readonly commonDir: string;
  /** The branch a run's commit goes to, as a full name: `refs/heads/main`. */
  readonly target: string;
  /** True if that branch is checked out in the user's work tree, which then follows the commit. */
  readonly checkedOut: boolean;
  /** The branch's commit before the run; undefined for a branch that is made. */
  readonly old: string | undefined;
  /** The commit the run begins from: the branch's, or HEAD's for a branch that is made. */
  readonly base: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Files that git has during an operation, and the operation's name. */
const UNDERWAY: readonly (readonly [string, string])[] = [
  ["MERGE_HEAD", "merge"],
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
];

/** Lists every change of a work tree for programs, whatever the user's settings hide. */
export const STATUS: readonly string[] = [
  "status",
  "--porcelain=v1",
  "-z",
  "--untracked-files=all",
  "--ignore-submodules=none",
];

/**
 * Reads the repository of a folder and checks that a run may begin: git is installed, HEAD is a commit, no operation is
 * under way, no file differs from it, and the target branch can be moved. The error is a sentence or two for the user.
 */
export async function openRepository(
  from: string,
  target: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<Result<Repository, string>> {
  const repositoryPath = findGit(from);
  if (repositoryPath === undefined)
    return err(
      `A run needs git, and ${from} isn't in a git repository. ` +
        "Run git init and commit, or change to a folder of a repository.",
    );
  const call: GitCall = { cwd: repositoryPath.top, environment };
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], call);
  if (!head.ok)
    return err(
      head.error.code === 1
        ? "A run starts from a commit, but this repository doesn't have a commit yet. Commit first."
        : `${head.error.message}.`,
    );
  const identity = await git(["var", "GIT_COMMITTER_IDENT"], call);
  if (!identity.ok)
    return err(
      `A run can create a commit, but git doesn't have an author: ${lastLine(identity.error.message)}. ` +
        "Set user.name and user.email with git config.",
    );
  const busy = await reasonNotClean(repositoryPath.top, repositoryPath.gitDir, environment);
  if (busy !== undefined) return err(`A run needs a clean worktree, but ${busy}.`);
  const commit = head.value.trim();
  const branch = await targetOf(target, commit, call);
  if (!branch.ok) return branch;
  return ok({ ...repositoryPath, ...branch.value, base: branch.value.old ?? commit, environment });
}

/** Describes the state of a work tree that blocks a commit, as half a sentence; undefined for a clean one. */
export async function reasonNotClean(
  top: string,
  gitDir: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const underway = UNDERWAY.find(([name]) => existsSync(join(gitDir, name)));
  if (underway !== undefined) return `a ${underway[1]} is in progress. Finish or abort it`;
  const status = await git(STATUS, { cwd: top, environment });
  if (!status.ok) return `its state can't be read (${status.error.message})`;
  // A renamed or copied file is one entry of two paths.
  const entries = status.value.match(/(?:[RC][^\0]|[^\0][RC]) [^\0]+\0[^\0]+|[^\0]+/g) ?? [];
  const [first] = entries;
  if (first === undefined) return undefined;
  const more = entries.length === 1 ? "" : ` and ${entries.length - 1} more`;
  const verb = entries.length === 1 ? "differs" : "differ";
  const [changed = ""] = first.slice(3).split("\0");
  const path = truncate(escapeText(changed), 200);
  return `${path}${more} ${verb} from HEAD. Commit, stash or ignore the uncommitted files`;
}

type Branch = Pick<Repository, "target" | "checkedOut" | "old">;

async function targetOf(name: string | undefined, head: string, call: GitCall): Promise<Result<Branch, string>> {
  const symbolic = await git(["symbolic-ref", "--quiet", "HEAD"], call);
  const current = symbolic.ok ? symbolic.value.trim() : undefined;
  if (name === undefined && current === undefined)
    return err("HEAD is detached, so no branch is checked out to commit to. Pass a branch: --target <branch>.");
  const target = name === undefined ? (current ?? "") : `refs/heads/${name.replace(/^refs\/heads\//, "")}`;
  // The name of the branch that is checked out is valid for git.
  const isValid = target === current || (await git(["check-ref-format", target], call)).ok;
  if (!isValid || target.startsWith("refs/heads/-"))
    return err(`${quote(name ?? target)} isn't a branch name. Pass a branch: --target <branch>.`);
  if (target === current) return ok({ target, checkedOut: true, old: head });
  const elsewhere = await checkedOutElsewhere(target, call);
  if (elsewhere !== undefined)
    return err(
      `${shortName(target)} is checked out in ${elsewhere}, whose files wouldn't be updated. ` +
        "Run there, or pass a different branch with --target.",
    );
  const old = await git(["rev-parse", "--verify", "--quiet", `${target}^{commit}`], call);
  return ok({ target, checkedOut: false, old: old.ok ? old.value.trim() : undefined });
}

async function checkedOutElsewhere(target: string, call: GitCall): Promise<string | undefined> {
  const trees = await listWorktrees(call);
  return trees.find(({ branch }) => branch === target)?.path;
}

/** Lists the repository's work trees, each with the full name of its branch. Empty if git can't. */
export async function listWorktrees(
  call: GitCall,
): Promise<readonly { readonly path: string; readonly branch: string | undefined }[]> {
  const list = await git(["worktree", "list", "--porcelain", "-z"], call);
  const trees = list.ok ? list.value.split("\0\0").filter((text) => text !== "") : [];
  return trees.map((text) => {
    const fields = new Map(text.split("\0").map((line) => [line.split(" ", 1)[0] ?? "", line.replace(/^\S+ /, "")]));
    return { path: fields.get("worktree") ?? "", branch: fields.get("branch") };
  });
}

/** A branch as people write it: `main` for `refs/heads/main`. */
export function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

function lastLine(text: string): string {
  return escapeText(text.split("\n").at(-1) ?? text).replace(/\.$/, "");
}

/** Parts of a run's commit. */
interface RunCommit {
  readonly tree: string;
  readonly parent: string;
  readonly workItem: string;
  /** The id of the receipt; undefined for the commit that is only checked. */
  readonly receipt: string | undefined;
}

/** Length of the longest first line that git's own tools show completely. */
const SUBJECT = 72;

/** Creates a commit that no branch has yet, and returns its id. No hook and no signature setting takes part. */
export async function makeCommit(commit: RunCommit, call: GitCall): Promise<Result<string, string>> {
  const made = await git(["commit-tree", commit.tree, "-p", commit.parent, "-F", "-"], {
    ...call,
    input: commitMessage(commit),
  });
  return made.ok ? { ok: true, value: made.value.trim() } : err(made.error.message);
}

function commitMessage({ workItem, receipt }: RunCommit): string {
  // A trailer is one line: a work item of several lines would add lines that look like other trailers.
  const item = workItem.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  const trailers = [...(receipt === undefined ? [] : [`Veritest-Receipt: ${receipt}`]), `Veritest-Work-Item: ${item}`];
  return `${subjectOf(item)}\n\n${trailers.join("\n")}\n`;
}

function subjectOf(item: string): string {
  if (item.length <= SUBJECT) return item;
  const cut = truncate(item, SUBJECT - 1).replace(/… \(\+\d+ characters\)$/, "");
  return `${cut.replace(/ \S*$/, "")}…`;
}
