import { createHmac } from "node:crypto";
import { stableStringify } from "../kernel/json/canonical-json.ts";
import { hashText } from "../kernel/json/hash.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import type { TextEdit } from "./spans.ts";

/**
 * The salt used when a project has none: placeholders then keep equality, and are alike on every machine, but whoever
 * guesses a short secret can confirm the guess.
 */
export const DEFAULT_SALT = "veritest:unsalted";

/** What a placeholder looks like, as the source of a regular expression. */
export const PLACEHOLDER = "«redacted:[a-z0-9-]{1,40}:[0-9a-f]{8}»";

const PLACEHOLDERS = new RegExp(PLACEHOLDER, "g");
const WHOLE = new RegExp(`^${PLACEHOLDER}$`);

// A placeholder that went through a URL or an ASCII-only JSON writer comes back in one of these forms.
const CARRIED = /(?:«|%C2%AB|\\u00ab)redacted(?::|%3A)([a-z0-9-]{1,40})(?::|%3A)([0-9a-f]{8})(?:»|%C2%BB|\\u00bb)/gi;

// A pattern: a search for the word itself stops at every `r`.
const REDACTED = /redacted/i;

/**
 * Makes placeholders: `«redacted:<kind>:<first 8 hex digits of the HMAC-SHA256 of the secret>»`, equal for equal
 * secrets.
 */
export function placeholderMaker(salt: string): (kind: string, secret: string) => string {
  const digests = new Map<string, string>();
  return (kind, found) => {
    // A private key in a JSON text has its line breaks escaped; it holds no backslash of its own, and is the same key.
    const secret = kind === "private-key" ? found.replace(/(?:\\+r)?\\+n|\r\n/g, "\n") : found;
    const known = digests.get(secret);
    const digest = known ?? digitsOf(salt, secret);
    // Enough for the secrets of a run; a step over millions of documents must not keep them all.
    if (digests.size >= 1000) digests.clear();
    if (known === undefined) digests.set(secret, digest);
    return `«redacted:${kind}:${digest}»`;
  };
}

/** The digits of a secret's placeholder. */
export function digitsOf(salt: string, secret: string): string {
  return createHmac("sha256", salt).update(secret).digest("hex").slice(0, 8);
}

/** The kind and the digits of a placeholder. */
export function secretOf(placeholder: string): { readonly kind: string; readonly digest: string } {
  const [, kind = "", digest = ""] = placeholder.split(":");
  return { kind, digest: digest.slice(0, 8) };
}

/** What a salt is called where it must not be told: 8 hex digits, `VERITEST_SALT` and the project's own alike. */
export function nameOfSalt(salt: string): string {
  return createHmac("sha256", salt).update("the name of this salt").digest("hex").slice(0, 8);
}

/** Tells whether a text is one placeholder and nothing else. */
export function isPlaceholder(text: string): boolean {
  return text.startsWith("«redacted:") && WHOLE.test(text);
}

/** Where placeholders stand in a text, as `[start, end)`, in order. */
export function placeholdersIn(text: string): readonly (readonly [number, number])[] {
  if (!text.includes("«redacted:")) return [];
  return [...text.matchAll(PLACEHOLDERS)].map(({ index, 0: found }) => [index, index + found.length] as const);
}

/** The placeholders in a text, each once. */
export function placeholderTexts(text: string): readonly string[] {
  return text.includes("«redacted:") ? [...new Set(text.match(PLACEHOLDERS))] : [];
}

/** Tells whether a text may hold a placeholder in any form, its own or one it was carried in; false is certain. */
export function mayHoldPlaceholder(text: string): boolean {
  return REDACTED.test(text);
}

/** The edits that give placeholders which were percent-encoded or JSON-escaped on their way back their own form. */
export function carriedPlaceholders(text: string): readonly TextEdit[] {
  if (!mayHoldPlaceholder(text)) return [];
  return [...text.matchAll(CARRIED)].flatMap(({ index, 0: carried, 1: kind = "", 2: digest = "" }) => {
    const placeholder = `«redacted:${kind}:${digest.toLowerCase()}»`;
    return carried === placeholder ? [] : [{ start: index, end: index + carried.length, text: placeholder }];
  });
}

/**
 * Replaces all placeholders in a JSON text by their order of first appearance. Two machines then agree on everything,
 * whatever their salts, and whether or not one of them knew the secret by its environment.
 */
export function withoutDigests(text: string): string {
  if (!text.includes("«redacted:")) return text;
  const order = new Map<string, number>();
  return text.replace(PLACEHOLDERS, (found) => {
    const number = order.get(found) ?? order.size;
    order.set(found, number);
    return `«redacted:${number}»`;
  });
}

/**
 * Replaces the digits of all placeholders in a text by their order of first appearance, for what is kept in files that
 * do not say by which salt: `«redacted:password:1»`.
 */
export function withoutSalt(text: string): string {
  const order = new Map<string, number>();
  return text.replace(PLACEHOLDERS, (found) => {
    const number = order.get(found) ?? order.size + 1;
    order.set(found, number);
    return found.replace(/[0-9a-f]{8}»$/, `${number}»`);
  });
}

const HASH_ONLY = /^«(sha256:[0-9a-f]{64})»$/;

/** The hash of a value whose secrets are hidden already: the same on machines that hide them by different salts. */
export function hiddenHash(redacted: unknown): string {
  return hashText(withoutDigests(stableStringify(redacted)));
}

/**
 * What stands for a value that is kept as its hash alone: `«sha256:…»`, 64 hex digits. Secrets must be hidden already.
 */
export function hashOnlyText(redacted: unknown): string {
  return `«${hiddenHash(redacted)}»`;
}

/** The hash, `sha256:…`, that a value is kept as; undefined for what is kept itself. */
export function keptHash(value: unknown): string | undefined {
  return typeof value === "string" ? HASH_ONLY.exec(value)?.[1] : undefined;
}

/** Tells whether a value is kept as its hash alone. */
export function isHashOnly(value: unknown): value is string {
  return keptHash(value) !== undefined;
}

/** The kinds of secrets that data holds placeholders of, at any depth, each once. */
export function hiddenKinds(data: unknown): readonly string[] {
  const kinds = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value === "string")
      for (const [found] of value.matchAll(PLACEHOLDERS)) kinds.add(found.split(":")[1] ?? "");
    else if (isArray(value)) value.forEach(look);
    else if (isPlainObject(value)) Object.values(value).forEach(look);
  };
  look(data);
  return [...kinds];
}

/** Tells whether data holds, at any depth, something that is kept as its hash alone: then it is not whole. */
export function holdsHashOnly(data: unknown): boolean {
  if (typeof data === "string") return data.startsWith("«sha256:") && isHashOnly(data);
  if (isArray(data)) return data.some(holdsHashOnly);
  return isPlainObject(data) && Object.values(data).some(holdsHashOnly);
}
