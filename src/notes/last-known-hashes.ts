import { receiptFiles } from "./receipt-file.ts";

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
