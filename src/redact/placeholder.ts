import { stableStringify } from "../kernel/json/canonical-json.ts";
import { hashText } from "../kernel/json/hash.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { type TextEdit, editParts } from "./secret-spans.ts";

/**
 * Source of the pattern between the quotes of a placeholder. A URL has its `#` encoded; files of format 1 have eight
 * hex digits for a number.
 */
const INNER = "redacted:[a-z0-9-]{1,40}(?:(?:#|%23)[1-9][0-9]{0,8}|:[0-9a-f]{8})";

/** Source of the pattern of a placeholder: `«redacted:card#1»`. */
export const PLACEHOLDER: string = `«${INNER}»`;

const PLACEHOLDERS = new RegExp(PLACEHOLDER, "g");
const WHOLE = new RegExp(`^${PLACEHOLDER}$`);

/** Returns the pattern of texts that have these parts, with at least one character between two of them. */
export function patternBetween(parts: readonly string[]): RegExp {
  const literals = parts.map((part) => part.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`));
  return new RegExp(`^${literals.join(".+")}$`, "su");
}

/** A placeholder in bytes that are read as one character each. */
export const IN_BYTES: RegExp = new RegExp(`Â«(${INNER})Â»`, "g");

// A placeholder that went through a URL or an ASCII-only JSON writer has one of these forms.
const CARRIED = carriedIn("«", "»");

/** The same without a placeholder's own form. */
const ENCODED = carriedIn();

function carriedIn(...quotes: readonly string[]): RegExp {
  const [open, close] = [
    [...quotes.slice(0, 1), "%C2%AB", String.raw`\\u00ab`].join("|"),
    [...quotes.slice(1), "%C2%BB", String.raw`\\u00bb`].join("|"),
  ];
  const secret = "(?:(?:#|%23)([1-9][0-9]{0,8})|(?::|%3A)([0-9a-f]{8}))";
  return new RegExp(`(?:${open})redacted(?::|%3A)([a-z0-9-]{1,40})${secret}(?:${close})`, "gi");
}

// A pattern: a search for the word itself stops at every `r`.
const REDACTED = /redacted/i;

/** Returns the placeholder of the secret that has this number in its recording. */
export function placeholderOf(kind: string, number: number): string {
  return `«redacted:${kind}#${number}»`;
}

/** The kind of a placeholder's secret. */
export function kindOf(placeholder: string): string {
  return /^«redacted:([a-z0-9-]*)/.exec(placeholder)?.[1] ?? "";
}

/** The number of a placeholder's secret; undefined for one of format 1. */
export function numberIn(placeholder: string): number | undefined {
  const number = /(?:#|%23)(\d+)»$/.exec(placeholder)?.[1];
  return number === undefined ? undefined : Number(number);
}

/**
 * The highest number that a placeholder of a JSON text has, or gets if the text is of format 1. Bytes in the text are
 * looked into.
 */
export function highestNumber(text: string): number {
  const placeholders: string[] = [];
  replaceInText(text, (placeholder) => {
    placeholders.push(placeholder);
    return placeholder;
  });
  for (const [, base64 = ""] of text.matchAll(/"base64":\s?"([^"]*)"/g))
    placeholders.push(...(Buffer.from(base64, "base64").toString().match(PLACEHOLDERS) ?? []));
  const numbers = placeholders.flatMap((placeholder) => numberIn(placeholder) ?? []);
  const unnumbered = new Set(placeholders.filter((placeholder) => numberIn(placeholder) === undefined));
  return numbers.reduce((highest, number) => Math.max(highest, number), 0) + unnumbered.size;
}

/** Replaces all placeholders in a text, also those that a URL or an ASCII-only JSON writer encoded. */
export function replaceInText(text: string, replace: (placeholder: string) => string): string {
  if (!text.includes("redacted")) return text;
  const plain = editParts([text], carriedPlaceholders(text, ENCODED)).join("");
  return plain.replace(PLACEHOLDERS, (placeholder) =>
    placeholder.includes(IN_URL) ? urlSafe(replace(placeholder.replace(IN_URL, "#"))) : replace(placeholder),
  );
}

const IN_URL = "%23";

/** A text that is a URL with the `#` of its placeholders encoded: a fragment would begin there. */
export function urlSafe(url: string): string {
  return url.replace(PLACEHOLDERS, (placeholder) => placeholder.replace("#", IN_URL));
}

/** A copy of JSON data in which all placeholders are replaced: in texts, names of fields, and recorded bytes. */
export function replacePlaceholders(data: unknown, replace: (placeholder: string) => string): unknown {
  if (typeof data === "string") return replaceInText(data, replace);
  if (isArray(data)) return data.map((item) => replacePlaceholders(item, replace));
  if (!isPlainObject(data)) return data;
  const { $t, v } = data;
  if ($t === "url" && typeof v === "string") return { ...data, v: urlSafe(replaceInText(v, replace)) };
  const bytes = bytesIn(data);
  if (bytes !== undefined) return bytes.with(replaceInBytes(bytes.latin1, replace));
  return Object.fromEntries(
    Object.entries(data).map(([name, item]) => [replaceInText(name, replace), replacePlaceholders(item, replace)]),
  );
}

/** Replaces the placeholders in bytes that are read as one character each. */
function replaceInBytes(latin1: string, replace: (placeholder: string) => string): string {
  return latin1.replace(IN_BYTES, (_found, inner: string) => inBytes(replace(`«${inner}»`)));
}

/** A placeholder as its bytes read, one character each. */
export function inBytes(placeholder: string): string {
  return `Â«${placeholder.slice(1, -1)}Â»`;
}

/** A copy of JSON data in which recorded bytes with a placeholder are replaced by their text. */
export function withBytesRead(data: unknown): unknown {
  if (isArray(data)) return data.map(withBytesRead);
  if (!isPlainObject(data)) return data;
  const bytes = bytesIn(data);
  if (bytes?.latin1.includes("redacted:") === true) return bytes.latin1.replace(IN_BYTES, "«$1»");
  return Object.fromEntries(Object.entries(data).map(([name, item]) => [name, withBytesRead(item)]));
}

interface Bytes {
  /** One character for each byte. */
  readonly latin1: string;
  /** The same data with other bytes. */
  readonly with: (latin1: string) => unknown;
}

/** Bytes as a recording keeps them (`$t`), or as JSON writes a Buffer. */
function bytesIn(data: Readonly<Record<string, unknown>>): Bytes | undefined {
  const { $t, v, type, data: items } = data;
  if ($t === "bytes" && isPlainObject(v) && typeof v["base64"] === "string") {
    return {
      latin1: Buffer.from(v["base64"], "base64").toString("latin1"),
      with: (text) => ({ ...data, v: { ...v, base64: Buffer.from(text, "latin1").toString("base64") } }),
    };
  }
  if (type !== "Buffer" || !isArray(items) || !items.every((item) => typeof item === "number")) return undefined;
  return {
    latin1: Buffer.from(items).toString("latin1"),
    with: (text) => ({ ...data, data: [...Buffer.from(text, "latin1")] }),
  };
}

/** Returns true if a text is exactly one placeholder. */
export function isPlaceholder(text: string): boolean {
  return text.startsWith("«redacted:") && WHOLE.test(text);
}

/** Ranges of the placeholders in a text, as `[start, end)`, in order. */
export function placeholdersIn(text: string): readonly (readonly [number, number])[] {
  if (!text.includes("«redacted:")) return [];
  return [...text.matchAll(PLACEHOLDERS)].map(
    ({ index, 0: placeholder }) => [index, index + placeholder.length] as const,
  );
}

/** Returns true if a text may contain a placeholder in any form, its own or an encoded one; false is certain. */
export function mayContainPlaceholder(text: string): boolean {
  return REDACTED.test(text);
}

/** The edits that give placeholders which were percent-encoded or JSON-escaped on their way back their own form. */
export function carriedPlaceholders(text: string, form: RegExp = CARRIED): readonly TextEdit[] {
  if (!mayContainPlaceholder(text)) return [];
  return [...text.matchAll(form)].flatMap(({ index, 0: carried, 1: kind = "", 2: number, 3: digits = "" }) => {
    const placeholder = `«redacted:${kind}${number === undefined ? `:${digits.toLowerCase()}` : `#${number}`}»`;
    return carried === placeholder ? [] : [{ start: index, end: index + carried.length, text: placeholder }];
  });
}

// Base64 of "redacted:", by its position in a group of three bytes.
const BASE64_MARKS = ["cmVkYWN0ZWQ6", "JlZGFjdGVkO", "yZWRhY3RlZD"];

/** Returns true if a JSON text may contain a placeholder, also in recorded bytes; false is certain. */
export function mayHoldPlaceholders(json: string): boolean {
  return (
    json.includes("«redacted:") || json.includes('"type":"Buffer"') || BASE64_MARKS.some((mark) => json.includes(mark))
  );
}

/**
 * Numbers all placeholders in a JSON text by their order of first appearance, also in recorded bytes. Two recordings of
 * the same then agree, whatever preceded each, and even if only one knew the secret by its environment.
 */
export function inOrderOfSecrets(text: string): string {
  const opened = BASE64_MARKS.some((mark) => text.includes(mark))
    ? text.replace(/"base64":"([^"]*)"/g, (_found, base64: string) => JSON.stringify(bytesAsText(base64)))
    : text;
  if (!opened.includes("redacted")) return text;
  const order = new Map<string, number>();
  return replaceInText(opened, (placeholder) => {
    const number = order.get(placeholder) ?? order.size;
    order.set(placeholder, number);
    return `«redacted:${number}»`;
  });
}

function bytesAsText(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1").replace(IN_BYTES, "«$1»");
}

/** Numbers the secrets of a text by first appearance: `«redacted:password#1»`. */
export function numberedText(text: string): string {
  return replaceInText(text, numbering());
}

/** Returns a function that numbers placeholders by first appearance; one number for one secret, whatever its kinds. */
export function numbering(): (placeholder: string) => string {
  const order = new Map<string, number>();
  return (placeholder) => {
    const secret = placeholder.slice(`«redacted:${kindOf(placeholder)}`.length);
    const number = order.get(secret) ?? order.size + 1;
    order.set(secret, number);
    return placeholderOf(kindOf(placeholder), number);
  };
}

const HASH_ONLY = /^«(sha256:[0-9a-f]{64})»$/;

/** The hash of a value whose secrets are hidden already: the same whatever their numbers are. */
export function redactedHash(redacted: unknown): string {
  return hashText(inOrderOfSecrets(stableStringify(redacted)));
}

/**
 * Replacement of a value that is stored only as its hash: `«sha256:…»`, 64 hex digits. Secrets must be hidden already.
 */
export function hashOnlyText(redacted: unknown): string {
  return `«${redactedHash(redacted)}»`;
}

/** The hash, `sha256:…`, as which a value is stored; undefined for a value that is stored completely. */
export function hashOnlyHash(value: unknown): string | undefined {
  return typeof value === "string" ? HASH_ONLY.exec(value)?.[1] : undefined;
}

/** Returns true if a value is stored only as its hash. */
export function isHashOnly(value: unknown): value is string {
  return hashOnlyHash(value) !== undefined;
}

/** The kinds of the secrets whose placeholders are in data, at any depth, each once. */
export function hiddenKinds(data: unknown): readonly string[] {
  const kinds = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value === "string")
      for (const [placeholder] of value.matchAll(PLACEHOLDERS)) kinds.add(kindOf(placeholder));
    else if (isArray(value)) value.forEach(look);
    else if (isPlainObject(value)) Object.values(value).forEach(look);
  };
  look(data);
  return [...kinds];
}

/** Returns true if a part of data, at any depth, is stored only as its hash: then it is not complete. */
export function containsHashOnly(data: unknown): boolean {
  if (typeof data === "string") return data.startsWith("«sha256:") && isHashOnly(data);
  if (isArray(data)) return data.some(containsHashOnly);
  return isPlainObject(data) && Object.values(data).some(containsHashOnly);
}
