import { hashValueSync } from "../kernel/json/hash.ts";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import { inputHashOf } from "../record/snapshot.ts";
import { pairSecrets } from "../redact/comparable.ts";
import { mayHoldPlaceholders, numbering, replacePlaceholders } from "../redact/placeholder.ts";
import { PlaceholderNumbers } from "../redact/placeholder-numbers.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import { BASELINE_VERSION, type Baseline, snapshotOf } from "./baseline.ts";
import { withoutReferences } from "./earlier-requests.ts";

/**
 * The fields of a baseline file with its placeholders numbered by first appearance: of a file to write or merge, and of
 * format 1, which has hashes for numbers. The hashes of the content are still the old ones. `PlaceholderNumbers`
 * decides the numbers of a recording.
 */
export function numberFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const numbered = replacePlaceholders(fields, numbering());
  return isPlainObject(numbered) ? numbered : {};
}

/**
 * A baseline whose placeholders were renumbered, with the hashes of its content made again. `before` is the same
 * baseline as it was: a hash that did not fit its content there does not fit here either.
 */
export function rehashed(before: Baseline, next: Baseline): Baseline {
  if (before.kind === "value" || next.kind === "value") {
    if (before.kind !== "value" || next.kind !== "value") return next;
    return hashValueSync(before.value) === before.hash ? { ...next, hash: hashValueSync(next.value) } : next;
  }
  const [old, now] = [before, next].map((baseline) => snapshotOf(baseline).artifacts);
  return {
    ...next,
    ...(inputHashOf(before.input) === before.inputHash && { inputHash: inputHashOf(next.input) }),
    artifacts: next.artifacts.map((artifact, index) => {
      const content = now?.[index]?.content;
      return content !== undefined && isSound(old?.[index]) ? { ...artifact, hash: hashValueSync(content) } : artifact;
    }),
  };
}

function isSound(artifact: Artifact | undefined): boolean {
  return artifact?.content !== undefined && hashValueSync(artifact.content) === artifact.hash;
}

/**
 * The text of a baseline file with the numbers that the file before it has for its secrets, to compare the two: in each
 * file they count by first appearance, so one secret more renumbers those after it.
 */
export function numberedLike(before: string | undefined, after: string): string {
  if (before === undefined || !mayHoldPlaceholders(after) || !mayHoldPlaceholders(before)) return after;
  try {
    const [was, is] = [fieldsOf(before), fieldsOf(after)];
    const numbers = new PlaceholderNumbers({ stored: () => was, isIndependent: true });
    pairSecrets(was, is, numbers);
    return JSON.stringify(numbers.resolved(is));
  } catch {
    // A text that isn't JSON is refused when it is read.
    return after;
  }
}

function fieldsOf(text: string): Record<string, unknown> {
  const fields: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
  return isPlainObject(fields) ? { ...withoutReferences(numberFields(fields)), version: BASELINE_VERSION } : {};
}
