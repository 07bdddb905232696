const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Writes a string as JSON. A string that needs no escape skips the native writer: the test costs less than the call. */
export function stringJson(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Writes a number as RFC 8785 does: ECMAScript's own form, `-0` as `0`; NaN and infinities, which JSON lacks, as `null`. */
export function numberJson(value: number): string {
  return Number.isFinite(value) ? String(value) : "null";
}

/** Sorts keys in place by UTF-16 code unit, the order RFC 8785 asks for; keys already sorted cost one comparison each. */
export function sortKeys(keys: string[]): string[] {
  return isSorted(keys) ? keys : keys.sort();
}

/** Tells whether an object speaks for itself in JSON, as a Date does. */
export function hasToJson(value: { readonly toJSON?: unknown }): value is { toJSON(key: string): unknown } {
  return typeof value.toJSON === "function";
}

function isSorted(keys: readonly string[]): boolean {
  let previous = "";
  for (const key of keys) {
    if (key < previous) return false;
    previous = key;
  }
  return true;
}
