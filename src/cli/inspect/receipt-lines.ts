import type { Receipt, ReceiptChange, ReceiptGate } from "../../notes/receipt.ts";
import { fieldLines, sectionLines } from "./field-lines.ts";

/** A receipt in full, line by line. Not safe to print. */
export function receiptLines(receipt: Receipt): string[] {
  const { versions, runner, actor, gitHead, dirty } = receipt;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["receipt", receipt.id],
    ["number", String(receipt.seq)],
    ["parent", receipt.parent ?? "none"],
    ["kind", receipt.kind],
    ["at", receipt.at],
    ["run", receipt.run],
    ["transaction", receipt.txId],
    ["actor", `${actor.kind} (${actor.because})`],
    ["reason", receipt.reason],
    ["scope", receipt.scope],
    ["git head", gitHead === undefined ? undefined : `${gitHead}${dirty === true ? " with changes" : ""}`],
    ["runner", runner === undefined ? undefined : `${runner.name} ${runner.version}`],
    ["versions", `veritest ${versions.veritest}, node ${versions.node}, ${versions.platform}`],
  ];
  return [
    ...fieldLines(fields),
    ...sectionLines("gates", receipt.gates.map(gateLine)),
    ...sectionLines("changes", receipt.changes.map(changeLine)),
  ];
}

/** What a receipt did to one baseline: `changed  3f9a0c41d2e7 → 77aa0c41d2e7`. */
export function changeWords({
  before,
  after,
}: Pick<ReceiptChange, "before" | "after">): readonly [verb: string, hashes: string] {
  return [verbOf(before, after), `${shortHash(before)} → ${shortHash(after)}`];
}

function gateLine({ name, ok, detail, ms }: ReceiptGate): string {
  return `${ok ? "passed" : "failed"}  ${name}  ${Math.round(ms)} ms${detail === undefined ? "" : `  ${detail}`}`;
}

function changeLine(change: ReceiptChange): string {
  const [verb, hashes] = changeWords(change);
  return `${verb.padEnd(7)}  ${change.target}  ${hashes}`;
}

function verbOf(before: string | null, after: string | null): string {
  if (before === null) return "added";
  return after === null ? "removed" : "changed";
}

function shortHash(hash: string | null): string {
  return hash === null ? "none" : hash.replace("sha256:", "").slice(0, 12);
}
