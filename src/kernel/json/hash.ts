import type * as nodeCrypto from "node:crypto";
import { stableStringify } from "./canonical-json.ts";

// Loaded with the first hash: as an import it took each test file 5 ms, most of which compute no hash.
let crypto: typeof nodeCrypto | undefined;

/** A value's hash together with the canonical JSON that was hashed. */
export interface HashedContent {
  readonly hash: string;
  readonly content: string;
  /** The data of the content, if it is plain, with its names in order; it must not change. */
  readonly data?: unknown;
}

function loadCrypto(): typeof nodeCrypto {
  return (crypto ??= process.getBuiltinModule("node:crypto"));
}

/** Hashes the UTF-8 bytes of a text: `sha256:` and 64 lower-case hex digits. */
export function hashText(text: string): string {
  return `sha256:${loadCrypto().hash("sha256", text, "hex")}`;
}

/**
 * Hashes the canonical JSON of a value. Values that are equal as JSON have the same hash. Throws a TypeError for a
 * value that isn't JSON, as `stableStringify` does.
 */
export function hashValueSync(value: unknown): string {
  return hashText(stableStringify(value));
}

/**
 * Hashes the canonical JSON of a value. Values that are equal as JSON have the same hash. Rejects with a TypeError for
 * a value that isn't JSON.
 */
export async function hashValue(value: unknown): Promise<string> {
  return hashValueSync(value);
}

/** Hashes like `hashValueSync` and keeps the canonical JSON. Throws the TypeError of `stableStringify`. */
export function hashWithContentSync(value: unknown): HashedContent {
  const content = stableStringify(value);
  return { hash: hashText(content), content };
}

/**
 * Hashes the canonical JSON of a value, and returns the hash together with that JSON text. Rejects with a TypeError for
 * a value that isn't JSON.
 */
export async function hashWithContent(value: unknown): Promise<HashedContent> {
  return hashWithContentSync(value);
}
