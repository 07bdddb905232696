import type { CallRole } from "../../kernel/call-role.ts";
import { type CallChange, diffCalls } from "../../record/calls/diff-calls.ts";
import { recordedCalls } from "../../record/read-snapshot.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import type { Evidence, RequestChange } from "./cause.ts";
import type { OfflineRun } from "./replay-with-stubs.ts";
import type { OfflineChange } from "./stubbed-calls.ts";

/**
 * Returns the evidence of calls that the current code makes in another order on the recorded responses, if the check
 * has such changes: writes that moved, and calls that now count as retries, or no longer do, because other calls
 * follow failed ones. Empty if the order doesn't matter.
 */
export function recountedCalls(
  run: OfflineRun | undefined,
  {
    snapshot,
    callChanges,
    roleOf,
  }: {
    readonly snapshot: Snapshot;
    readonly callChanges: readonly CallChange[];
    readonly roleOf: (call: OfflineChange["call"]) => CallRole;
  },
): Evidence[] {
  if (run?.kind !== "ran") return [];
  const known = new Set(callChanges.map(keyOf));
  if (!callChanges.some(({ kind }) => kind !== "changed")) return [];
  const { changes } = diffCalls(recordedCalls(snapshot), run.made, { roleOf });
  const same = changes.filter((change) => known.has(keyOf(change)));
  const calls = same.flatMap(countedChanges);
  if (calls.length > 0) return [{ kind: "code", entries: [], calls }];
  const moved = same.filter((change) => change.kind === "moved");
  return moved.length === 0 ? [] : [{ kind: "code", entries: [], moved }];
}

function keyOf({ kind, adapter }: CallChange): string {
  return `${kind} ${adapter}`;
}

function countedChanges(change: CallChange): RequestChange[] {
  if (change.kind !== "added" && change.kind !== "removed") return [];
  const kind = change.kind === "added" ? "added" : "dropped";
  return Array.from({ length: change.times }, () => ({ kind, adapter: change.adapter, entries: [] }));
}
