import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { jsonOf } from "../../kernel/json/canonical-json.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { type LogContent, type LogQuery, appendToLog, logLine, logSize, readLogFile } from "./log-file.ts";
import { type Receipt, type ReceiptDraft, isReceipt, isReceiptDraft } from "./receipt.ts";

/** Path of the receipts in the directory of the notes. */
function receiptsFile(notes: string): string {
  return join(notes, "receipts.ndjson");
}

/** Returns the size of the receipts in bytes. */
export function receiptsSize(notes: string): number {
  return logSize(receiptsFile(notes));
}

/**
 * Appends a receipt and returns it; if its transaction already has one of that kind, returns that one. Durable when it
 * returns. Throws the file system's error, and a TypeError for a draft that doesn't fit its type.
 *
 * `from` is a value of {@link receiptsSize} from before the transaction: older receipts aren't read, so that a receipt
 * costs the same however many there are.
 */
export function appendReceipt(notes: string, draft: ReceiptDraft, from: number = 0): Receipt {
  const data = jsonOf(draft);
  if (!isReceiptDraft(data))
    throw new TypeError("appendReceipt: the draft isn't a valid receipt (check its kind and required fields)");
  const choose = (receipt: Receipt): "keep" | "skip" => (receiptKey(receipt) === receiptKey(data) ? "keep" : "skip");
  const find = (): Receipt | undefined => readReceipts(notes, { choose, from }).values[0];
  const line = logLine(data);
  // The process that wrote a known one may have died before it was on the disk.
  appendToLog(receiptsFile(notes), find() === undefined ? line.text : "", true);
  // Another process that recovers the same transaction may have been first: both return its receipt.
  return find() ?? line.value;
}

function receiptKey({ txId, kind }: ReceiptDraft): string {
  return `${kind} ${txId}`;
}

function parseReceipt(value: unknown): Result<Receipt, string> {
  return isReceipt(value) ? ok(value) : err("it doesn't have the fields of a receipt");
}

/** Reads all receipts, or those of a query, in the order they were written; of one transaction and kind the first. */
export function readReceipts(notes: string, query: Omit<LogQuery<Receipt>, "parse"> = {}): LogContent<Receipt> {
  const { values, problems, torn } = readLogFile(receiptsFile(notes), { parse: parseReceipt, ...query });
  const first = new Map(values.toReversed().map((receipt) => [receiptKey(receipt), receipt]));
  const old = join(dirname(notes), "receipts");
  const oldFormat = existsSync(old) ? [`${old}: its format is too old to read. Delete it`] : [];
  return {
    values: values.filter((value) => first.get(receiptKey(value)) === value),
    problems: [...problems, ...oldFormat],
    torn,
  };
}

/** Finds a receipt by its id, complete or the beginning, with or without `sha256:`. The error is one sentence. */
export function findReceipt(notes: string, idPrefix: string): Result<Receipt, string> {
  const digits = idPrefix.replace(/^sha256:/, "");
  const matches = readReceipts(notes).values.filter(({ id }) => digits !== "" && id.startsWith(`sha256:${digits}`));
  const [first, second] = matches;
  if (first === undefined) return err(`There is no receipt ${quote(idPrefix)}. To list them, run: npx veritest log`);
  if (second === undefined) return ok(first);
  const some = matches.slice(0, 5).map(shortId).join(", ");
  return err(`${matches.length} receipts begin with ${quote(idPrefix)}: ${some}. Pass more characters of the ID.`);
}

/** Returns the beginning of a receipt's or note's id, long enough to find it by in practice. */
export function shortId({ id }: { readonly id: string }): string {
  return id.replace("sha256:", "").slice(0, 12);
}

/** Reads the receipts of commits and acceptances: only these change baselines. */
export function writtenReceipts(notes: string): readonly Receipt[] {
  const choose = ({ kind }: Receipt): "keep" | "skip" => (kind === "commit" || kind === "accept" ? "keep" : "skip");
  return readReceipts(notes, { choose }).values;
}

/** Returns the key of a file's content in {@link lastKnownHashes}. */
export function knownHash(target: string, hash: string): string {
  return `${target}@${hash}`;
}

/** Returns what veritest itself has written, as `target@after`: a file with such content wasn't edited by hand. */
export function lastKnownHashes(notes: string): ReadonlySet<string> {
  const changes = writtenReceipts(notes).flatMap((receipt) => receipt.changes);
  return new Set(changes.flatMap(({ target, after }) => (after === null ? [] : knownHash(target, after))));
}
