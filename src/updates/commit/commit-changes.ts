import { dirname, join, resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import type { BaselineUpdate } from "../../baseline/baseline.ts";
import { readText } from "../../kernel/files/read.ts";
import { type Receipt, type ReceiptKind, type ReceiptRunner, versions } from "../receipts/receipt.ts";
import { type CommitResult, commitUpdates } from "./commit-updates.ts";
import type { GateReport } from "../gates/check-gates.ts";
import { type PendingChange, updateFromPending } from "../pending/pending-change.ts";
import { isReplacedEdited } from "../pending/tidy-pending.ts";
import type { UpdateContext } from "../update-context.ts";
import type { ReceiptHead } from "./transact.ts";

/** Fields of a receipt, without the changes. */
export interface CommitRequest {
  readonly kind: ReceiptKind;
  readonly run: string;
  readonly context: UpdateContext;
  readonly report: GateReport;
  readonly runner: ReceiptRunner | undefined;
  /** Ids of the groups that were accepted or rejected as a group. Undefined if there are none. */
  readonly groups?: readonly string[] | undefined;
}

/** Writes changes that passed every gate, as one transaction with its receipt. */
export function commitChanges(changes: readonly PendingChange[], facts: CommitRequest): CommitResult {
  const { paths } = facts.context;
  const updates: BaselineUpdate[] = [];
  for (const change of changes) {
    const path = resolve(paths.root, change.target);
    if (isReplacedEdited(path, change)) return changedSince(join(dirname(path), change.replaces ?? ""));
    const update = updateFromPending(change, paths.root, readText(path));
    if (update !== undefined) updates.push(update, ...replacedBy(update, change));
    else if (!hasNewText(path, change)) return changedSince(path);
  }
  return commitUpdates(updates, { paths, receiptHead: receiptHead(facts) });
}

function changedSince(path: string): CommitResult {
  const problem = `${displayPath(path)} changed since it was compared. No file was written. Run the test again.`;
  return { kind: "refused", problem };
}

/** Removal of the case that an update replaces, if that still exists. */
function replacedBy({ root, path, group }: BaselineUpdate, { replaces }: PendingChange): BaselineUpdate[] {
  if (replaces === undefined) return [];
  const old = join(dirname(path), replaces);
  const before = readText(old);
  return before === undefined ? [] : [{ kind: "remove", root, path: old, group, before, after: undefined }];
}

/** The head of a receipt. */
export function receiptHead({ kind, run, context, report, runner, groups = [] }: CommitRequest): ReceiptHead {
  const { gitHead, dirty, gates } = report;
  return context.redact({
    kind,
    at: context.now.toISOString(),
    run,
    actor: context.actor,
    ...(context.reason === undefined ? {} : { reason: context.reason }),
    scope: context.policy.scope,
    ...(gitHead === undefined ? {} : { gitHead }),
    dirty,
    gates,
    ...(runner === undefined ? {} : { runner }),
    ...(groups.length === 0 ? {} : { groups }),
    versions: versions(),
  });
}

/**
 * Appends a receipt for changes that weren't written: left pending, discarded or rejected. Returns an error sentence if
 * the disk can't take it, so that the caller still reports the changes.
 */
export function appendEmptyReceipt(
  changes: readonly PendingChange[],
  facts: CommitRequest,
  txId: string = facts.run,
): Result<Receipt, string> {
  const unchanged = changes.map(({ target, before, after, from }) => ({
    target,
    before,
    after,
    ...(from === undefined ? {} : { from }),
  }));
  try {
    return ok(facts.context.receipt({ ...receiptHead(facts), txId, changes: unchanged }));
  } catch (thrown) {
    return err(`The receipt couldn't be written: ${messageOf(thrown)}`);
  }
}

/** Adds a failed gate "commit", for changes that passed every gate but whose commit was refused. */
export function withFailedGate(facts: CommitRequest, problem: string): CommitRequest {
  const gates = [...facts.report.gates, { name: "commit", ok: false, detail: problem, ms: 0 }];
  return { ...facts, report: { ...facts.report, gates } };
}

/** True if the file already has the new text. */
function hasNewText(path: string, { text }: PendingChange): boolean {
  return readText(path) === text;
}
