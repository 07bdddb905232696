import { currentRedactor } from "../redact/current-redactor.ts";

/** A value as a file may hold it: without its secrets. `part` is where it stands, for the project's `paths` and `keep`. */
export function hideSecrets<T>(value: T, part: string): T {
  const { value: hidden } = currentRedactor().redact(value, [part]);
  // Redaction changes texts and names of fields, never the kind of a value: the guard is what can be known at run time.
  return isLike(value, hidden) ? hidden : value;
}

function isLike<T>(original: T, hidden: unknown): hidden is T {
  return typeof hidden === typeof original && Array.isArray(hidden) === Array.isArray(original);
}
