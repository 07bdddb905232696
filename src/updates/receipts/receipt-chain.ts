import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { hashValueSync } from "../../kernel/json/hash.ts";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { listNames, readBytes } from "../../kernel/files/read.ts";
import { RECEIPT_VERSION, type Receipt, type ReceiptDraft, isReceiptDraft } from "./receipt.ts";

/** The file names of receipts that are being written. */
export const TEMPORARY_RECEIPT: RegExp = /^\.\d{9}\.json\.[0-9a-f-]+\.tmp$/;

const NAME = /^\d{9}\.json$/;

/** A place in the chain as it is on disk. */
export class ReceiptFile {
  readonly name: string;
  readonly seq: number;
  readonly bytes: Buffer;
  #receipt: Result<Receipt, string> | undefined;

  constructor(name: string, bytes: Buffer) {
    this.name = name;
    this.seq = receiptNumber(name);
    this.bytes = bytes;
  }

  /**
   * The receipt, or a phrase on why it is none. Told when first asked: to check a receipt takes longer than to read it.
   */
  get receipt(): Result<Receipt, string> {
    this.#receipt ??= parseReceipt(this.bytes, this.seq);
    return this.#receipt;
  }
}

/** Where a receipt is linked in. */
export interface Link {
  readonly seq: number;
  readonly parent: string | null;
}

/** The file name of a place in the chain. */
export function receiptFileName(seq: number): string {
  return `${String(seq).padStart(9, "0")}.json`;
}

/** Tells whether a file name is one of a place in the chain. */
export function isReceiptFileName(name: string): boolean {
  return NAME.test(name);
}

/** The place in the chain a file name is of. */
export function receiptNumber(name: string): number {
  return Number(name.slice(0, 9));
}

/**
 * The places of the chain that have a file, from a number on, in their order. `names` are the directory's, where they
 * are known.
 */
export function* receiptFiles(
  directory: string,
  from: number = 1,
  names: readonly string[] = listNames(directory),
): Generator<ReceiptFile, void, undefined> {
  const first = receiptFileName(from);
  for (const name of names.filter((each) => each >= first && isReceiptFileName(each))) {
    // A dangling link is listed and has no bytes: it takes its place in the chain, and is no receipt.
    yield new ReceiptFile(name, readBytes(join(directory, name)) ?? Buffer.alloc(0));
  }
}

/**
 * Links a draft into the chain: the receipt, and the one text its file may hold. Throws a TypeError for what JSON
 * cannot hold.
 */
export function sealReceipt(draft: ReceiptDraft, link: Link): { readonly receipt: Receipt; readonly text: string } {
  const content = { ...draft, version: RECEIPT_VERSION, ...link } as const;
  const receipt: Receipt = { ...content, id: hashValueSync(content) };
  return { receipt, text: textOf(receipt) };
}

function textOf(receipt: Receipt): string {
  return `${stableStringify(receipt)}\n`;
}

function parseReceipt(bytes: Buffer, seq: number): Result<Receipt, string> {
  const value = isUtf8(bytes) ? parsedJson(bytes.toString("utf8")) : undefined;
  if (value === undefined) return err("it is no JSON");
  if (isPlainObject(value) && typeof value["version"] === "number" && value["version"] > RECEIPT_VERSION) {
    return err(`it has format ${value["version"]}, newest known ${RECEIPT_VERSION}; update veritest`);
  }
  if (!isReceipt(value)) return err("it does not have the fields of a receipt");
  const { id, ...content } = value;
  // The text is compared too: a blank or another order of keys leaves the id as it is.
  if (hashValueSync(content) !== id || textOf(value) !== bytes.toString("utf8"))
    return err("its content does not match its id");
  return value.seq === seq
    ? ok(value)
    : err(`it is number ${value.seq} and belongs into ${receiptFileName(value.seq)}`);
}

function isReceipt(value: unknown): value is Receipt {
  if (!isReceiptDraft(value) || !isPlainObject(value)) return false;
  const { version, seq, id, parent } = value;
  return (
    version === RECEIPT_VERSION &&
    typeof seq === "number" &&
    typeof id === "string" &&
    (parent === null || typeof parent === "string")
  );
}

/** The chain as far as it can be read. */
interface ReadReceipts {
  /** In their order, the oldest first. */
  readonly receipts: readonly Receipt[];
  /** One sentence on each file that cannot be used. */
  readonly problems: readonly string[];
}

/**
 * Reads every receipt, or the `newest` so many: to read one and check its hash takes a quarter of a millisecond. No
 * receipts yet are none; a file system's error throws.
 */
export function readReceipts(directory: string, newest: number = Infinity): ReadReceipts {
  const names = listNames(directory).filter(isReceiptFileName);
  const files = [...receiptFiles(directory, 1, names.slice(Math.max(0, names.length - newest)))];
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
  const some = found.slice(0, 5).map(shortId).join(", ");
  return err(`${found.length} receipts begin with ${quote(idPrefix)}: ${some}. Give more of the id.`);
}

/** The beginning of a receipt's id, long enough to find it by in practice. */
export function shortId({ id }: Receipt): string {
  return id.replace("sha256:", "").slice(0, 12);
}

/** The key of a file's content in {@link lastKnownHashes}. */
export function knownHash(target: string, hash: string): string {
  return `${target}@${hash}`;
}

/**
 * What veritest itself has written so far, as `target@after` of every commit and acceptance: a file of a work tree
 * whose content is among them was not edited by hand. Damaged receipts tell nothing.
 */
export function lastKnownHashes(directory: string): ReadonlySet<string> {
  const known = new Set<string>();
  for (const { receipt } of receiptFiles(directory)) {
    if (!receipt.ok || (receipt.value.kind !== "commit" && receipt.value.kind !== "accept")) continue;
    for (const { target, after } of receipt.value.changes) if (after !== null) known.add(knownHash(target, after));
  }
  return known;
}
