import type { CaseDetails } from "../src/baseline/create-baseline.ts";
import type { BaselineLibrary, StoredCase } from "../src/baseline/baseline-library.ts";
import { type AdapterMode, responsePlan } from "../src/check/run/adapter-mode.ts";
import { explainCheck } from "../src/check/cause/find-cause.ts";
import { checkCase } from "../src/check/check-case.ts";
import type { Check, CheckContext } from "../src/check/check.ts";
import { findCase, caseOfStored } from "../src/check/find-case.ts";
import type { BaseAdapters } from "../src/kernel/step/context.ts";
import type { AnyStep } from "../src/kernel/step/define-step.ts";

/** How a stored case is asked about; live where adapters are given, unless a mode is. */
export interface StoredCaseOptions
  extends Pick<
    CheckContext,
    "root" | "validate" | "strictOutput" | "budget" | "compare" | "executesWrites" | "hidesStoredSecrets"
  > {
  readonly adapters?: BaseAdapters | undefined;
  readonly mode?: AdapterMode | undefined;
  readonly details?: CaseDetails | undefined;
}

/** How an input is asked about. */
export interface InputCaseOptions extends Omit<StoredCaseOptions, "root"> {
  readonly input: unknown;
  readonly label: string;
  /** False where a new case could not be kept. */
  readonly mayCapture: boolean;
}

/** Checks a step on an input, as `toMatchBaseline` does. */
export async function checkInputCase(
  step: AnyStep,
  question: InputCaseOptions,
  library: BaselineLibrary,
): Promise<Check> {
  const { input, label, mayCapture, details = {}, ...rest } = question;
  const found = findCase(step, { input, details, label }, library);
  const capture = { responses: responsePlan("live", rest.adapters), reviewOnly: false };
  const world = { ...worldOf({ ...rest, root: library.root }), capture: mayCapture ? capture : undefined };
  return found.ok ? checkCase(found.value, world, explainCheck) : found.error;
}

/** Recomputes a stored case, as `toRecomputeClean` does. */
export async function checkStoredCase(step: AnyStep, stored: StoredCase, question: StoredCaseOptions): Promise<Check> {
  const asked = { ...caseOfStored(step, stored), details: question.details };
  return checkCase(asked, worldOf(question), explainCheck);
}

/** Replays a stored case, as `toReplay` does. */
export async function replayStoredCase(step: AnyStep, stored: StoredCase): Promise<Check> {
  return checkCase(caseOfStored(step, stored), { ...worldOf({ root: "" }), isByteExact: true }, explainCheck);
}

function worldOf({ adapters, mode = "live", ...rest }: StoredCaseOptions): CheckContext {
  return { ...rest, responses: responsePlan(mode, adapters) };
}
