import { join } from "node:path";
import { hashText } from "../../kernel/json/hash.ts";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { readText } from "../../kernel/files/read.ts";
import { type ReceiptDraft, isReceiptDraft } from "../receipts/receipt.ts";

/** One file of a transaction. */
export interface Operation {
  /** The directory nothing outside of which is touched. */
  readonly root: string;
  readonly path: string;
  /** The hash of the file's text before and after; null where there is none. */
  readonly before: string | null;
  readonly after: string | null;
  /** A name in the file's own directory, where the new text waits, or an old one on its way back. */
  readonly temporary: string;
  /** Where the old text is kept until the end; null for an addition. */
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

/** The files of one transaction, `<state>/tx/<id>/…`. */
export interface TransactionFiles {
  readonly directory: string;
  readonly prepared: string;
  readonly commit: string;
  readonly rollback: string;
  readonly applied: string;
}

/** Names the files of the transaction kept in a directory. */
export function filesIn(directory: string): TransactionFiles {
  return {
    directory,
    prepared: join(directory, "PREPARED"),
    commit: join(directory, "COMMIT"),
    rollback: join(directory, "ROLLBACK"),
    applied: join(directory, "APPLIED"),
  };
}

/** What a transaction's directory says about it. */
export type Phase =
  | { readonly kind: "unprepared" }
  | { readonly kind: "prepared" | "committed" | "applied" | "rolling back"; readonly prepared: Prepared };

/** Reads how far a transaction got; one sentence where its own record is damaged, which no crash alone can do. */
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
  const whole = version === 1 && typeof id === "string" && typeof generation === "number" && isReceiptDraft(receipt);
  return (
    whole &&
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
