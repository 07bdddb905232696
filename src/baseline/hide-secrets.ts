import { currentRedactor } from "../redact/current-redactor.ts";

/**
 * A value as a file may hold it: without its secrets. `part` is where it stands, for the project's `paths` and `keep`.
 */
export function hideSecrets(value: unknown, part: string): unknown {
  return currentRedactor().redact(value, [part]).value;
}

/**
 * The same for what must keep its kind: an output is an object, events and commands are lists. Throws a TypeError where
 * a rule hides all of it, since a baseline of nothing would agree with everything.
 */
export function hideSecretsIn<T extends object>(value: T, part: string): T {
  const hidden = hideSecrets(value, part);
  if (isLike(value, hidden)) return hidden;
  throw new TypeError(
    `redact.paths or redact.hashOnly hides the whole ${part}, and nothing would be left to compare: name what is in it`,
  );
}

function isLike<T extends object>(original: T, hidden: unknown): hidden is T {
  return typeof hidden === "object" && hidden !== null && Array.isArray(hidden) === Array.isArray(original);
}
