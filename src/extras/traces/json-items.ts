import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";

/** Keys of the arrays of an envelope that contain records; true if the elements are the records themselves. */
export type Envelope = true | { readonly [key: string]: Envelope };

/** A file that can't be read in the given format. The message is a phrase that follows the file's name. */
export class TraceFileError extends Error {}

/** Maximum nesting of a record. */
const MAX_DEPTH = 128;
/** Maximum bytes of a record. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Maximum bytes of a key that is compared. */
const MAX_KEY = 64;

/**
 * Parses the records of a stream of JSON one by one: one per line, concatenated, as an array, or in the arrays that
 * `envelope` names, of any length. At most one record is in memory. Throws a {@link TraceFileError} if the stream
 * isn't JSON or UTF-8, is nested too deeply, has a key `__proto__`, has a record of more than 16 MiB, or ends within
 * a record (after it yielded all complete ones).
 */
export async function* jsonItems(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  envelope: Envelope,
): AsyncGenerator<{ readonly value: unknown; readonly bytes: number }, void> {
  const splitter = new Splitter(envelope);
  for await (const chunk of chunks)
    for (const bytes of splitter.push(chunk)) yield { value: parsed(bytes), bytes: bytes.byteLength };
  const last = splitter.end();
  if (last !== undefined) yield { value: parsed(last), bytes: last.byteLength };
}

/** An array or an object that is walked through, not yielded as a record. */
interface Frame {
  readonly depth: number;
  readonly envelope: Envelope;
  readonly isArray: boolean;
}

/** A record whose end hasn't been read. */
interface OpenItem {
  /** Number of containers around it. */
  readonly depth: number;
  /** Envelope that it may still turn out to be. */
  readonly envelope: Envelope | undefined;
  readonly isScalar: boolean;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

class Splitter {
  readonly #envelope: Envelope;
  readonly #frames: Frame[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** True if a string that begins here is a key. */
  #atKey = false;
  #key: number[] | undefined;
  #lastKey = "";
  #item: OpenItem | undefined;
  #parts: Uint8Array[] = [];
  #size = 0;
  #started = false;

  constructor(envelope: Envelope) {
    this.#envelope = envelope;
  }

  *push(whole: Uint8Array): Generator<Uint8Array, void> {
    const chunk = this.#started ? whole : withoutMark(whole);
    this.#started = true;
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#inString) {
        this.#string(byte);
        continue;
      }
      if (this.#item?.isScalar === true && endsScalar(byte)) {
        yield this.#close(chunk.subarray(from, at));
      }
      const before = this.#item;
      const ended = this.#step(byte);
      if (before === undefined && this.#item !== undefined) from = at;
      if (ended) yield this.#close(chunk.subarray(from, at + 1));
    }
    if (this.#item !== undefined) this.#keep(chunk.slice(from));
  }

  /** Returns the last scalar, which only the end of the stream completes. */
  end(): Uint8Array | undefined {
    if (this.#item?.isScalar === true && !this.#inString) return this.#close(new Uint8Array());
    if (this.#item !== undefined || this.#depth > 0)
      throw new TraceFileError("ends in the middle of a record, so it is incomplete");
    return undefined;
  }

  #string(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) {
      this.#inString = false;
      if (this.#key !== undefined) this.#lastKey = String.fromCharCode(...this.#key);
      this.#key = undefined;
      return;
    }
    if (this.#key !== undefined && this.#key.length < MAX_KEY) this.#key.push(byte);
  }

  /** Takes a byte outside of strings; returns true if it ends the open record. */
  #step(byte: number): boolean {
    switch (byte) {
      case QUOTE:
        this.#inString = true;
        if (this.#atKey && this.#looksAtKeys()) this.#key = [];
        this.#atKey = false;
        this.#begin(true);
        return false;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#open(byte === OPEN_ARRAY);
        return false;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        return this.#shut();
      case COMMA:
        this.#atKey = true;
        return false;
      case COLON:
        this.#atKey = false;
        return false;
      default:
        if (byte > 0x20) this.#begin(true);
        return false;
    }
  }

  #open(isArrayOpened: boolean): void {
    const item = this.#item;
    const frame = this.#frames.at(-1);
    this.#atKey = !isArrayOpened;
    if (item !== undefined) {
      const within = isArrayOpened && this.#depth === item.depth + 1 ? keyOf(item.envelope, this.#lastKey) : undefined;
      if (within !== undefined && item.envelope !== undefined) {
        this.#drop();
        this.#frames.push({ depth: this.#depth, envelope: item.envelope, isArray: false });
        this.#frames.push({ depth: this.#depth + 1, envelope: within, isArray: true });
      }
    } else if (frame !== undefined && !frame.isArray) {
      const within = isArrayOpened && this.#depth === frame.depth ? keyOf(frame.envelope, this.#lastKey) : undefined;
      if (within !== undefined) this.#frames.push({ depth: this.#depth + 1, envelope: within, isArray: true });
    } else if (frame === undefined && isArrayOpened)
      this.#frames.push({ depth: this.#depth + 1, envelope: this.#envelope, isArray: true });
    else this.#begin(false);
    this.#depth += 1;
    this.#lastKey = "";
    if (this.#depth > MAX_DEPTH + this.#frames.length)
      throw new TraceFileError(`is nested more than ${MAX_DEPTH} levels deep`);
  }

  /** Begins a record if one is allowed here and none is open. */
  #begin(isScalar: boolean): void {
    const frame = this.#frames.at(-1);
    if (this.#item !== undefined || (frame !== undefined && (!frame.isArray || this.#depth !== frame.depth))) return;
    const envelope = frame?.envelope ?? this.#envelope;
    this.#item = { depth: this.#depth, envelope: isScalar || envelope === true ? undefined : envelope, isScalar };
  }

  #shut(): boolean {
    this.#depth -= 1;
    if (this.#depth < 0)
      throw new TraceFileError("isn't valid JSON: a closing bracket doesn't have a matching opening bracket");
    const frame = this.#frames.at(-1);
    if (this.#item === undefined && frame !== undefined && this.#depth < frame.depth) this.#frames.pop();
    return this.#item !== undefined && this.#depth === this.#item.depth;
  }

  #looksAtKeys(): boolean {
    if (this.#item !== undefined) return this.#item.envelope !== undefined && this.#depth === this.#item.depth + 1;
    const frame = this.#frames.at(-1);
    return frame !== undefined && !frame.isArray && this.#depth === frame.depth;
  }

  #keep(part: Uint8Array): void {
    this.#parts.push(part);
    this.#size += part.byteLength;
    if (this.#size > MAX_BYTES)
      throw new TraceFileError(`contains a record of more than ${MAX_BYTES / 1024 / 1024} MiB, or one without an end`);
  }

  #drop(): void {
    this.#item = undefined;
    this.#parts = [];
    this.#size = 0;
  }

  #close(last: Uint8Array): Uint8Array {
    this.#keep(last);
    const [only = last] = this.#parts;
    const whole = this.#parts.length === 1 ? only : Buffer.concat(this.#parts);
    this.#drop();
    return whole;
  }
}

function keyOf(envelope: Envelope | undefined, key: string): Envelope | undefined {
  return envelope !== undefined && envelope !== true && Object.hasOwn(envelope, key) ? envelope[key] : undefined;
}

function endsScalar(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;
}

function withoutMark(chunk: Uint8Array): Uint8Array {
  return chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? chunk.subarray(3) : chunk;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parsed(bytes: Uint8Array): unknown {
  const text = decoded(bytes);
  const value = jsonOf(text);
  // Plain or escaped. A match in a longer text is harmless.
  if (/__proto__|\\u005f/i.test(text) && hasProtoKey(value)) throw new TraceFileError("has a key named __proto__");
  return value;
}

function decoded(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new TraceFileError("is not UTF-8");
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TraceFileError("isn't JSON");
  }
}

function hasProtoKey(value: unknown): boolean {
  if (isArray(value)) return value.some(hasProtoKey);
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasProtoKey);
}

/** Returns the value of a text that is JSON, otherwise the text: tracers write data as texts. */
export function unpacked(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{"]/.test(value) || value.length > MAX_BYTES) return value;
  try {
    const data: unknown = JSON.parse(value);
    return hasProtoKey(data) || isDeep(data, MAX_DEPTH) ? value : data;
  } catch {
    return value;
  }
}

function isDeep(value: unknown, left: number): boolean {
  if (left === 0) return true;
  if (isArray(value)) return value.some((item) => isDeep(item, left - 1));
  return isPlainObject(value) && Object.values(value).some((item) => isDeep(item, left - 1));
}
