import { isPromise } from "node:util/types";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import { prettyValue } from "../kernel/pretty.ts";
import { truncate } from "../kernel/text.ts";
import { redactionState } from "../redact/redaction-state.ts";
import { isStep } from "../kernel/step/define-step.ts";
import type { StepError } from "../kernel/step/fail.ts";
import { errorText } from "./matcher-text.ts";
import { type StepResult, isStepResult } from "../kernel/step/step-result.ts";

/** Argument of a result matcher: a result, the error instead of one, or neither. */
export type ReceivedResult =
  | { readonly kind: "result"; readonly result: StepResult }
  | { readonly kind: "error"; readonly error: StepError }
  | { readonly kind: "neither" };

/** Reads a `StepResult` or a `Result<StepResult, StepError>`. */
export function readResult(received: unknown): ReceivedResult {
  if (isStepResult(received)) return { kind: "result", result: received };
  if (isPlainObject(received) && received["ok"] === true && isStepResult(received["value"])) {
    return { kind: "result", result: received["value"] };
  }
  if (isPlainObject(received) && received["ok"] === false && isStepError(received["error"])) {
    return { kind: "error", error: received["error"] };
  }
  return { kind: "neither" };
}

/**
 * Runs a matcher over a step result: a failed result fails it with the step's own error, also under `.not` (a step that
 * never ran hasn't done anything), and any other value is a TypeError.
 */
export function withResult<Answer>(matcher: string, received: unknown, judge: (result: StepResult) => Answer): Answer {
  const read = readResult(received);
  switch (read.kind) {
    case "result":
      return judge(read.result);
    case "error":
      throw new Error(`${matcher}: the step failed with ${errorText(read.error)}`);
    case "neither":
      throw wrongReceived(matcher, "a StepResult, or a Result that contains a StepResult", received);
  }
}

/** The error of a matcher that was given something it cannot judge. */
export function wrongReceived(matcher: string, expected: string, received: unknown): TypeError {
  return new TypeError(`${matcher} expects ${expected}, got ${foundWords(received)}.`);
}

/** Characters of a value of a class. */
const MAX_VALUE = 200;

/** Names what a matcher was given, in a few words; an instance of a class (a Map, an Error) is shown itself. */
export function foundWords(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (isPromise(value)) return "a promise (await it first)";
  if (isStep(value)) return `the step "${value.name}" (run it first)`;
  if (typeof value !== "object") return typeof value;
  if (isPlainObject(value)) return "an object with a different shape";
  const rendered = prettyValue(value);
  const hidden = redactionState().hide?.(rendered, value);
  return truncate(typeof hidden === "string" ? hidden : rendered, MAX_VALUE);
}

function isStepError(value: unknown): value is StepError {
  return typeof value === "object" && value !== null && "code" in value && "message" in value;
}
