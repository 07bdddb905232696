import type { Receipt } from "../../notes/receipt.ts";
import { receiptFiles } from "../../notes/receipt-chain.ts";
import { type Places, receiptsDirectory } from "../../files/places.ts";
import { shortId } from "../../notes/receipt-chain.ts";

/**
 * The short id of the last receipt that wrote each baseline, by target. Damaged receipts tell nothing: see
 * `verify-log`.
 */
export function lastReceipts(places: Places): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const receipt of settlements(places))
    for (const { target } of receipt.changes) last.set(target, shortId(receipt));
  return last;
}

/** Every receipt that changed a baseline, the newest first. */
export function receiptsOf(target: string, places: Places): readonly Receipt[] {
  return [...settlements(places)]
    .filter(({ changes }) => changes.some((change) => change.target === target))
    .toReversed();
}

/** The receipts of what was written: a rejection and what is held changed nothing. */
function* settlements(places: Places): Generator<Receipt, void, undefined> {
  for (const { receipt } of receiptFiles(receiptsDirectory(places))) {
    if (receipt.ok && (receipt.value.kind === "commit" || receipt.value.kind === "accept")) yield receipt.value;
  }
}
