import { isArray, isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import { quote } from "../kernel/text.ts";
import { mayBeSecret, plainText } from "./hidden-values.ts";

/** Equality of two values by the runner, and its form for values with parts. */
type Equality = (actual: unknown, wanted: unknown) => boolean;

/**
 * Returns true if two values that aren't equal may be the same value: a secret that the recording hides, a text with
 * composed letters, a number as text, a Date as its text or time, or JSON as text. Only an assertion under `.not` asks
 * this: it must not pass because of how a value is written.
 */
export function mayBeEqual(actual: unknown, wanted: unknown, contains: Equality): boolean {
  const text = plainText(actual);
  if (text !== undefined && mayBeSecret(text, wanted)) return true;
  const [recorded, expected] = [asText(actual), asText(wanted)];
  if (recorded !== undefined && expected !== undefined && recorded === expected) return true;
  if (actual instanceof Date && actual.getTime() === wanted) return true;
  const [parsed, parsedWanted] = [jsonIn(actual), jsonIn(wanted)];
  return (
    (isParts(wanted) && isParts(parsed) && contains(parsed, wanted)) ||
    (isParts(parsedWanted) && [actual, parsed].some((value) => isParts(value) && contains(value, parsedWanted)))
  );
}

/** Returns a request of `fetch` with its form as its body too, which is how people name what they sent. */
export function withBody(recorded: unknown): unknown {
  return isPlainObject(recorded) && Object.hasOwn(recorded, "form")
    ? { body: recorded["form"], ...recorded }
    : recorded;
}

/** Fields of a recorded request of `fetch`. */
const REQUEST_FIELDS: readonly string[] = ["method", "origin", "path", "query", "form", "partHeaders", "body"];

/**
 * Throws a TypeError for a field that no recorded request of `fetch` has, such as `url`, or headers that aren't
 * recorded: an assertion under `.not` would always pass.
 */
export function refuseOtherFields(matcher: string, wanted: unknown, recorded: unknown): void {
  if (!isPlainObject(wanted) || !isPlainObject(recorded) || "asymmetricMatch" in wanted) return;
  const other = Object.keys(wanted).find((name) => !REQUEST_FIELDS.includes(name) && !Object.hasOwn(recorded, name));
  if (other === undefined) return;
  throw new TypeError(
    other === "headers"
      ? `${matcher}: under .not, the headers of this request aren't recorded. Name them in matchHeaders.`
      : `${matcher}: under .not, a request has no field ${quote(other)}. It has method, origin, path, query, ` +
          `and body or form. You can also name its URL: "fetch POST https://api.shop.test/*".`,
  );
}

/** Throws a TypeError for a dot path in place of a field: no value has such a field, so `.not` would always pass. */
export function refuseDotPaths(matcher: string, wanted: unknown, recorded: unknown): void {
  if (!isPlainObject(wanted) || !isPlainObject(recorded)) return;
  const path = Object.keys(wanted).find((name) => {
    const [first = "", ...names] = name.split(/[.[]/);
    return names.length > 0 && !Object.hasOwn(recorded, name) && Object.hasOwn(recorded, first);
  });
  if (path === undefined) return;
  throw new TypeError(
    `${matcher}: under .not, a field can't be a path such as ${quote(path)}. Use nested objects: { a: { b: 1 } }.`,
  );
}

function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value.normalize("NFC");
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

function jsonIn(value: unknown): unknown {
  return typeof value === "string" && /^\s*[[{]/.test(value) ? parsedJson(value) : undefined;
}

function isParts(value: unknown): value is object {
  return isArray(value) || (isPlainObject(value) && !("asymmetricMatch" in value));
}
