import { isPromise } from "node:util/types";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import { isStep } from "../kernel/step/define-step.ts";
import type { StepError } from "../kernel/step/fail.ts";
import { type StepResult, isStepResult } from "../kernel/step/step-result.ts";

/** What a result matcher was given: the result itself, the error instead of one, or neither. */
export type ReceivedResult =
  | { readonly kind: "result"; readonly result: StepResult }
  | { readonly kind: "error"; readonly error: StepError }
  | { readonly kind: "neither"; readonly found: string };

/** Reads a `StepResult` or a `Result<StepResult, StepError>`. */
export function readResult(received: unknown): ReceivedResult {
  if (isStepResult(received)) return { kind: "result", result: received };
  if (isPlainObject(received) && received["ok"] === true && isStepResult(received["value"])) {
    return { kind: "result", result: received["value"] };
  }
  if (isPlainObject(received) && received["ok"] === false && isStepError(received["error"])) {
    return { kind: "error", error: received["error"] };
  }
  return { kind: "neither", found: describe(received) };
}

/** The error of a matcher that was given something it cannot judge. */
export function wrongReceived(matcher: string, expected: string, received: unknown): TypeError {
  return new TypeError(`${matcher} expects ${expected}, found ${describe(received)}.`);
}

/** What a value is, in a few words. */
function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (isPromise(value)) return "a promise (await it first)";
  if (isStep(value)) return `the step "${value.name}" (run it first)`;
  return typeof value === "object" ? "an object of another shape" : typeof value;
}

function isStepError(value: unknown): value is StepError {
  return typeof value === "object" && value !== null && "code" in value && "message" in value;
}
