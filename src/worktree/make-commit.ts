import { type Result, err } from "../base/result.ts";
import { truncate } from "../base/text.ts";
import { type GitCall, git } from "./git.ts";

/** What a run's commit is made of. */
export interface RunCommit {
  readonly tree: string;
  readonly parent: string;
  readonly workItem: string;
  /** The id of the receipt; undefined for the commit that is only checked. */
  readonly receipt: string | undefined;
}

/** The longest first line that git's own tools show whole. */
const SUBJECT = 72;

/** Makes a commit that no branch has yet, and returns its id. No hook and no signature setting takes part. */
export async function makeCommit(commit: RunCommit, call: GitCall): Promise<Result<string, string>> {
  const made = await git(["commit-tree", commit.tree, "-p", commit.parent, "-F", "-"], {
    ...call,
    input: messageOf(commit),
  });
  return made.ok ? { ok: true, value: made.value.trim() } : err(made.error.message);
}

function messageOf({ workItem, receipt }: RunCommit): string {
  // A trailer is a line of its own: a work item of several lines would add lines that look like others.
  const item = workItem.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  const trailers = [...(receipt === undefined ? [] : [`Veritest-Receipt: ${receipt}`]), `Veritest-Work-Item: ${item}`];
  return `${subjectOf(item)}\n\n${trailers.join("\n")}\n`;
}

function subjectOf(item: string): string {
  if (item.length <= SUBJECT) return item;
  const cut = truncate(item, SUBJECT - 1).replace(/… \(\+\d+ characters\)$/, "");
  return `${cut.replace(/ \S*$/, "")}…`;
}
