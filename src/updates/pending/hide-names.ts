import { currentRedactor } from "../../redact/current-redactor.ts";
import { numberedText } from "../../redact/placeholder.ts";
import type { PendingChange } from "./pending-change.ts";

/**
 * Returns a change without the secrets in the names it shows: titles that `test.each` writes values into, names of
 * steps, projects and test files. Its target stays: it is the path of a file.
 */
export function withoutSecretNames(change: PendingChange): PendingChange {
  const { test, group, testFile, project } = change;
  return {
    ...change,
    test: hidden(test),
    group: hidden(group),
    testFile: hidden(testFile),
    ...(project === undefined ? {} : { project: hidden(project) }),
  };
}

/** Each name has its own numbers: equal names of two workers stay equal. */
function hidden(name: string): string {
  return numberedText(currentRedactor().redactText(name));
}
