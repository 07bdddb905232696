import { stableStringify } from "../base/canonical-json.ts";
import { currentRedactor } from "./current-redactor.ts";
import type { PathSegment } from "./path-pattern.ts";
import { PLACEHOLDER, withoutDigests } from "./placeholder.ts";

const PLACEHOLDERS = new RegExp(PLACEHOLDER, "g");

/**
 * What is stored and what is now, as they compare: both without secrets, and, where the two were hidden by different
 * salts, both with placeholders by their order instead of their digits. Another secret in the place of one is no
 * change. Both must be JSON; a side that needs no change comes back itself.
 */
export function comparable(before: unknown, after: unknown, at: readonly PathSegment[]): readonly [unknown, unknown] {
  const { redact } = currentRedactor();
  const [was, hidden] = [redact(before, at).value, redact(after, at).value];
  if (!holdsPlaceholder(was) || !holdsPlaceholder(hidden)) return [was, hidden];
  const texts = [stableStringify(was), stableStringify(hidden)] as const;
  const [old, now] = [placeholders(texts[0]), placeholders(texts[1])];
  // Recorded answers bring the digits of another machine beside this one's: but for them nothing differs.
  if (old.size > 0 && blank(texts[0]) === blank(texts[1])) return [was, was];
  // Where one secret has the same digits on both sides, both were hidden by one salt: then digits tell secrets apart.
  if (old.size === 0 || now.size === 0 || [...old].some((placeholder) => now.has(placeholder))) return [was, hidden];
  const [left, right] = texts.map((text): unknown => JSON.parse(withoutDigests(text)));
  return [left, right];
}

/**
 * By the native writer, which is faster by far than what `texts` takes: values that hide nothing are the usual ones.
 */
function holdsPlaceholder(value: unknown): boolean {
  const text: unknown = JSON.stringify(value);
  return typeof text === "string" && text.includes("«redacted:");
}

function placeholders(text: string): ReadonlySet<string> {
  return new Set(text.match(PLACEHOLDERS) ?? []);
}

function blank(text: string): string {
  return text.replaceAll(PLACEHOLDERS, "«redacted»");
}
