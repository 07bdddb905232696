import { currentRedactor } from "../redact/current-redactor.ts";

const PLACEHOLDER = /«redacted:([a-z0-9-]{1,40}):[0-9a-f]{8}»/g;

/**
 * The title of a test as a file's name may show it: `test.each` writes values into titles, secrets too. Without digits,
 * which differ between machines: a case is told by its hash, its label is for people.
 */
export function fileLabel(title: string): string {
  return currentRedactor().redactText(title).replaceAll(PLACEHOLDER, "redacted-$1");
}
