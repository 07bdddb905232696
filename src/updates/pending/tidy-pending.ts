import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { withoutLabel } from "../../baseline/baseline-paths.ts";
import { listNames } from "../../kernel/files/read.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import type { StagedUpdate } from "../../check/update/stage-update.ts";
import { type PendingChange, type PendingHead, contradictedBy } from "./pending-change.ts";
import { MODEL_FAILED } from "../../check/outages/lost-model-responses.ts";
import { KEY_MISSING } from "../../kernel/missing-key.ts";
import { removeStale } from "../../kernel/files/durable.ts";
import { stateDirectory } from "../../kernel/files/state-directory.ts";
import { hasHash } from "../commit/operations.ts";
import { removePending, isExpired, writePending, pendingDirectory, pendingOf } from "./pending-store.ts";
import { livenessOf } from "../../kernel/files/processes.ts";
import { clearStaged, ownerOf, readStaged, stageDirectory } from "./stage-changes.ts";

/**
 * Time without a sign after which a run is over whose owner can't be checked: another host's, or one without a name.
 */
const SILENT_MS = 86_400_000;

/** A pending change that was dropped, and why. */
export interface DroppedChange {
  readonly change: PendingChange;
  readonly reason: LatestResult["reason"] | "written meanwhile" | "changed meanwhile" | "expired";
}

/** Returns the sentence for dropped changes: `2 pending changes dropped: clean again`. */
export function droppedText(count: number, reason: DroppedChange["reason"]): string {
  return `${count} pending ${count === 1 ? "change" : "changes"} dropped: ${reason}`;
}

/** Result of the latest check of a baseline, if that check staged no pending change. */
export interface LatestResult {
  /**
   * `refused later`: the result can't be accepted, for example because it breaks the schema. `other requests later`:
   * the step sent a request that its baseline doesn't record.
   */
  readonly reason: "clean again" | "refused later" | "other requests later";
  /** Source of its responses. */
  readonly source: StagedUpdate["source"];
}

/**
 * Returns the reason for which the result of a check drops a pending change of its baseline, if any. `code` is the
 * error's. A live step that throws may only show that a service is down. An outage, also one that the step handled, and
 * a missing key contradict no pending change.
 */
export function latestReason({
  kind,
  source,
  code,
  hasCause = false,
  isRefused = false,
}: {
  readonly kind: string;
  readonly source: string | undefined;
  readonly code: string | undefined;
  /** True if the check names a cause. A service that is down has none. */
  readonly hasCause?: boolean;
  /** True if the result can't be stored. */
  readonly isRefused?: boolean;
}): LatestResult["reason"] | undefined {
  if (kind === "clean") return "clean again";
  if (kind === "request_changed" && source === "recorded") return "other requests later";
  if (code === MODEL_FAILED || code === KEY_MISSING) return undefined;
  const isFailed = kind === "failed" && (source === "recorded" || code !== "execution_failed" || hasCause);
  return isRefused || isFailed || kind === "schema_violation" ? "refused later" : undefined;
}

/** Options for tidying. */
export interface TidyOptions {
  /** Results that a run just had, by the absolute path of the baseline. */
  readonly latest: ReadonlyMap<string, LatestResult>;
  readonly pendingDays: number;
  readonly now: number;
}

/**
 * Drops outdated pending changes: a later run found their baseline clean, sent other requests or had a result that
 * can't be accepted, the file already has the new text or no longer has the old one, a new case is written under
 * another label, or they are too old.
 */
export function tidyPending(paths: ProjectPaths, { latest, pendingDays, now }: TidyOptions): DroppedChange[] {
  const reasons = new Map<PendingHead, DroppedChange["reason"]>();
  const isWritten = writtenCases();
  const isDue = (change: PendingHead): boolean => {
    const path = resolve(paths.root, change.target);
    // If a test passes the earlier input again, the case with the other one is outdated.
    const checked = change.replaces === undefined ? path : join(dirname(path), change.replaces);
    const result = latest.get(checked);
    const because =
      result !== undefined && (change.replaces !== undefined || contradictedBy(change, result))
        ? result.reason
        : (outdatedReason(path, change) ??
          (change.before === null && isWritten(path) ? "changed meanwhile" : undefined) ??
          (isExpired(change, { pendingDays, now }) ? "expired" : undefined));
    if (because !== undefined) reasons.set(change, because);
    return because !== undefined;
  };
  const dropped = pendingOf(paths.state, isDue).flatMap((change): DroppedChange[] => {
    const reason = reasons.get(change);
    return reason === undefined ? [] : [{ change, reason }];
  });
  removePending(
    paths,
    dropped.map(({ change }) => change),
  );
  return dropped;
}

/** Returns a test for new cases that a directory has under another label. Lists each directory once. */
function writtenCases(): (path: string) => boolean {
  const known = new Map<string, ReadonlySet<string>>();
  return (path) => {
    const directory = dirname(path);
    const cases = known.get(directory) ?? new Set(listNames(directory).map(withoutLabel));
    known.set(directory, cases);
    return cases.has(withoutLabel(basename(path)));
  };
}

/** Moves what runs staged whose process died to the pending changes. Returns those changes. */
export function adoptDeadRuns(paths: ProjectPaths): PendingChange[] {
  const stages = stateDirectory(paths.state, "stage");
  const runs = listNames(stages).filter((run) => !run.startsWith(".") && isDead(paths, run));
  const adopted = runs.flatMap((run) =>
    readStaged(paths, run).changes.filter(
      (change) => outdatedReason(resolve(paths.root, change.target), change) === undefined,
    ),
  );
  writePending(paths, adopted);
  for (const directory of [stages, pendingDirectory(paths.state)]) removeStale(directory);
  for (const run of runs) clearStaged(paths, run);
  return adopted;
}

/** Returns the sentence for changes that {@link adoptDeadRuns} moved; empty if it moved none. */
export function adoptedLines({ length }: readonly PendingChange[]): readonly string[] {
  const count = length === 1 ? "1 change is" : `${length} changes are`;
  return length === 0 ? [] : [`A run was interrupted: its ${count} pending.`];
}

/**
 * Reason why a change is outdated. Undefined while its file, and the one that it replaces, have the texts that it was
 * made from.
 */
export function outdatedReason(
  path: string,
  change: PendingHead,
): "written meanwhile" | "changed meanwhile" | undefined {
  if (hasHash(path, change.before)) return isReplacedEdited(path, change) ? "changed meanwhile" : undefined;
  return hasHash(path, change.after) ? "written meanwhile" : "changed meanwhile";
}

/** True if the case that the change of a path replaces was edited since. A removed one is replaced already. */
export function isReplacedEdited(
  path: string,
  { replaces, replacedHash }: Pick<PendingHead, "replaces" | "replacedHash">,
): boolean {
  if (replaces === undefined || replacedHash === undefined) return false;
  const replaced = join(dirname(path), replaces);
  return !hasHash(replaced, null) && !hasHash(replaced, replacedHash);
}

function isDead(paths: ProjectPaths, run: string): boolean {
  const owner = ownerOf(paths, run);
  const liveness = owner === undefined ? "unknown" : livenessOf(owner);
  if (liveness !== "unknown") return liveness === "dead";
  const stats = statSync(stageDirectory(paths, run), { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > SILENT_MS;
}
