import { isAbsolute } from "node:path";
import { oneLine } from "../../kernel/printed.ts";
import { commandLine } from "../../kernel/files/command-line.ts";
import { git } from "./git.ts";
import { changedLink, readOutside } from "./links.ts";
import { readRepositorySettings } from "./own-repository.ts";
import { STATUS } from "./repository.ts";
import { type RunContext, type RunOutcome, isWithoutCommit } from "./run-options.ts";

/** Lines on what changed in the user's repository: a command did it by the repository's path, or somebody else. */
export async function changesOfRepository(context: RunContext, outcome: RunOutcome): Promise<readonly string[]> {
  const { repository, settings: before } = context;
  const now = await readRepositorySettings(repository);
  if (!now.ok) return [`Your repository can't be read after the run: ${now.error}.`];
  const [old, refs] = [refsOf(before.refs), refsOf(now.value.refs)];
  const changed = changedNames(old, refs).filter((ref) => ref !== repository.target || isWithoutCommit(outcome));
  const hasStashes = changed.some((ref) => ref.startsWith("refs/stash "));
  const state = changedNames(before.state, now.value.state)
    // In namespaces, only the user and servers write ignored files.
    .filter((name) => !context.confinement.isConfined || !name.startsWith("ignored ("))
    .map((name) => name.replace(/^(worktrees\/[^/]+\/).*/, "$1"))
    .toSorted();
  // A command may write many ignored files.
  const lines = [...new Set([...state.filter((name) => !name.startsWith("ignored (")), ...state])].map(stateLine);
  // First what runs programs: git obeys it in the commands of the other lines.
  return [
    ...changedNames(new Map(Object.entries(before.files)), new Map(Object.entries(now.value.files))).map((name) =>
      fileLine(name, before.files),
    ),
    ...lines.slice(0, MAX_FILES),
    ...(lines.length > MAX_FILES ? [`${lines.length - MAX_FILES} further files of git changed.`] : []),
    ...changed.filter((ref) => ref !== "refs/stash" || !hasStashes).map((ref) => refLine(ref, old.get(ref))),
    ...(await changedFiles(repository)),
    ...changedLinks(context, outcome),
  ];
}

/** Returns the names whose texts differ, or that only one side has. */
function changedNames(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name));
}

function fileLine(name: string, before: Readonly<Record<string, string>>): string {
  const branch = name === "HEAD" ? /^ref: (.*)$/m.exec(before["HEAD"] ?? "")?.[1] : undefined;
  return changeLine(`Git's file ${name} changed`, branch === undefined ? [] : ["symbolic-ref", "HEAD", branch]);
}

function stateLine(name: string): string {
  const [, kind, path = ""] = /^(index|ignored) \((.*)\)$/s.exec(name) ?? [];
  if (kind === "ignored") return changeLine(`${path}, which git ignores, changed in your checkout`);
  if (kind === undefined) return changeLine(`Git's file ${name} changed`);
  const undo = ["update-index", "--no-assume-unchanged", "--no-skip-worktree", "--", path];
  return changeLine(`A mark that hides changes of ${path} changed`, undo);
}

function refLine(ref: string, id: string | undefined): string {
  const isStash = ref.startsWith("refs/stash ");
  if (id === undefined) return changeLine(`${ref} changed`, isStash ? ["stash", "drop"] : ["update-ref", "-d", ref]);
  return changeLine(`${ref} changed`, isStash ? ["stash", "store", id] : ["update-ref", ref, id]);
}

/**
 * A line on a change. The command may have chosen the names: a user who pastes the line must not run them, and git must
 * not take them for patterns. A name that can't be printed as it is gets no command.
 */
function changeLine(change: string, undo: readonly string[] = []): string {
  const isPlain = undo.length > 0 && undo.every((word) => oneLine(word) === word);
  const remedy = isPlain
    ? `If you didn't change it, run: ${commandLine(["git", ...undo])}`
    : "Check whether you changed it.";
  return `${change} during the run. ${remedy}`;
}

/** Gates after which no program of the run starts: the first compares the linked folders. */
const LAST_GATES = ["links", "approve", "land"];

/** A line on the linked folders, unless the run has just compared them. The next run trusts what they contain. */
function changedLinks(context: RunContext, outcome: RunOutcome): readonly string[] {
  if (outcome.kind === "discarded" && LAST_GATES.includes(outcome.failure.gate)) return [];
  const changed = changedLink(context.linkState, readOutside(context));
  if (changed === undefined) return [];
  const undo = isAbsolute(changed) ? "undo the change" : "install your packages again";
  return [`${changed} changed during the run, and your checks use it. If you didn't change it, ${undo}.`];
}

/** Lines on files of the user's checkout, which was clean before the run. */
async function changedFiles({ top, environment }: RunContext["repository"]): Promise<readonly string[]> {
  const status = await git([...STATUS, "--no-renames"], { cwd: top, environment });
  if (!status.ok) return [`Your checkout can't be read after the run: ${status.error.message}.`];
  const entries = status.value.split("\0").filter((entry) => entry !== "");
  const lines = entries.slice(0, MAX_FILES).map((entry) => {
    const path = entry.slice("XY ".length);
    const options = /[*?[\\:]/.test(path) ? ["--literal-pathspecs"] : [];
    const undo = entry.startsWith("??") ? ["clean", "-f"] : ["restore", "--staged", "--worktree"];
    return changeLine(`${path} changed in your checkout`, [...options, ...undo, "--", path]);
  });
  return entries.length > MAX_FILES
    ? [...lines, `${entries.length - MAX_FILES} further files changed: git status`]
    : lines;
}

/** Changed files of git, and of a checkout, that are listed. */
const MAX_FILES = 20;

function refsOf(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]));
}
