import type { PendingChange } from "../../settle/pending/pending-change.ts";

/** Why a change waits: who proposed it, and what stood in its way. Not safe to print. */
export function whyPending({
  intent,
  passed,
  contradicted,
}: Pick<PendingChange, "intent" | "passed" | "contradicted">): string {
  if (contradicted) return "its test came out differently when it ran again";
  if (intent === "review") return "its test failed on it";
  return passed ? "its run did not write it" : "its test failed after it";
}

/** The test of a change, and its file. Not safe to print. */
export function testOf({ test, testFile }: Pick<PendingChange, "test" | "testFile">): string {
  return testFile === "" ? test : `${test} (${testFile})`;
}
