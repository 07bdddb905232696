import { statSync } from "node:fs";
import { resolve } from "node:path";
import { listNames } from "../../kernel/files/read.ts";
import type { Places } from "../../kernel/files/places.ts";
import type { KeptProposal } from "../../check/keep.ts";
import { type PendingChange, type PendingHead, contradictedBy } from "./pending-change.ts";
import { removeStale } from "../../kernel/files/durable.ts";
import { stateDirectory } from "../../kernel/files/state-room.ts";
import { hashOfFile } from "../commit/operations.ts";
import { removePending, isExpired, writePending, pendingDirectory, pendingOf } from "./pending.ts";
import { livenessOf } from "../../kernel/files/processes.ts";
import { clearStaged, ownerOf, readStaged, stageDirectory } from "./stage.ts";

/**
 * Time without a sign after which a run is over whose owner can't be checked: another host's, or one without a name.
 */
const SILENT_MS = 86_400_000;

/** A pending change that was dropped, and why. */
export interface DroppedChange {
  readonly change: PendingChange;
  readonly reason: "clean again" | "written meanwhile" | "changed meanwhile" | "expired";
}

/** Options for tidying. */
export interface TidyOptions {
  /** Absolute paths of baselines that a run just checked and that were clean, with the source of their responses. */
  readonly clean: ReadonlyMap<string, KeptProposal["source"]>;
  readonly pendingDays: number;
  readonly now: number;
}

/**
 * Drops outdated pending changes: their baseline is clean, already has the new text or no longer has the old one, or
 * they are too old.
 */
export function tidyPending(places: Places, { clean, pendingDays, now }: TidyOptions): DroppedChange[] {
  const reasons = new Map<PendingHead, DroppedChange["reason"]>();
  const isDue = (change: PendingHead): boolean => {
    const path = resolve(places.root, change.target);
    const because =
      clean.has(path) && contradictedBy(change, clean.get(path))
        ? "clean again"
        : (outdatedReason(path, change) ?? (isExpired(change, { pendingDays, now }) ? "expired" : undefined));
    if (because !== undefined) reasons.set(change, because);
    return because !== undefined;
  };
  const dropped = pendingOf(places.state, isDue).flatMap((change): DroppedChange[] => {
    const reason = reasons.get(change);
    return reason === undefined ? [] : [{ change, reason }];
  });
  removePending(
    places,
    dropped.map(({ change }) => change),
  );
  return dropped;
}

/** Moves what runs staged whose process died to the pending changes. Returns those changes. */
export function adoptDeadRuns(places: Places): PendingChange[] {
  const stages = stateDirectory(places.state, "stage");
  const runs = listNames(stages).filter((run) => !run.startsWith(".") && isDead(places, run));
  const adopted = runs.flatMap((run) =>
    readStaged(places, run).changes.filter(
      (change) => outdatedReason(resolve(places.root, change.target), change) === undefined,
    ),
  );
  writePending(places, adopted);
  for (const directory of [stages, pendingDirectory(places.state)]) removeStale(directory);
  for (const run of runs) clearStaged(places, run);
  return adopted;
}

/** Reason why a change is outdated. Undefined while its file has the text that the change was made from. */
export function outdatedReason(
  path: string,
  { before, after }: PendingHead,
): "written meanwhile" | "changed meanwhile" | undefined {
  const now = hashOfFile(path);
  if (now === before) return undefined;
  return now === after ? "written meanwhile" : "changed meanwhile";
}

function isDead(places: Places, run: string): boolean {
  const owner = ownerOf(places, run);
  const liveness = owner === undefined ? "unknown" : livenessOf(owner);
  if (liveness !== "unknown") return liveness === "dead";
  const stats = statSync(stageDirectory(places, run), { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > SILENT_MS;
}
