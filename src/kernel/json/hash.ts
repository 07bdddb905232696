import type * as nodeCrypto from "node:crypto";
import { hasToJson, sortKeys, stableStringify, stringJson } from "./canonical-json.ts";
import { isArray, isPlainObject } from "./plain-data.ts";

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
 * Hashes a text in pieces, with the result of `hashText` for the complete text. No piece may end within a surrogate
 * pair.
 */
class TextHash {
  readonly #hash: nodeCrypto.Hash = loadCrypto().createHash("sha256");

  add(piece: string): void {
    this.#hash.update(piece);
  }

  /** Returns the hash of all pieces; call it once. */
  end(): string {
    return `sha256:${this.#hash.digest("hex")}`;
  }
}

/**
 * Hashes the canonical JSON of a value, so values that are equal as JSON have the same hash. Throws the TypeError of
 * `stableStringify`.
 */
export function hashValueSync(value: unknown): string {
  return hashText(stableStringify(value));
}

/** Hashes the canonical JSON of a value. Rejects with the TypeError of `stableStringify`. */
export async function hashValue(value: unknown): Promise<string> {
  return hashValueSync(value);
}

/** Hashes like `hashValueSync` and keeps the canonical JSON. Throws the TypeError of `stableStringify`. */
export function hashWithContentSync(value: unknown): HashedContent {
  const content = stableStringify(value);
  return { hash: hashText(content), content };
}

/** Hashes like `hashWithContentSync`. The promise rejects if that function throws. */
export async function hashWithContent(value: unknown): Promise<HashedContent> {
  return hashWithContentSync(value);
}

/** Elements of an array that are written together. */
const BATCH = 64;
/** Names an object may have to be looked into for long arrays, and how many objects deep they are looked for. */
const MAX_NAMES = 32;
const MAX_DEPTH = 4;
/** Characters of a piece, roughly. */
const PIECE = 1 << 16;

/**
 * The canonical JSON of `stableStringify` in pieces, one for small values. A text that is put together from millions
 * of parts takes six times its length in memory until somebody reads it: in pieces, 50 MB take 180 MB less at the
 * peak, and half the time. Throws the TypeErrors of `stableStringify`.
 */
export function canonicalPieces(value: unknown): readonly string[] {
  const pieces: string[] = [];
  return inPieces(value, (piece) => pieces.push(piece)) ? pieces : [stableStringify(value)];
}

/** Hashes the text that pieces are of, as `hashText` does. */
export function hashPieces(pieces: readonly string[]): string {
  const [first = ""] = pieces;
  if (pieces.length < 2) return hashText(first);
  const hash = new TextHash();
  for (const piece of pieces) hash.add(piece);
  return hash.end();
}

/**
 * Hashes a value as `hashValueSync` does, and keeps no text of a large one. Throws the TypeErrors of `stableStringify`.
 */
export function hashInPieces(value: unknown): string {
  let hash: TextHash | undefined;
  const done = inPieces(value, (piece) => {
    hash ??= new TextHash();
    hash.add(piece);
  });
  return done && hash !== undefined ? hash.end() : hashText(stableStringify(value));
}

/** Writes a value piece by piece; false, whatever was taken by then, if it must be written in one piece. */
function inPieces(value: unknown, take: (piece: string) => void): boolean {
  if (!hasLongArray(value, 0)) return false;
  try {
    const pieces = new Pieces(take);
    pieces.write(value, 0);
    pieces.end();
    return true;
  } catch {
    // Written in one piece, it is refused with its complete path.
    return false;
  }
}

class Pieces {
  readonly #take: (piece: string) => void;
  #text = "";

  constructor(take: (piece: string) => void) {
    this.#take = take;
  }

  write(value: unknown, depth: number): void {
    if (isLongArray(value)) this.#writeArray(value);
    else if (isOpenObject(value, depth)) this.#writeObject(value, depth + 1);
    else this.#add(stableStringify(value));
  }

  end(): void {
    this.#take(this.#text);
  }

  #writeArray(items: readonly unknown[]): void {
    for (let start = 0; start < items.length; start += BATCH) {
      const batch = stableStringify(items.slice(start, start + BATCH));
      this.#add((start === 0 ? "[" : ",") + batch.slice(1, -1));
    }
    this.#add("]");
  }

  #writeObject(fields: Readonly<Record<string, unknown>>, depth: number): void {
    let opening = "{";
    for (const name of sortKeys(Object.keys(fields))) {
      const field = fields[name];
      if (isLongArray(field) || isOpenObject(field, depth)) {
        this.#add(`${opening}${stringJson(name)}:`);
        this.write(field, depth);
      } else {
        // With its name, which `toJSON` gets as its argument, and without which an undefined value would be null.
        const json = stableStringify(Object.fromEntries([[name, field]]));
        if (json === "{}") continue;
        this.#add(opening + json.slice(1, -1));
      }
      opening = ",";
    }
    this.#add(opening === "{" ? "{}" : "}");
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#text.length < PIECE) return;
    this.#take(this.#text);
    this.#text = "";
  }
}

function hasLongArray(value: unknown, depth: number): boolean {
  if (isLongArray(value)) return true;
  return isOpenObject(value, depth) && Object.values(value).some((field) => hasLongArray(field, depth + 1));
}

/** An array to be written in batches. Not if it or an element has `toJSON`: that would get another index. */
function isLongArray(value: unknown): value is readonly unknown[] {
  return isArray(value) && value.length > BATCH && !speaks(value) && !value.some(speaks);
}

/** An object whose fields are written one by one. */
function isOpenObject(value: unknown, depth: number): value is Readonly<Record<string, unknown>> {
  return depth < MAX_DEPTH && isPlainObject(value) && !speaks(value) && Object.keys(value).length <= MAX_NAMES;
}

function speaks(value: unknown): boolean {
  return typeof value === "object" && value !== null && hasToJson(value);
}
