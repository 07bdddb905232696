import { messageOf } from "../kernel/error-message.ts";
import { isArray, isObject, isPlainObject } from "../kernel/json/plain-data.ts";
import { prettyValue } from "../kernel/pretty.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import { truncate } from "../kernel/text.ts";
import { currentRedactor } from "../redact/current-redactor.ts";

/** Characters of a value that can't be stored. */
const MAX_PART = 300;

/**
 * Returns the error of a result or value without a stored form: the part's path, and the part without its secrets.
 */
export function notStorable(subject: "result" | "value", refusal: unknown): StepError {
  const message = `The ${subject} can't be stored: ${messageOf(refusal)}`;
  const part = isObject(refusal) && "part" in refusal ? refusal.part : undefined;
  // The message about a bigint, a function or a symbol is complete, and that about a list or a plain object, which is
  // refused only if it contains itself.
  const isShown = isObject(part) && !isArray(part) && !isPlainObject(part);
  const shownValue = isShown ? `. Value: ${truncate(currentRedactor().redactText(prettyValue(part)), MAX_PART)}` : "";
  return kernelError("not_storable", `${message}${shownValue}`, refusal);
}
