import { stableStringify } from "../../kernel/json/canonical-json.ts";

/** Returns true if two pieces of data have the same JSON. */
export function isSameData(a: unknown, b: unknown): boolean {
  try {
    return stableStringify(a ?? null) === stableStringify(b ?? null);
  } catch {
    return false;
  }
}
