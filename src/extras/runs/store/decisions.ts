import { type Result, err, ok } from "../../../kernel/result.ts";
import { quote } from "../../../kernel/text.ts";
import type { Block } from "../../../kernel/step/block.ts";
import type { EntryKind, OverlayChange, Resolve, RunDecision, StepFailed } from "./contract.ts";
import { type ResumeRow, type StoreLimits, prepareJson, prepareResume } from "./prepare.ts";
import { decodeOverlay, encodeOverlay, encodeResolution } from "./rows.ts";
import { type StoreError, storeError } from "./store-error.ts";

/** An entry that wasn't written by a step. */
export interface PlainEntry {
  readonly kind: Exclude<EntryKind, "start" | "step">;
  readonly step_id: string;
  readonly step_name: string;
  readonly events: string;
}

/** Writes of a block's resolution, all in one transaction. */
export interface Resolution {
  readonly resolution: string;
  /** Overlay of the run after the decision. Only an override changes it. */
  readonly overlay: string;
  readonly entry: PlainEntry;
  /** New status of the block's deferred siblings, and of a collect that waits for the block's step. */
  readonly siblings: "pending" | "rejected";
  /** Row that resumes a suspended run. */
  readonly row: ResumeRow | undefined;
}

/** Returns the entry of a failed attempt. */
export function failureEntry(
  { stepId, stepName, error, attempt }: StepFailed,
  limits: StoreLimits,
): Result<PlainEntry, StoreError> {
  const { code, message, retryable } = error;
  const payload = { stepName, code, message, retryable, attempt };
  return entryOf({ kind: "failure", step_id: stepId, step_name: stepName }, { type: "step.failed", payload }, limits);
}

/** Returns the overlay as it's stored, and the entry with its author and reason. */
export function overlayEntry(
  { overlay, reason, actor }: OverlayChange,
  limits: StoreLimits,
): Result<{ readonly overlay: string; readonly entry: PlainEntry }, StoreError> {
  const encoded = encodeOverlay(overlay);
  const json = prepareJson("overlay", encoded, limits);
  if (!json.ok) return json;
  const event = { type: "overlay.set", payload: { ...encoded, reason, actor } };
  const entry = entryOf({ kind: "overlay", step_id: "overlay", step_name: "overlay" }, event, limits);
  return entry.ok ? ok({ overlay: json.value, entry: entry.value }) : entry;
}

/** Returns the entry of a decision about a run. */
export function decisionEntry(
  kind: "retry" | "cancel",
  { reason, actor }: RunDecision,
  limits: StoreLimits,
): Result<PlainEntry, StoreError> {
  const event = { type: kind === "retry" ? "run.retried" : "run.cancelled", payload: { reason, actor } };
  return entryOf({ kind, step_id: kind, step_name: kind }, event, limits);
}

/** Plans the writes of a resolution; returns `null` if the block is already resolved. */
export function planResolve(
  block: Block | undefined,
  overlay: string,
  { resolve, limits }: { readonly resolve: Resolve; readonly limits: StoreLimits },
): Result<Resolution | null, StoreError> {
  const { blockId, decision, reason, actor } = resolve;
  if (block === undefined)
    return err(
      storeError(
        "block_not_found",
        `Block ${quote(blockId)} doesn't exist. To list open blocks: npx veritest runs blocked, or blocks.list().`,
      ),
    );
  if ((decision.kind === "resume") !== (block.kind === "suspend") || decision.kind === "cancel")
    return err(wrongDecision(block, resolve));
  if (block.resolution !== undefined) return ok(null);
  const patched =
    decision.kind === "override" ? encodeOverlay({ ...decodeOverlay(overlay), ...decision.patch }) : undefined;
  const merged = patched === undefined ? ok(overlay) : prepareJson("patch", patched, limits);
  if (!merged.ok) return merged;
  const row = decision.kind === "resume" ? prepareResume(block, decision.data, limits) : ok(undefined);
  if (!row.ok) return row;
  const payload = {
    blockId,
    reason,
    actor,
    ...(decision.kind === "override" ? { patch: encodeOverlay(decision.patch) } : {}),
  };
  const event = { type: `${block.kind}.${PAST[decision.kind]}`, payload };
  const entry = entryOf({ kind: "resolution", step_id: blockId, step_name: block.stepName }, event, limits);
  if (!entry.ok) return entry;
  return ok({
    resolution: encodeResolution({ decision, actor, reason }),
    overlay: merged.value,
    entry: entry.value,
    siblings: decision.kind === "reject" ? "rejected" : "pending",
    row: row.value,
  });
}

const PAST = {
  approve: "approved",
  reject: "rejected",
  override: "overridden",
  resume: "resumed",
  cancel: "cancelled",
} as const;

function wrongDecision({ blockId, kind }: Block, { decision }: Resolve): StoreError {
  const fits = kind === "review" ? "approve, reject or override" : "resume";
  const message = `Block ${quote(blockId)} is a ${kind}, which "${decision.kind}" can't resolve. Use ${fits}.`;
  return storeError("wrong_decision", message);
}

function entryOf(
  entry: Omit<PlainEntry, "events">,
  event: { readonly type: string; readonly payload: unknown },
  limits: StoreLimits,
): Result<PlainEntry, StoreError> {
  const events = prepareJson("event", [event], limits);
  return events.ok ? ok({ ...entry, events: events.value }) : events;
}
