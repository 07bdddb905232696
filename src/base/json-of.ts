import { stableStringify } from "./canonical-json.ts";

/**
 * A value as it would be after a JSON round trip: what a stored baseline can hold. Throws a TypeError for what JSON
 * cannot hold.
 */
export function jsonOf(value: unknown): unknown {
  return JSON.parse(stableStringify(value));
}
