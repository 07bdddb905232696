import { stableStringify } from "../base/canonical-json.ts";
import { hashText } from "../base/hash.ts";
import { withoutDigests } from "../redact/placeholder.ts";

/**
 * The hash that identifies an input: that of its canonical JSON, in which the placeholders of hidden secrets count by
 * their order, so that a case is the same one on machines with different salts. Throws like `stableStringify`.
 */
export function inputHashOf(input: unknown): string {
  return hashText(withoutDigests(stableStringify(input)));
}
