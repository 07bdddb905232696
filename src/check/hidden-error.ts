import { currentRedactor } from "../redact/current-redactor.ts";
import type { StepError } from "../step/step-error.ts";

/** An error as it may be shown and written down: what a step throws may quote what it was given. */
export function hiddenError(error: StepError): StepError {
  const message = currentRedactor().redactText(error.message);
  return message === error.message ? error : { ...error, message };
}
