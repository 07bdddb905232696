import { stableStringify } from "../base/canonical-json.ts";
import { currentRedactor } from "./current-redactor.ts";
import type { PathSegment } from "./path-pattern.ts";
import { withoutDigests } from "./placeholder.ts";

/**
 * What is stored and what is now, as they compare: the new side without its secrets, and, where placeholders stand on
 * either side, both with placeholders by their order, since their digests depend on each machine's salt. Both must be
 * JSON; a side that needs no change comes back itself.
 */
export function comparable(before: unknown, after: unknown, at: readonly PathSegment[]): readonly [unknown, unknown] {
  const hidden = currentRedactor().redact(after, at).value;
  const texts = [stableStringify(before), stableStringify(hidden)];
  if (!texts.some(holdsPlaceholder)) return [before, hidden];
  const [left, right] = texts.map((text): unknown => JSON.parse(withoutDigests(text)));
  return [left, right];
}

/** Tells whether a text has a placeholder in it. */
function holdsPlaceholder(text: string): boolean {
  return text.includes("«redacted:");
}
