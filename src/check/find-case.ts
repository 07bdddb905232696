import { type Result, err, ok } from "../base/result.ts";
import { messageOf } from "../base/thrown.ts";
import type { CaseDetails } from "../baseline/baseline-of.ts";
import { type BaselineLibrary, type StoredCase, displayPath } from "../baseline/library.ts";
import { inputHashOf } from "../record/snapshot.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import type { AnyStep } from "../step/define-step.ts";
import { kernelError } from "../step/fail.ts";
import type { Case, Check } from "./check.ts";

/** A stored case of a step, to be run on the input that is stored. */
export function storedCase(step: AnyStep, stored: StoredCase): Case {
  const { file, path } = stored;
  return { step, file, path, stored };
}

/** A step and one input whose result is to match its baseline. */
export interface InputQuestion {
  readonly input: unknown;
  readonly details: CaseDetails;
  /** Names the file of a new case that has no name of its own. */
  readonly label: string;
}

/** The case of an input, new or stored; a check that failed, for an input that no baseline could hold. */
export function findCase(
  step: AnyStep,
  { input, details, label }: InputQuestion,
  library: BaselineLibrary,
): Result<Case, Check> {
  const hash = caseHashOf(input);
  if (!hash.ok) {
    const error = kernelError("input_validation", `The input cannot be stored: ${messageOf(hash.error)}`, hash.error);
    return err({ file: step.name, path: library.root, verdict: { kind: "failed", error }, propose: undefined });
  }
  const identity = details.name === undefined ? { inputHash: hash.value } : { name: details.name };
  const { path, stored } = library.find(step.name, identity, details.name ?? fileLabel(label));
  return ok({ step, file: displayPath(path), path, stored, input: { whole: input, hash: hash.value }, details });
}

/** The hash of an input as a baseline keeps it, without secrets; what was thrown where none could. */
function caseHashOf(input: unknown): Result<string, unknown> {
  try {
    return ok(inputHashOf(currentRedactor().redact(input, ["input"]).value));
  } catch (thrown) {
    return err(thrown);
  }
}

const PLACEHOLDER = /«redacted:([a-z0-9-]{1,40}):[0-9a-f]{8}»/g;

/**
 * The title of a test as a file's name may show it: `test.each` writes values into titles, secrets too. Without digits,
 * which differ between machines: a case is told by its hash, its label is for people.
 */
export function fileLabel(title: string): string {
  return currentRedactor().redactText(title).replaceAll(PLACEHOLDER, "redacted-$1");
}
