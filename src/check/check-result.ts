import type { CompareBy, KeyBy } from "../base/compare-rules.ts";
import type { CaseDetails } from "../baseline/baseline-of.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import { type BaselineLibrary, displayPath } from "../baseline/library.ts";
import { parseAdapterCall } from "../record/adapter-call.ts";
import { kernelError } from "../step/fail.ts";
import { messageOf } from "../base/thrown.ts";
import { type StepResult, compareOf, keyByOf } from "../step/step-result.ts";
import type { Check } from "./check.ts";
import { compareBaselines } from "./compare-baselines.ts";
import { fileLabel } from "./file-label.ts";
import { describeCase, keptBaseline, proposalOf } from "./propose.ts";

/** A result that is to match its baseline, and how its case is called. */
export interface ResultQuestion {
  readonly details: CaseDetails;
  readonly label: string;
  /** Identity of array elements; the step's own where undefined. */
  readonly keyBy?: KeyBy | undefined;
  /** What is tolerated; the step's own rules where undefined. */
  readonly compare?: CompareBy | undefined;
}

/** Asks: is this result, which ran already, the one its baseline holds? */
export function checkResult(result: StepResult, question: ResultQuestion, library: BaselineLibrary): Check {
  const { details, label, keyBy = keyByOf(result), compare = compareOf(result) } = question;
  const now = made(result, details);
  if (typeof now === "string") {
    const error = kernelError("output_validation", `The result cannot be stored: ${now}`);
    return { file: result.stepName, path: library.root, verdict: { kind: "failed", error }, propose: undefined };
  }
  const identity = details.name === undefined ? { inputHash: now.inputHash } : { name: details.name };
  const { path, stored } = library.find(result.stepName, identity, details.name ?? fileLabel(label));
  const file = displayPath(path);
  const next = describeCase(now, details, stored);
  const propose = (): ReturnType<typeof proposalOf> => proposalOf(next, { root: library.root, path, stored });
  if (stored === undefined) return { file, path, verdict: { kind: "missing" }, propose };
  return { file, path, ...compareBaselines({ stored, next, keyBy, compare, propose }) };
}

function made(result: StepResult, details: CaseDetails): StepBaseline | string {
  const calls = result.artifacts
    .filter(({ kind }) => kind === "adapter-call")
    .map(({ content }) => parseAdapterCall(content))
    .filter((call) => typeof call !== "string");
  try {
    return keptBaseline(result, calls, details);
  } catch (thrown) {
    return messageOf(thrown);
  }
}
