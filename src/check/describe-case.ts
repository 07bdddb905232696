import type { Baseline } from "../baseline/baseline.ts";
import type { CaseDetails } from "../baseline/baseline-of.ts";
import type { StoredCase } from "../baseline/library.ts";

/** A baseline with labels and meta as given, else as stored: a test that says nothing about them changes neither. */
export function describeCase<B extends Baseline>(
  next: B,
  { labels, meta }: CaseDetails,
  stored: StoredCase | undefined,
): B {
  const before = stored?.baseline.ok === true ? stored.baseline.value : next;
  return { ...next, labels: labels ?? before.labels, meta: meta ?? before.meta };
}
