import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hashText } from "../../kernel/json/hash.ts";
import { messageOf } from "../../kernel/error-message.ts";
import type { BaselineUpdate } from "../../baseline/baseline.ts";
import { makeDirectory, writeAtomically, syncDirectory } from "../../kernel/files/durable.ts";
import { type ProjectPaths, targetName } from "../../kernel/files/project-paths.ts";
import { requireNoLink } from "../../kernel/files/real-directory.ts";
import { stateDirectory } from "../../kernel/files/state-directory.ts";
import { appendReceipt, receiptsSize } from "../receipts/receipts.ts";
import type { Receipt, ReceiptDraft } from "../receipts/receipt.ts";
import type { Lock } from "./lock.ts";
import { type FileContents, applyOperations, discardStaged, stageOperations, undoOperations } from "./operations.ts";
import { type CheckedTarget, targetCheck } from "./target.ts";
import { type Prepared, type TransactionFiles, filesIn } from "./journal.ts";

/**
 * Result of a transaction. `incomplete`: neither all nor none of it could be ensured, and only `veritest doctor` can.
 */
export type TransactionEnd =
  | { readonly kind: "committed"; readonly receipt: Receipt | undefined; readonly problem: string | undefined }
  | { readonly kind: "refused"; readonly problem: string }
  | { readonly kind: "incomplete"; readonly problem: string };

/** A receipt's content but for what the transaction itself knows. */
export type ReceiptHead = Omit<ReceiptDraft, "txId" | "changes">;

/** Input of a transaction besides its changes. */
export interface TransactionContext {
  readonly paths: ProjectPaths;
  readonly lock: Lock;
  readonly receiptHead: ReceiptHead;
}

/**
 * Applies a set of changes, all or none. Before the file COMMIT is published, no change is visible. After that, all
 * become visible: this process applies them, or the next one that reads the record of a dead process. The caller has
 * the lock and has recovered older transactions.
 */
export function transact(updates: readonly BaselineUpdate[], context: TransactionContext): TransactionEnd {
  const { paths, lock } = context;
  const id = `${Date.now().toString(36)}-${process.pid}-${randomBytes(4).toString("hex")}`;
  const files = filesIn(stateDirectory(paths.state, "tx", id));
  const texts: FileContents = new Map(updates.map((update) => [update.path, update]));
  let prepared: Prepared | undefined;
  let receipts: number;
  let record: string;
  try {
    const check = targetCheck(paths);
    const targets = new Map(updates.map(({ root, path }) => [path, check(root, path)] as const));
    prepared = plan(updates, { ...context, id, files, targets });
    record = `${JSON.stringify(prepared)}\n`;
    makeDirectory(files.directory);
    // First of all, so that a crash in the middle leaves a list of what to clean up.
    writeAtomically(files.prepared, record);
    stageOperations(prepared, texts, targets);
    requireNoLink(paths.notes);
    receipts = receiptsSize(paths.notes);
    if (!lock.isCurrent()) throw new Error("Another process took the lock. Run the tests again.");
  } catch (thrown) {
    return abandon(files, prepared, messageOf(thrown));
  }
  const refused = commitOrWithdraw(files, prepared, record);
  return refused ?? finish(files, prepared, { paths, texts, receipts });
}

/** For making a file that may be there, but not through a link. */
const UNFOLLOWED = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;

/** Location of a transaction's receipt. */
interface ReceiptLocation {
  readonly paths: ProjectPaths;
  /** Size of the receipts before the transaction had COMMIT. Unknown to a process that recovers it. */
  readonly receipts?: number;
}

/**
 * Records that all is applied, so that a baseline edited from now on can't block the remaining work. Then appends the
 * receipt. Idempotent.
 */
export function concludeTransaction(
  files: TransactionFiles,
  { receipt }: Prepared,
  { paths, receipts }: ReceiptLocation,
): Receipt {
  closeSync(openSync(files.applied, UNFOLLOWED));
  return appendReceipt(paths.notes, receipt, receipts);
}

/**
 * Removes a transaction's own directory. Renames it first, so that a half removed one is never read. Otherwise it could
 * also return after a power cut, when other transactions have changed the same files.
 */
export function discardFiles({ directory }: TransactionFiles): void {
  const trash = join(dirname(directory), `trash-${basename(directory)}`);
  renameSync(directory, trash);
  syncDirectory(dirname(directory));
  rmSync(trash, { recursive: true, force: true });
}

interface PlanContext extends TransactionContext {
  readonly id: string;
  readonly files: TransactionFiles;
  readonly targets: ReadonlyMap<string, CheckedTarget>;
}

function plan(
  updates: readonly BaselineUpdate[],
  { id, files, targets, paths, lock, receiptHead }: PlanContext,
): Prepared {
  const directories = new Set(updates.flatMap(({ path }) => targets.get(path)?.missing ?? []));
  const operations = updates.map(({ root, path, before, after }, index) => ({
    root,
    path,
    before: hashOrNull(before),
    after: hashOrNull(after),
    temporary: join(dirname(path), `.tx-${id}-${index}`),
    image: before === undefined ? null : join(files.directory, `old-${index}`),
  }));
  const changes = operations.map(({ path, before, after }, index) => {
    const { from, kept } = updates[index] ?? {};
    const origin = { ...(from !== undefined && { from }), ...(kept !== undefined && { kept }) };
    return { target: targetName(paths.root, path), before, after, ...origin };
  });
  return {
    version: 1,
    id,
    generation: lock.generation,
    operations,
    directories: [...directories],
    receipt: { ...receiptHead, txId: id, changes },
  };
}

/** The point of no return; undefined once it is passed. */
function commitOrWithdraw(files: TransactionFiles, prepared: Prepared, record: string): TransactionEnd | undefined {
  try {
    writeAtomically(files.commit, hashText(record));
    return undefined;
  } catch (thrown) {
    const problem = messageOf(thrown);
    try {
      // It may have become visible before it failed: only when it is surely gone may anything be cleaned up.
      rmSync(files.commit, { force: true });
      syncDirectory(files.directory);
    } catch (again) {
      return incomplete(`${problem}, and the change can't be undone: ${messageOf(again)}`);
    }
    return abandon(files, prepared, problem);
  }
}

function finish(
  files: TransactionFiles,
  prepared: Prepared,
  { texts, ...location }: ReceiptLocation & { readonly texts: FileContents },
): TransactionEnd {
  try {
    applyOperations(prepared, texts);
  } catch (thrown) {
    return takeBack(files, prepared, messageOf(thrown));
  }
  let receipt: Receipt | undefined;
  try {
    // No staged file is left: each temporary file was renamed or removed.
    receipt = concludeTransaction(files, prepared, location);
    discardFiles(files);
    return { kind: "committed", receipt, problem: undefined };
  } catch (thrown) {
    // The baselines are written; what is left to do is in the record, and the next run does it.
    const left =
      receipt === undefined
        ? `their receipt couldn't be written: ${messageOf(thrown)}. The next run writes it.`
        : `some temporary files couldn't be removed: ${messageOf(thrown)}. The next run removes them.`;
    return { kind: "committed", receipt, problem: `The baselines were written, but ${left}` };
  }
}

function takeBack(files: TransactionFiles, prepared: Prepared, problem: string): TransactionEnd {
  try {
    writeAtomically(files.rollback, "");
    undoOperations(prepared);
    discardFiles(files);
    return { kind: "refused", problem };
  } catch (thrown) {
    return incomplete(`${problem}, and the change can't be undone now: ${messageOf(thrown)}`);
  }
}

function abandon(files: TransactionFiles, prepared: Prepared | undefined, problem: string): TransactionEnd {
  try {
    if (prepared !== undefined) discardStaged(prepared);
    rmSync(files.directory, { recursive: true, force: true });
    return { kind: "refused", problem };
  } catch (thrown) {
    return {
      kind: "refused",
      problem:
        `${problem.replace(/\.?$/, ".")} Some temporary files couldn't be removed either: ${messageOf(thrown)}. ` +
        "The next run removes them.",
    };
  }
}

function incomplete(problem: string): TransactionEnd {
  return {
    kind: "incomplete",
    problem: `${problem}. Some baselines may be old and some new. Fix the cause, then run: npx veritest doctor`,
  };
}

function hashOrNull(text: string | undefined): string | null {
  return text === undefined ? null : hashText(text);
}
