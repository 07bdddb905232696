import { currentRedactor } from "../../redact/current-redactor.ts";
import { numberedText } from "../../redact/placeholder.ts";
import type { PendingChange } from "./pending-change.ts";

/**
 * Returns a change without the secrets in the names it shows: titles that `test.each` writes values into, and names of
 * projects. Paths stay, because runs and policies compare them. Names of steps have no secrets: no baseline has one.
 */
export function withoutSecretNames(change: PendingChange): PendingChange {
  const { test, project } = change;
  return { ...change, test: hidden(test), ...(project === undefined ? {} : { project: hidden(project) }) };
}

/** Each name has its own numbers: equal names of two workers stay equal. */
function hidden(name: string): string {
  return numberedText(currentRedactor().redactText(name));
}
