import { listNames } from "../../kernel/files/read.ts";
import type { Note, NoteType } from "./note.ts";
import { readNotes } from "./read-notes.ts";
import type { Receipt } from "./receipt.ts";
import {
  type ReceiptFile,
  TEMPORARY_RECEIPT,
  isReceiptFileName,
  receiptFileName,
  receiptFiles,
} from "./receipt-chain.ts";

/** What became of the chain. */
export interface VerifiedReceipts {
  /** The receipts that are whole. */
  readonly receipts: readonly Receipt[];
  /** One phrase for each thing that is wrong; none when the chain is as it was written. */
  readonly problems: readonly string[];
}

const SETTLEMENTS: readonly NoteType[] = ["committed", "accepted", "rejected", "discarded", "held"];

/**
 * Recomputes the chain: any changed byte in a receipt, a receipt that is gone, renamed or swapped with another, and a
 * file that does not belong there are found. A chain cut short at its end shows by the notes that name what is gone,
 * when their directory is given. Who rewrites the whole chain and the notes too is not found: nothing here is signed.
 */
export async function verifyReceipts(directory: string, notes?: string): Promise<VerifiedReceipts> {
  const problems = strangers(directory);
  const receipts: Receipt[] = [];
  let before: ReceiptFile | undefined;
  for (const file of receiptFiles(directory)) {
    problems.push(...missingBetween(before?.seq ?? 0, file.seq), ...problemsOf(file, before));
    if (file.receipt.ok) receipts.push(file.receipt.value);
    before = file;
  }
  if (notes !== undefined) problems.push(...(await unknownRefs(notes, receipts)));
  return { receipts, problems };
}

function strangers(directory: string): string[] {
  const names = listNames(directory).filter((name) => !isReceiptFileName(name) && !TEMPORARY_RECEIPT.test(name));
  return names.map((name) => `${name}: it is no receipt and does not belong here`);
}

function missingBetween(last: number, next: number): string[] {
  if (next - last === 2) return [`${receiptFileName(last + 1)}: it is missing`];
  return next - last > 2 ? [`${receiptFileName(last + 1)} to ${receiptFileName(next - 1)}: they are missing`] : [];
}

function problemsOf({ name, seq, receipt }: ReceiptFile, before: ReceiptFile | undefined): string[] {
  if (!receipt.ok) return [`${name}: ${receipt.error}`];
  const { parent } = receipt.value;
  if (seq === 1) return parent === null ? [] : [`${name}: it is the first and names a parent`];
  // Where the one before is missing or damaged itself, that is said already.
  if (before?.seq !== seq - 1 || !before.receipt.ok) return [];
  return parent === before.receipt.value.id ? [] : [`${name}: its parent is not ${before.name}`];
}

async function unknownRefs(notes: string, receipts: readonly Receipt[]): Promise<string[]> {
  const known = new Set(receipts.map(({ id }) => id));
  const problems: string[] = [];
  for await (const entry of readNotes(notes, { types: SETTLEMENTS })) {
    if (entry.kind === "note")
      problems.push(
        ...receiptRefs(entry.note)
          .filter((ref) => !known.has(ref))
          .map((ref) => missing(ref, entry.note)),
      );
  }
  return problems;
}

function receiptRefs({ refs }: Note): readonly string[] {
  return refs.filter((ref) => /^sha256:[0-9a-f]{64}$/.test(ref));
}

function missing(ref: string, { type, ts, crc }: Note): string {
  return `${ref}: it is missing; the note ${crc} of ${ts} (${type}) names it`;
}
