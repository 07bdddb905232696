import { dirname, relative, resolve, sep } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { amount } from "../../explain/wording.ts";
import { type Places, placesOf, projectRoot, targetName } from "../../kernel/files/places.ts";
import { commandPath } from "../../explain/rerun-command.ts";
import { fitsName } from "../../kernel/fits-name.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { readPending } from "../../updates/pending/pending.ts";
import { locationProblem } from "../../updates/pending/settle-pending.ts";
import { type DroppedChange, tidyPending } from "../../updates/pending/tidy-pending.ts";
import type { UpdateContext } from "../../updates/settler.ts";
import { readUpload } from "../../updates/shards/upload.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliIo } from "../terminal/io.ts";
import { type PendingGroup, findGroup, pendingGroups } from "./pending-groups.ts";
import { oneLine, say, warn } from "../terminal/say.ts";

/**
 * What waits for a settler: in this project, or in the upload that `--from` names. Says which files cannot be read.
 */
export function waitingChanges(
  input: CommandInput,
  places: Places,
  io: CliIo,
): Result<readonly PendingChange[], string> {
  const from = input.text("from");
  if (from !== undefined) return readUpload(resolve(io.cwd, from), places);
  const { changes, unreadable } = readPending(places.state);
  for (const problem of unreadable) warn(io, `A pending change cannot be read: ${problem}. Run its test again.`);
  return ok(changes);
}

/** Says that nothing waits here, and where a run above holds some of it. */
export function sayNothingWaits(from: string | undefined, places: Places, io: CliIo): void {
  say(io, ["Nothing waits for review.", ...(from === undefined ? above(places, io) : [])]);
}

/** What a run of a project around this one holds of it: each project keeps its own. */
function above({ root, area, state }: Places, { cwd, environment }: CliIo): string[] {
  const lines: string[] = [];
  for (let folder = root; folder !== area && folder !== dirname(folder); ) {
    folder = projectRoot(dirname(folder));
    const outer = placesOf(folder, environment);
    if (outer.state === state || (folder !== area && !folder.startsWith(`${area}${sep}`))) break;
    const own = `${targetName(folder, root)}/`;
    const count = readPending(outer.state).changes.filter(({ target }) => target.startsWith(own)).length;
    const place = commandPath(relative(cwd, folder));
    if (count > 0)
      lines.push(
        oneLine(
          `A run in ${place} holds ${amount(count, "change")} of this folder: cd ${place} && npx veritest pending`,
        ),
      );
  }
  return lines;
}

/** What a command names of what waits. */
interface NamedChanges {
  /** To be settled. */
  readonly due: readonly PendingChange[];
  /** Named too, and dropped before anything was done with it. */
  readonly dropped: readonly DroppedChange[];
  /** The group that was named; it is all that is due. */
  readonly group?: PendingGroup;
}

/**
 * What a command names by keys or `--all`: never all of it because nothing was said. What has no more meaning is
 * dropped and said; an upload's is not, because it does not wait here.
 */
export function namedChanges(
  verb: string,
  input: CommandInput,
  { settler: context, io }: { readonly settler: UpdateContext; readonly io: CliIo },
): Result<NamedChanges, string> {
  const { operands } = input;
  const all = input.flag("all");
  const group = input.text("group");
  if (Number(all) + Number(operands.length > 0) + Number(group !== undefined) > 1)
    return err("Give keys, or --group, or --all, and not two of them.");
  if (!all && operands.length === 0 && group === undefined)
    return err(`Say what to ${verb}: keys, targets or a group as veritest pending lists them, or --all.`);
  const { places } = context;
  const waiting = waitingChanges(input, places, io);
  if (!waiting.ok) return waiting;
  if (group !== undefined) return namedGroup(group, waiting.value, { input, places });
  const chosen = all ? waiting : chooseChanges(waiting.value, operands, { root: places.root, cwd: io.cwd });
  if (!chosen.ok) return chosen;
  const dropped = input.text("from") === undefined ? tidy(context, io) : [];
  const gone = new Set(dropped.map(({ change }) => change.key));
  const named = new Set(chosen.value.map(({ key }) => key));
  return ok({
    due: chosen.value.filter(({ key }) => !gone.has(key)),
    dropped: dropped.filter(({ change }) => named.has(change.key)),
  });
}

/** Nothing is dropped first: a group of which a baseline changed since is none that anybody saw. */
function namedGroup(
  name: string,
  waiting: readonly PendingChange[],
  { input, places }: { readonly input: CommandInput; readonly places: Places },
): Result<NamedChanges, string> {
  const misplaced = locationProblem(waiting, places);
  if (misplaced !== undefined) return err(misplaced);
  const trusted = input.text("from") === undefined;
  const found = findGroup(pendingGroups(waiting, { root: places.root, trusted }), name);
  return found.ok ? ok({ due: found.value.members, dropped: [], group: found.value }) : found;
}

/** Drops what has no more meaning before anybody decides on it, and says so. */
export function tidy({ places, policy, now }: UpdateContext, io: CliIo): readonly DroppedChange[] {
  const dropped = tidyPending(places, { clean: new Map(), pendingDays: policy.pendingDays, now: now.getTime() });
  say(
    io,
    dropped.map(({ change, reason }) => oneLine(`dropped  ${change.key}  ${change.target}: ${wordsOf(reason)}`)),
  );
  return dropped;
}

function wordsOf(because: DroppedChange["reason"]): string {
  switch (because) {
    case "clean again":
      return "it was checked since and is clean";
    case "written meanwhile":
      return "its baseline holds it already";
    case "changed meanwhile":
      return "its baseline changed since";
    case "expired":
      return "it waited longer than transaction.pendingDays";
  }
}

/** How many changes a message names before it only counts the rest. */
const MAX_NAMED = 5;

/** Where paths on the command line are relative to. */
interface ChoiceContext {
  /** The project's root, which targets are relative to. */
  readonly root: string;
  /** Where the command was started, which paths may be relative to as well. */
  readonly cwd: string;
}

/**
 * The changes that somebody names: by key, by how a key begins, by target, or by a pattern of targets in which `*`
 * stands for any characters. In the order they are listed, each once. The error is one sentence on the first name
 * that fits nothing, or fits several keys, with those that come near.
 */
export function chooseChanges(
  changes: readonly PendingChange[],
  names: readonly string[],
  context: ChoiceContext,
): Result<readonly PendingChange[], string> {
  const chosen = new Set<PendingChange>();
  for (const name of names) {
    const found = named(changes, name, context);
    if (!found.ok) return found;
    for (const change of found.value) chosen.add(change);
  }
  return ok(changes.filter((change) => chosen.has(change)));
}

function named(
  changes: readonly PendingChange[],
  name: string,
  context: ChoiceContext,
): Result<readonly PendingChange[], string> {
  const byKey = /^[0-9a-f]{1,12}$/.test(name) ? changes.filter(({ key }) => key.startsWith(name)) : [];
  if (byKey.length > 1) return err(`${quote(name)} begins more than one key: ${list(byKey)}. Give more of it.`);
  if (byKey.length === 1) return ok(byKey);
  const byTarget = changes.filter(({ target }) => fits(name, target, context));
  if (byTarget.length > 0) return ok(byTarget);
  if (changes.length === 0) return err(`No change fits ${quote(name)}: nothing waits for review.`);
  const those = changes.length === 1 ? "This waits" : "These come nearest";
  return err(`No change fits ${quote(name)}. ${those}: ${list(nearest(changes, name))}. See: veritest pending`);
}

function fits(name: string, target: string, { root, cwd }: ChoiceContext): boolean {
  if (name === "") return false;
  return name === target || fitsName(name, target) || targetName(root, resolve(cwd, name)) === target;
}

/** By how many pairs of neighbouring characters of the name occur in them too. */
function nearest(changes: readonly PendingChange[], name: string): readonly PendingChange[] {
  const pairs = Array.from({ length: Math.min(name.length - 1, 200) }, (_, index) => name.slice(index, index + 2));
  const closeness = ({ key, target }: PendingChange): number =>
    pairs.filter((pair) => key.includes(pair) || target.includes(pair)).length;
  const rated = changes.map((change) => ({ change, score: closeness(change) }));
  return rated.toSorted((a, b) => b.score - a.score).map(({ change }) => change);
}

function list(changes: readonly PendingChange[]): string {
  const named = changes.slice(0, MAX_NAMED).map(({ key, target }) => `${key} (${target})`);
  const rest = changes.length - named.length;
  return `${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
