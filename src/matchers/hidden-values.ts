import { types } from "node:util";
import { isAnyError } from "../kernel/error-message.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { PLACEHOLDER, patternBetween, replaceInText } from "../redact/placeholder.ts";

/** Parts that a recording hides: secrets, and values of which only the hash is stored. */
const HIDDEN = new RegExp(`${PLACEHOLDER}|«sha256:[0-9a-f]{64}»`, "g");

/** A test of a value that may hide secrets. */
export interface HiddenTest {
  readonly test: (actual: unknown) => boolean;
  /** Source of the test. Its words are tried in place of a secret. */
  readonly source: string;
  /** True for a test whose result doesn't depend on the text of a string. */
  readonly isOfType?: boolean;
  /** True if a result that depends on a secret counts as a match. */
  readonly mayMatch: boolean;
}

/** Returns the last line of a message under `.not` if one of the values that match hides a part. */
export function hiddenNote(isForbidden: boolean, actual: readonly unknown[]): readonly string[] {
  return isForbidden && actual.some(hidesSecret) ? [MAY_MATCH] : [];
}

const MAY_MATCH =
  "  Under .not, a redacted value matches any value, function or RegExp, because the recording hides it.";

/** Last line of a message without `.not` if hidden parts prevent a match. */
export const NO_MATCH = "  A redacted value only matches what doesn't depend on it, because the recording hides it.";

/** Returns a text with its placeholders in their own form, and bytes, a URL or an error as their text. */
export function plainText(value: unknown): string | undefined {
  if (typeof value === "string") return replaceInText(value, (placeholder) => placeholder);
  if (types.isUint8Array(value)) return new TextDecoder().decode(value);
  return value instanceof URL || isAnyError(value) ? plainText(String(value)) : undefined;
}

/** Returns true if a value hides a secret, at any depth. */
function hidesSecret(value: unknown): boolean {
  const text = plainText(value);
  if (text !== undefined) return text.includes("«") && text.search(HIDDEN) !== -1;
  if (isArray(value)) return value.some(hidesSecret);
  if (types.isMap(value) || types.isSet(value)) return [...value].some(hidesSecret);
  return isPlainObject(value) && Object.entries(value).some(([name, item]) => hidesSecret(name) || hidesSecret(item));
}

/** Returns true if a text has hidden parts and can be the expected value. A completely hidden value can be any. */
export function mayBeSecret(text: string, wanted: unknown): boolean {
  const parts = text.split(HIDDEN);
  if (parts.length === 1) return false;
  if (parts.every((part) => part === "")) return wanted !== undefined;
  const expected = plainText(wanted);
  return expected !== undefined && patternBetween(parts).test(expected);
}

/** Copies a value with what is expected in place of hidden parts that can be it. */
export function withExpected(actual: unknown, wanted: unknown): unknown {
  if (isArray(actual) && isArray(wanted)) return actual.map((item, index) => withExpected(item, wanted[index]));
  if (isPlainObject(actual) && isPlainObject(wanted))
    return Object.fromEntries(Object.entries(actual).map(([name, item]) => [name, withExpected(item, wanted[name])]));
  const isMatcher = typeof wanted === "object" && wanted !== null && "asymmetricMatch" in wanted;
  const text = isMatcher ? undefined : plainText(actual);
  return text !== undefined && mayBeSecret(text, wanted) ? wanted : actual;
}

/**
 * Returns the result of a test by a function, a RegExp or an asymmetric matcher. If it reads a hidden part, the result
 * is `mayMatch`, unless it is true for every text in place of the secret.
 */
export function testHidden(actual: unknown, { test, source, isOfType, mayMatch }: HiddenTest): boolean {
  if (!hidesSecret(actual)) return test(actual);
  if (isOfType === true && mayMatch && typeof actual === "string" && !mayBeSecret(actual, 0)) return test(actual);
  let isRead = false;
  const result = test(
    watched(actual, () => {
      isRead = true;
    }),
  );
  if (!isRead) return result;
  if (mayMatch) return true;
  // A test that names the placeholder is about the redaction.
  return (
    result && (/redacted|sha256/.test(source) || substitutes(source).every((text) => test(withText(actual, text))))
  );
}

/** Returns true if a name whose parts are hidden has what a RegExp tests, with one of the words of its source in it. */
export function mayHaveName(name: string, test: (name: string) => boolean, source: string): boolean {
  return hidesSecret(name) && substitutes(source).some((word) => test(name.replaceAll(HIDDEN, () => word)));
}

/** Copies a value whose hidden parts report that they are read. */
function watched(value: unknown, onRead: () => void): unknown {
  if (!isArray(value) && (!isPlainObject(value) || Object.keys(value).some(hidesSecret))) {
    if (hidesSecret(value)) onRead();
    return value;
  }
  const copy = isArray(value) ? [] : {};
  for (const [name, item] of Object.entries(value))
    Object.defineProperty(copy, name, {
      enumerable: true,
      configurable: true,
      ...(hidesSecret(item) ? { get: () => watched(item, onRead) } : { value: item, writable: true }),
    });
  return copy;
}

const MAX_SUBSTITUTES = 50;

function substitutes(source: string): readonly string[] {
  const words = [...source.matchAll(/[\p{L}\p{N}_@.-]+|(["'`])(.*?)\1/gsu)].flatMap(
    ([word, , quoted]) => quoted ?? word,
  );
  return ["x", "7".repeat(60), ...new Set(words)].slice(0, MAX_SUBSTITUTES);
}

/** Copies a value with a text in place of its hidden parts. */
function withText(value: unknown, text: string): unknown {
  if (typeof value === "string") return value.replaceAll(HIDDEN, () => text);
  if (isArray(value)) return value.map((item) => withText(item, text));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withText(item, text)]));
}
