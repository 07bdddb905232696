const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Writes a string as JSON. One that needs no escape skips the native writer: the test costs less than the call. */
export function stringJson(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

// ECMAScript's own form is what RFC 8785 asks for; NaN and infinities, which JSON lacks, are null in JSON.stringify.
function numberJson(value: number): string {
  return Number.isFinite(value) ? `${value}` : "null";
}

/** Sorts keys in place by UTF-16 code unit, as RFC 8785 asks; keys already sorted cost one comparison each. */
export function sortKeys(keys: string[]): string[] {
  return isSorted(keys) ? keys : keys.sort();
}

/** The answer of `leafJson` for what JSON cannot hold; no JSON text is empty. */
export const REFUSED = "";

/** Writes a primitive as JSON: `undefined` for what JSON omits, `REFUSED` for a bigint, function, symbol or object. */
export function leafJson(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return stringJson(value);
    case "number":
      return numberJson(value);
    case "boolean":
      return value ? "true" : "false";
    case "undefined":
      return undefined;
    case "object":
      return value === null ? "null" : REFUSED;
    case "bigint":
    case "function":
    case "symbol":
      return REFUSED;
  }
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
