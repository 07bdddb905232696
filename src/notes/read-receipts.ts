import { type Result, err, ok } from "../base/result.ts";
import { quote } from "../base/text.ts";
import type { Receipt } from "./receipt.ts";
import { receiptFiles } from "./receipt-file.ts";

/** The chain as far as it can be read. */
export interface ReadReceipts {
  /** In their order, the oldest first. */
  readonly receipts: readonly Receipt[];
  /** One sentence on each file that cannot be used. */
  readonly problems: readonly string[];
}

/** Reads every receipt. No receipts yet are none; a file system's error throws. */
export function readReceipts(directory: string): ReadReceipts {
  const files = [...receiptFiles(directory)];
  return {
    receipts: files.flatMap(({ receipt }) => (receipt.ok ? receipt.value : [])),
    problems: files.flatMap(({ name, receipt }) => (receipt.ok ? [] : `${name}: ${receipt.error}`)),
  };
}

/** Finds a receipt by its id, whole or begun, with or without `sha256:`. The error is one sentence for the user. */
export function findReceipt(directory: string, idPrefix: string): Result<Receipt, string> {
  const digits = idPrefix.replace(/^sha256:/, "");
  const found = readReceipts(directory).receipts.filter(({ id }) => digits !== "" && id.startsWith(`sha256:${digits}`));
  const [first, ...others] = found;
  if (first === undefined) return err(`There is no receipt ${quote(idPrefix)}. List them with: veritest log`);
  if (others.length === 0) return ok(first);
  return err(
    `${found.length} receipts begin with ${quote(idPrefix)}: ${found.slice(0, 5).map(shortId).join(", ")}. Give more of the id.`,
  );
}

/** The beginning of a receipt's id, long enough to find it by in practice. */
export function shortId({ id }: Receipt): string {
  return id.replace("sha256:", "").slice(0, 12);
}
