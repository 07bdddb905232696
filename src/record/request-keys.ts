import { stableStringify } from "../base/canonical-json.ts";
import { hashText } from "../base/hash.ts";
import { withoutDigests } from "../redact/placeholder.ts";

/** What tells requests apart within one process. */
export interface RequestKeys {
  /** Equal for the same request alone, whatever the order of its fields. */
  readonly own: string;
  /** Equal also for requests that differ in hidden secrets alone: equal where `requestIdentity` is. */
  readonly alike: string;
}

// A longer text would keep the request in memory a second time.
const LONGEST = 1000;

/** The keys of a request. Texts, not hashes: hashing a short one takes three times as long as writing it. */
export function requestKeys(adapter: string, request: unknown): RequestKeys {
  const text = stableStringify([adapter, request]);
  const alike = withoutDigests(text);
  const own = keyOf(text);
  return { own, alike: alike === text ? own : keyOf(alike) };
}

function keyOf(text: string): string {
  return text.length > LONGEST ? hashText(text) : text;
}
