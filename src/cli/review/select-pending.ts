import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { commandPath, quote } from "../../kernel/text.ts";
import { firstNames, plainCount } from "../../explain/wording.ts";
import { type ProjectPaths, projectPaths, projectRoot, targetName } from "../../kernel/files/project-paths.ts";
import { listNames } from "../../kernel/files/read.ts";
import { matchesName } from "../../kernel/matches-name.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { countPending, readPending } from "../../updates/pending/pending-store.ts";
import { locationProblem } from "../../updates/pending/accept-pending.ts";
import { type DroppedChange, tidyPending } from "../../updates/pending/tidy-pending.ts";
import type { UpdateContext } from "../../updates/update-context.ts";
import { readUpload } from "../../updates/upload/upload.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliIo } from "../terminal/io.ts";
import { isEarlierKey, keyOf } from "../../updates/pending/key-of.ts";
import { type PendingGroup, findGroup, pendingGroups } from "./pending-groups.ts";
import { oneLine, printLines, printWarning } from "../terminal/print.ts";

/** Reads the pending changes of this project, or of the upload that `--from` names. Warns of unreadable files. */
export function selectablePending(
  input: CommandInput,
  paths: ProjectPaths,
  io: CliIo,
): Result<readonly PendingChange[], string> {
  const from = input.text("from");
  if (from !== undefined) return readUpload(resolve(io.cwd, from), paths);
  const { changes, unreadable } = readPending(paths.state);
  for (const problem of unreadable) printWarning(io, `A pending change can't be read: ${problem}. Run its test again.`);
  return ok(changes);
}

/** Reports that there are no pending changes here, and where to find those of other projects of the repository. */
export function printNothingPending(from: string | undefined, paths: ProjectPaths, io: CliIo): void {
  const outer = from === undefined ? above(paths, io) : [];
  const inOtherFolders = from === undefined && outer.length === 0 ? elsewhere(paths) : [];
  printLines(io, ["No change is pending.", ...outer, ...inOtherFolders]);
}

/** Counts the changes of other projects. Their state directories don't name the projects. */
function elsewhere({ state }: ProjectPaths): string[] {
  const states = listNames(dirname(state)).filter((name) => /^[0-9a-f]{8}$/.test(name) && name !== basename(state));
  const count = states.reduce((sum, name) => sum + countPending(join(dirname(state), name), []), 0);
  if (count === 0) return [];
  const changes = plainCount(count, "change");
  return [
    `Runs in other folders of this repository have ${changes}: run npx veritest pending in the folder of the run.`,
  ];
}

/** Lists this folder's changes in outer projects: each project has its own pending changes. */
function above({ root, area, state }: ProjectPaths, { cwd, environment }: CliIo): string[] {
  const lines: string[] = [];
  for (let folder = root; folder !== area && folder !== dirname(folder); ) {
    folder = projectRoot(dirname(folder));
    const outer = projectPaths(folder, environment);
    if (outer.state === state || (folder !== area && !folder.startsWith(`${area}${sep}`))) break;
    const own = `${targetName(folder, root)}/`;
    const count = readPending(outer.state).changes.filter(({ target }) => target.startsWith(own)).length;
    const directory = commandPath(relative(cwd, folder));
    if (count > 0)
      lines.push(
        oneLine(
          `A run in ${directory} has ${plainCount(count, "change")} of this folder: ` +
            `cd ${directory} && npx veritest pending`,
        ),
      );
  }
  return lines;
}

/** Pending changes that a command names. */
interface NamedChanges {
  /** Changes to accept or reject. */
  readonly due: readonly PendingChange[];
  /** Named changes that were dropped first. */
  readonly dropped: readonly DroppedChange[];
  /** Named group. All of its changes are due. */
  readonly group?: PendingGroup;
}

/**
 * Selects changes by keys, a group or `--all`. Without any of these it's an error, never all. Drops and reports
 * obsolete changes, except those of an upload, which aren't pending here.
 */
export function selectPending(
  verb: string,
  input: CommandInput,
  { context, io }: { readonly context: UpdateContext; readonly io: CliIo },
): Result<NamedChanges, string> {
  const { operands } = input;
  const all = input.flag("all");
  const group = input.text("group");
  if (Number(all) + Number(operands.length > 0) + Number(group !== undefined) > 1)
    return err("Pass only one of: keys, --group, --all.");
  if (!all && operands.length === 0 && group === undefined)
    return err(
      `No change was passed. Pass keys, files or --group to ${verb}, or --all. To list them, run: npx veritest pending`,
    );
  const { paths } = context;
  const pending = selectablePending(input, paths, io);
  if (!pending.ok) return pending;
  if (group !== undefined) return namedGroup(group, pending.value, { input, paths });
  const chosen = all
    ? pending
    : chooseChanges(pending.value, operands, { root: paths.root, cwd: io.cwd, from: input.text("from") });
  if (!chosen.ok) return chosen;
  const dropped = input.text("from") === undefined ? tidyAndPrint(context, io) : [];
  const gone = new Set(dropped.map(({ change }) => change.key));
  const named = new Set(chosen.value.map(({ key }) => key));
  return ok({
    due: chosen.value.filter(({ key }) => !gone.has(key)),
    dropped: dropped.filter(({ change }) => named.has(change.key)),
  });
}

/** Drops no changes first: if a baseline of the group has changed, the group isn't the one that was shown. */
function namedGroup(
  name: string,
  pending: readonly PendingChange[],
  { input, paths }: { readonly input: CommandInput; readonly paths: ProjectPaths },
): Result<NamedChanges, string> {
  const misplaced = locationProblem(pending, paths);
  if (misplaced !== undefined) return err(misplaced);
  const trusted = input.text("from") === undefined;
  const match = findGroup(pendingGroups(pending, { root: paths.root, trusted }), name);
  return match.ok ? ok({ due: match.value.members, dropped: [], group: match.value }) : match;
}

/** Drops and reports obsolete changes before a decision. */
export function tidyAndPrint({ paths, policy, now }: UpdateContext, io: CliIo): readonly DroppedChange[] {
  const dropped = tidyPending(paths, { latest: new Map(), pendingDays: policy.pendingDays, now: now.getTime() });
  printLines(
    io,
    dropped.map(({ change, reason }) => oneLine(`dropped  ${keyOf(change)}  ${change.target}: ${wordsOf(reason)}`)),
  );
  return dropped;
}

/** Returns dropped changes as the JSON of a decision lists them. */
export function droppedFacts(dropped: readonly Pick<DroppedChange, "change">[]): readonly object[] {
  return dropped.map(({ change }) => ({ key: keyOf(change), target: change.target }));
}

function wordsOf(because: DroppedChange["reason"]): string {
  switch (because) {
    case "clean again":
      return "a later check was clean";
    case "refused later":
      return "a later run had a result that can't be accepted";
    case "other requests later":
      return "a later run sent requests that aren't recorded";
    case "written meanwhile":
      return "its baseline already contains this change";
    case "changed meanwhile":
      return "its baseline has changed since then";
    case "expired":
      return "the change is older than transaction.pendingDays";
  }
}

/** Base directories of paths on the command line. */
interface ChoiceContext {
  /** Root of the project, the base of targets. */
  readonly root: string;
  /** Working directory, another base of paths. */
  readonly cwd: string;
  /** Upload with the changes; undefined for those of the project. */
  readonly from?: string | undefined;
}

/**
 * Selects changes by key, beginning of a key, target, or pattern of targets (`*` matches any characters). Returns them
 * in listed order, without duplicates. The error is one sentence on the first name that has no match, or that begins
 * several keys, with the nearest ones.
 */
export function chooseChanges(
  changes: readonly PendingChange[],
  names: readonly string[],
  context: ChoiceContext,
): Result<readonly PendingChange[], string> {
  const chosen = new Set<PendingChange>();
  for (const name of names) {
    const match = named(changes, name, context);
    if (!match.ok) return match;
    for (const change of match.value) chosen.add(change);
  }
  return ok(changes.filter((change) => chosen.has(change)));
}

function named(
  changes: readonly PendingChange[],
  name: string,
  context: ChoiceContext,
): Result<readonly PendingChange[], string> {
  const isKey = /^[0-9a-f]{1,12}$/.test(name);
  const byKey = isKey ? changes.filter((change) => keyOf(change).startsWith(name)) : [];
  if (byKey.length > 1) return err(`${quote(name)} matches several keys: ${list(byKey)}. Pass more characters.`);
  if (byKey.length === 1) return ok(byKey);
  const byTarget = changes.filter(({ target }) => fits(name, target, context));
  if (byTarget.length > 0) return ok(byTarget);
  if (changes.length === 0) return err(`No change matches ${quote(name)}, because no change is pending.`);
  const more = context.from === undefined ? "" : ` --from ${context.from}`;
  const next = isKey ? changes.find((change) => isEarlierKey(name, change)) : undefined;
  if (next !== undefined)
    return err(
      `${quote(name)} isn't pending: a later result of the same test replaced it. Its key is ${list([next])}. To see ` +
        `it, run: npx veritest review ${keyOf(next)}${more}`,
    );
  const those = changes.length === 1 ? "The pending change is" : "Similar";
  const hint = isKey ? " If a later run has a different result, it has a different key." : "";
  return err(
    `No pending change matches ${quote(name)}. ${those}: ${list(nearest(changes, name))}.${hint} To list all keys, ` +
      "run: npx veritest pending",
  );
}

function fits(name: string, target: string, { root, cwd }: ChoiceContext): boolean {
  if (name === "") return false;
  return name === target || matchesName(name, target) || targetName(root, resolve(cwd, name)) === target;
}

/** Ranks by the number of character pairs that they share with the name. */
function nearest(changes: readonly PendingChange[], name: string): readonly PendingChange[] {
  const pairs = Array.from({ length: Math.min(name.length - 1, 200) }, (_, index) => name.slice(index, index + 2));
  const closeness = (change: PendingChange): number =>
    pairs.filter((pair) => keyOf(change).includes(pair) || change.target.includes(pair)).length;
  const rated = changes.map((change) => ({ change, score: closeness(change) }));
  return rated.toSorted((a, b) => b.score - a.score).map(({ change }) => change);
}

function list(changes: readonly PendingChange[]): string {
  return firstNames(changes.map((change) => `${keyOf(change)} (${change.target})`));
}
