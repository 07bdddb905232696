import { stableStringify } from "../base/canonical-json.ts";
import type { CompareBy } from "../base/compare-by.ts";
import { type HashedContent, hashText, hashWithContentSync } from "../base/hash.ts";
import type { KeyBy } from "../base/key-by.ts";
import { type CaseDetails, valueBaselineOf } from "../baseline/baseline-of.ts";
import { type BaselineLibrary, type StoredCase, displayPath } from "../baseline/library.ts";
import { diffByKey } from "../diff/diff-by-key.ts";
import { tolerate } from "../diff/tolerate.ts";
import { unlikeParts } from "../diff/unlike-parts.ts";
import { comparable } from "../redact/comparable.ts";
import { kernelError, messageOf } from "../step/step-error.ts";
import type { Check } from "./check.ts";
import { describeCase } from "./describe-case.ts";
import { proposalOf } from "./propose.ts";
import { rulesOf } from "./rules-of.ts";
import { type Verdict, verdictOfChanges } from "./verdict.ts";
import { verdictOfError } from "./verdict-of-error.ts";

/** A JSON value that is to match its baseline. */
export interface ValueQuestion {
  /** The base name of the test file. */
  readonly test: string;
  readonly details: CaseDetails & { readonly name: string };
  readonly keyBy: KeyBy;
  /** What is tolerated; nothing where undefined. */
  readonly compare?: CompareBy | undefined;
}

/** Asks: is this JSON value the one its baseline holds? */
export function checkValue(value: unknown, question: ValueQuestion, library: BaselineLibrary): Check {
  const { test, details, compare = {} } = question;
  const { path, stored } = library.find(test, { name: details.name }, details.name);
  const file = displayPath(path);
  const now = hashed(value);
  if (typeof now === "string") {
    const error = kernelError("output_validation", `The value cannot be stored: ${now}`);
    return { file, path, verdict: { kind: "failed", error }, propose: undefined };
  }
  const verdict: Verdict = stored === undefined ? { kind: "missing" } : standing(stored, now, question);
  const settled = verdict.kind === "clean" || verdict.kind === "broken";
  const propose = (): ReturnType<typeof proposalOf> => {
    return proposalOf(describeCase(valueBaselineOf(value, { ...details, test }), details, stored), { root: library.root, path, stored });
  };
  return { file, path, verdict, propose: settled ? undefined : propose, ...rulesOf(compare) };
}

function standing({ baseline, file }: StoredCase, now: HashedContent, { keyBy, compare = {} }: ValueQuestion): Verdict {
  if (!baseline.ok) return { kind: "broken", problem: baseline.error };
  const before = baseline.value;
  if (before.kind !== "value") return { kind: "broken", problem: `Cannot use ${file}: it is a baseline of a step. Delete it or move it.` };
  const content = canonicalText(before.value, now.content);
  // The same text under the same hash vouches for itself: neither is hashed, parsed or walked again.
  const same = now.hash === before.hash && now.content === content;
  const actual = same ? before.hash : hashText(content);
  if (actual !== before.hash) {
    return verdictOfError(kernelError("snapshot_corrupted", `hash mismatch of value: expected ${before.hash}, got ${actual}`), file);
  }
  if (same && Object.keys(keyBy).length === 0) return { kind: "clean" };
  try {
    // Of equal values only the errors of keyBy are left to find.
    const isPlain = Object.keys(keyBy).length + Object.keys(compare).length === 0;
    const [left, right] = same ? [before.value, before.value] : comparablePair(before.value, JSON.parse(now.content), isPlain);
    const { diff, tolerated } = tolerate(diffByKey(left, right, keyBy), { before: left, after: right, keyBy, compare });
    return verdictOfChanges([{ part: "output", diff }], tolerated);
  } catch (thrown) {
    return verdictOfError(kernelError("normalization_failed", messageOf(thrown), thrown), file);
  }
}

/**
 * Both as they compare, without secrets. Without rules that need the whole values, only what is unlike is looked at, and
 * all the rest left out where no secret was there: looking for secrets in two values of 1 MB took three fifths of a
 * failing check, in two of 50 MB four fifths.
 */
function comparablePair(before: unknown, after: unknown, isPlain: boolean): readonly [unknown, unknown] {
  if (isPlain) {
    const [left, right] = unlikeParts(before, after);
    const [was, hidden] = comparable(left, right, ["value"]);
    // Where something is or was hidden, what the two sides have in common decides whether digits tell secrets apart.
    if (was === left && hidden === right && !holdsPlaceholder(left) && !holdsPlaceholder(right)) return [left, right];
  }
  return comparable(before, after, ["value"]);
}

function holdsPlaceholder(value: unknown): boolean {
  return nativeText(value)?.includes("«redacted:") ?? true;
}

/**
 * The canonical JSON of a parsed value. What the native writer makes of it is mostly that already, and proves it by being
 * the same as another canonical text: so an unchanged value is written once by us and not twice (a fifth of a passing
 * check of 2 KB).
 */
function canonicalText(parsed: unknown, other: string): string {
  return nativeText(parsed) === other ? other : stableStringify(parsed);
}

/** Undefined where the native writer runs out of stack. */
function nativeText(parsed: unknown): string | undefined {
  try {
    return JSON.stringify(parsed);
  } catch {
    return undefined;
  }
}

function hashed(value: unknown): HashedContent | string {
  try {
    return hashWithContentSync(value);
  } catch (thrown) {
    return messageOf(thrown);
  }
}
