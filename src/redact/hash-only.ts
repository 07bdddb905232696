import { stableStringify } from "../base/canonical-json.ts";
import { hashText } from "../base/hash.ts";
import { isArray } from "../base/plain-data.ts";
import { isPlainObject } from "../base/plain-data.ts";
import { withoutDigests } from "./placeholder.ts";

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

/** Tells whether data holds, at any depth, something that is kept as its hash alone: then it is not whole. */
export function holdsHashOnly(data: unknown): boolean {
  if (typeof data === "string") return data.startsWith("«sha256:") && isHashOnly(data);
  if (isArray(data)) return data.some(holdsHashOnly);
  return isPlainObject(data) && Object.values(data).some(holdsHashOnly);
}
