import { resolve } from "node:path";
import { type Result, err, ok } from "../../base/result.ts";
import type { Places } from "../../files/places.ts";
import type { PendingChange } from "../../settle/pending/pending-change.ts";
import { readPending } from "../../settle/pending/pending.ts";
import { readUpload } from "../../settle/shards/upload.ts";
import type { Settler } from "../../settle/settler.ts";
import type { DroppedChange } from "../../settle/pending/tidy-pending.ts";
import type { CommandInput } from "../command-input.ts";
import type { CliIo } from "../io.ts";
import { warn } from "../say.ts";
import { chooseChanges } from "./choose-changes.ts";
import { tidy } from "./tidy.ts";

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

/** What a command names of what waits. */
export interface NamedChanges {
  /** To be settled. */
  readonly due: readonly PendingChange[];
  /** Named too, and dropped before anything was done with it. */
  readonly dropped: readonly DroppedChange[];
}

/**
 * What a command names by keys or `--all`: never all of it because nothing was said. What has no more meaning is
 * dropped and said; an upload's is not, because it does not wait here.
 */
export function namedChanges(
  verb: string,
  input: CommandInput,
  { settler, io }: { readonly settler: Settler; readonly io: CliIo },
): Result<NamedChanges, string> {
  const { operands } = input;
  const all = input.flag("all");
  if (all && operands.length > 0) return err("Give keys or --all, not both.");
  if (!all && operands.length === 0)
    return err(`Say what to ${verb}: keys or targets as veritest pending lists them, or --all.`);
  const { places } = settler;
  const waiting = waitingChanges(input, places, io);
  if (!waiting.ok) return waiting;
  const chosen = all ? waiting : chooseChanges(waiting.value, operands, { root: places.root, cwd: io.cwd });
  if (!chosen.ok) return chosen;
  const dropped = input.text("from") === undefined ? tidy(settler, io) : [];
  const gone = new Set(dropped.map(({ change }) => change.key));
  const named = new Set(chosen.value.map(({ key }) => key));
  return ok({
    due: chosen.value.filter(({ key }) => !gone.has(key)),
    dropped: dropped.filter(({ change }) => named.has(change.key)),
  });
}
