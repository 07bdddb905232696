import type { Check } from "../check/check.ts";

/** Returns true if a request differs from its recording by its host alone. */
export function hasOtherHost({ verdict }: Check): boolean {
  const [only, ...more] = verdict.kind === "request_changed" ? (verdict.cause?.evidence ?? []) : [];
  // Another path or query would be the last entry.
  const requests = more.length === 0 && only?.kind === "environment" ? only.requests : [];
  return requests.at(-1)?.entries.at(-1)?.path.at(-1) === "origin";
}
