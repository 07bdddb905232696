import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { jsonOf, stableStringify } from "../../kernel/json/canonical-json.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { publishNew, removeStale, syncDirectory } from "../../kernel/files/durable.ts";
import { pause } from "../../kernel/files/processes.ts";
import { listNames } from "../../kernel/files/read.ts";
import { requireNoLink } from "../../kernel/files/real-directory.ts";
import { type Receipt, type ReceiptDraft, isReceiptDraft } from "./receipt.ts";
import {
  type Link,
  type ReceiptFile,
  TEMPORARY_RECEIPT,
  isReceiptFileName,
  receiptFileName,
  receiptFiles,
  receiptNumber,
  sealReceipt,
} from "./receipt-chain.ts";

const WRITING_MS = 2000;

/** The newest number of the chain; 0 while there is none. Reads names only. */
export function newestReceipt(directory: string): number {
  const newest = listNames(directory).findLast(isReceiptFileName);
  return newest === undefined ? 0 : receiptNumber(newest);
}

/**
 * Appends a settlement to the chain and returns its receipt; where the same transaction already has one of that kind,
 * returns that one. Durable when it returns. No lock: a place in the chain is taken by creating its file whole, and
 * who finds it taken links on to the receipt that took it. A damaged receipt does not stop the chain: the next one
 * names the hash of what was found, and `verifyReceipts` reports the damage. Throws where the file system does, and a
 * TypeError for a draft that does not fit its type.
 *
 * `since` is a number of the chain up to which none is of this transaction, as {@link newestReceipt} told it when that
 * was sure: what is older is not read, so that a receipt costs the same however many there are.
 */
export function appendReceipt(directory: string, draft: ReceiptDraft, since: number = 1): Receipt {
  if (!isReceiptDraft(jsonOf(draft)))
    throw new TypeError("appendReceipt: the draft does not have the fields of a receipt");
  requireNoLink(directory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const mark = Buffer.from(stableStringify(draft.txId));
  let link: Link = { seq: 1, parent: null };
  for (let from = since; ; ) {
    const names = listNames(directory);
    let head: ReceiptFile | undefined;
    for (const file of receiptFiles(directory, from, names)) {
      const known = file.bytes.includes(mark) ? receiptOf(draft, file) : undefined;
      if (known !== undefined) return known;
      head = file;
    }
    if (head === undefined && from > 1) {
      // Somebody removed the newest ones: what is left is the chain.
      from = 1;
      continue;
    }
    if (head !== undefined && isAtWork(directory, head)) continue;
    if (head !== undefined) link = { seq: head.seq + 1, parent: idOf(head) };
    const { receipt, text } = sealReceipt(draft, link);
    removeStale(
      directory,
      names.filter((name) => TEMPORARY_RECEIPT.test(name)),
    );
    // Read by who owns the notes, and by nobody else.
    if (publishNew(join(directory, receiptFileName(link.seq)), text, 0o600)) {
      syncDirectory(directory);
      return receipt;
    }
    from = link.seq;
  }
}

function receiptOf({ txId, kind }: ReceiptDraft, { receipt }: ReceiptFile): Receipt | undefined {
  return receipt.ok && receipt.value.txId === txId && receipt.value.kind === kind ? receipt.value : undefined;
}

/** Where links are refused a new receipt may have its name before its content: waits a moment and says so. */
function isAtWork(directory: string, { name, receipt }: ReceiptFile): boolean {
  if (receipt.ok) return false;
  const changed = statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Math.abs(Date.now() - changed) > WRITING_MS) return false;
  pause(5);
  return true;
}

function idOf({ receipt, bytes }: ReceiptFile): string {
  return receipt.ok ? receipt.value.id : hashText(bytes.toString("latin1"));
}
