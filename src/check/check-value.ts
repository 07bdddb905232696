import { hashValueSync } from "../base/hash.ts";
import type { KeyBy } from "../base/key-by.ts";
import { type CaseDetails, valueBaselineOf } from "../baseline/baseline-of.ts";
import { type BaselineLibrary, type StoredCase, displayPath } from "../baseline/library.ts";
import { diffByKey } from "../diff/diff-by-key.ts";
import { kernelError, messageOf } from "../step/step-error.ts";
import type { ValueBaseline } from "../baseline/baseline.ts";
import type { Check } from "./check.ts";
import { describeCase } from "./describe-case.ts";
import { proposalOf } from "./propose.ts";
import { type Verdict, verdictOfChanges } from "./verdict.ts";
import { verdictOfError } from "./verdict-of-error.ts";

/** A JSON value that is to match its baseline. */
export interface ValueQuestion {
  /** The base name of the test file. */
  readonly test: string;
  readonly details: CaseDetails & { readonly name: string };
  readonly keyBy: KeyBy;
}

/** Asks: is this JSON value the one its baseline holds? */
export function checkValue(value: unknown, { test, details, keyBy }: ValueQuestion, library: BaselineLibrary): Check {
  const { path, stored } = library.find(test, { name: details.name }, details.name);
  const file = displayPath(path);
  const next = made(value, { ...details, test });
  if (typeof next === "string") {
    const error = kernelError("output_validation", `The value cannot be stored: ${next}`);
    return { file, path, verdict: { kind: "failed", error }, propose: undefined };
  }
  const verdict: Verdict = stored === undefined ? { kind: "missing" } : compare(stored, next, keyBy);
  const settled = verdict.kind === "clean" || verdict.kind === "broken";
  return { file, path, verdict, propose: settled ? undefined : () => proposalOf(describeCase(next, details, stored), { root: library.root, path, stored }) };
}

function compare({ baseline, file }: StoredCase, next: ValueBaseline, keyBy: KeyBy): Verdict {
  if (!baseline.ok) return { kind: "broken", problem: baseline.error };
  const before = baseline.value;
  if (before.kind !== "value") return { kind: "broken", problem: `Cannot use ${file}: it is a baseline of a step. Delete it or move it.` };
  const actual = hashValueSync(before.value);
  if (actual !== before.hash) {
    return verdictOfError(kernelError("snapshot_corrupted", `hash mismatch of value: expected ${before.hash}, got ${actual}`), file);
  }
  try {
    return verdictOfChanges([{ part: "output", diff: diffByKey(before.value, next.value, keyBy) }]);
  } catch (thrown) {
    return verdictOfError(kernelError("normalization_failed", messageOf(thrown), thrown), file);
  }
}

function made(value: unknown, details: Parameters<typeof valueBaselineOf>[1]): ValueBaseline | string {
  try {
    return valueBaselineOf(value, details);
  } catch (thrown) {
    return messageOf(thrown);
  }
}
