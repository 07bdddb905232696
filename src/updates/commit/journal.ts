import { join } from "node:path";
import { hashText } from "../../kernel/json/hash.ts";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { readText } from "../../kernel/files/read.ts";
import { type ReceiptDraft, isReceiptDraft } from "../receipts/receipt.ts";

/** One file of a transaction. */
export interface Operation {
  /** Directory that contains the file. Files outside of it are never changed. */
  readonly root: string;
  readonly path: string;
  /** Hash of the file's text before and after. Null if there is no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** Name in the file's own directory, for the new text before its rename, or for the old text when it's restored. */
  readonly temporary: string;
  /** Path of the copy of the old text until the end. Null for an addition. */
  readonly image: string | null;
}

/**
 * Everything a transaction will do, written before it does any of it, so that any later process can finish or undo it.
 */
export interface Prepared {
  readonly version: 1;
  readonly id: string;
  readonly generation: number;
  readonly operations: readonly Operation[];
  /** Directories that are made for it, outermost first. */
  readonly directories: readonly string[];
  readonly receipt: ReceiptDraft;
}

/** The files of one transaction, `<state>/tx/<id>/…`, in the order in which `transact` writes them. */
export interface TransactionFiles {
  readonly directory: string;
  readonly prepared: string;
  /** The hash of the text of `prepared`: with it, the transaction is finished after a crash, and without it undone. */
  readonly commit: string;
  /** Written instead of `applied` if the files can't be written. */
  readonly rollback: string;
  readonly applied: string;
}

/** Returns the files of the transaction in a directory. */
export function filesIn(directory: string): TransactionFiles {
  return {
    directory,
    prepared: join(directory, "PREPARED"),
    commit: join(directory, "COMMIT"),
    rollback: join(directory, "ROLLBACK"),
    applied: join(directory, "APPLIED"),
  };
}

/** Progress of a transaction, as read from its directory. */
export type Phase =
  | { readonly kind: "unprepared" }
  | { readonly kind: "prepared" | "committed" | "applied" | "rolling back"; readonly prepared: Prepared };

/**
 * Reads how far a transaction got, for `recoverTransactions`. Returns an error sentence if its record is damaged, which
 * a crash alone can't cause.
 */
export function phaseOf(files: TransactionFiles): Result<Phase, string> {
  const text = readText(files.prepared);
  if (text === undefined) return ok({ kind: "unprepared" });
  const prepared = parsedJson(text);
  if (!isPrepared(prepared))
    return err(
      `Cannot recover: ${files.prepared} is damaged. Compare the baselines with git, then delete ${files.directory}.`,
    );
  if (readText(files.rollback) !== undefined) return ok({ kind: "rolling back", prepared });
  if (readText(files.commit) !== hashText(text)) return ok({ kind: "prepared", prepared });
  return ok({ kind: readText(files.applied) === undefined ? "committed" : "applied", prepared });
}

function isPrepared(value: unknown): value is Prepared {
  if (!isPlainObject(value)) return false;
  const { version, id, generation, operations, directories, receipt } = value;
  const isComplete =
    version === 1 && typeof id === "string" && typeof generation === "number" && isReceiptDraft(receipt);
  return (
    isComplete &&
    Array.isArray(operations) &&
    operations.every(isOperation) &&
    Array.isArray(directories) &&
    directories.every(isText)
  );
}

function isOperation(value: unknown): value is Operation {
  if (!isPlainObject(value) || !["root", "path", "temporary"].every((key) => isText(value[key]))) return false;
  return ["before", "after", "image"].every((key) => value[key] === null || isText(value[key]));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
