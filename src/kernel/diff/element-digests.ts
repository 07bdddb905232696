import { types } from "node:util";
import { hasToJson } from "../json/canonical-json.ts";
import { isArray, isPlainObject, typeName } from "../json/plain-data.ts";

/** Characters of a string that are hashed one by one; of a longer one, the engine's own hash is faster. */
const SHORT = 256;
/** A number and its two halves of 32 bits. */
const DOUBLE = new Float64Array(1);
const HALVES = new Int32Array(DOUBLE.buffer);
/** Names of fields whose digests are kept. */
const NAMES = 128;
// Far from overflowing a stack that others already use.
const MAX_DEPTH = 200;

/**
 * Digests of the elements of two lists, 32 bits each: equal elements have the same one, and unequal elements seldom do.
 * A digest takes about the time of a comparison, and canonical JSON five times as long.
 */
export class ElementDigests {
  /** Numbers of long strings. */
  readonly #texts = new Map<string, number>();
  /** The last name at each depth and index. */
  readonly #names: string[] = [];
  readonly #nameDigests: number[] = [];

  /** Throws an error for an element that is undefined, too deep, or has a function, a symbol or hidden state. */
  of(element: unknown): number {
    if (element === undefined) throw NO_DIGEST;
    return this.#digest(element, 0);
  }

  #digest(value: unknown, depth: number): number {
    switch (typeof value) {
      case "string":
        return this.#textDigest(value);
      case "number":
        return this.#numberDigest(value);
      case "boolean":
        return value ? 0x3a_8f_05_c5 : 0x1f_12_3b_b5;
      case "undefined":
        return 0x51_2e_9a_4d;
      case "object":
        return value === null ? 0x2c_1b_3c_6d : this.#objectDigest(value, depth);
      case "bigint":
        return mixed(this.#textDigest(String(value)), 11);
      case "function":
      case "symbol":
        throw NO_DIGEST;
    }
  }

  #objectDigest(value: object, depth: number): number {
    if (depth === MAX_DEPTH) throw NO_DIGEST;
    if (hasToJson(value)) {
      // Compared by time. Its JSON text takes ten times as long.
      if (types.isDate(value)) return mixed(this.#numberDigest(value.getTime()), 9);
      return mixed(this.#digest(value.toJSON(""), depth + 1), 3);
    }
    let sum = 0x29_7a_2d_39;
    if (isArray(value)) {
      for (let index = 0; index < value.length; index += 1) sum = mixed(sum, this.#digest(value[index], depth + 1));
      return sum;
    }
    if (!isPlainObject(value)) return this.#instanceDigest(value, depth);
    // A sum, because the order of fields has no meaning.
    let index = 0;
    // Unlike Object.keys this makes no list. An inherited name, which no literal has, only makes digests differ.
    for (const name in value) {
      const field = value[name];
      if (field === undefined) continue;
      // Elements of a list mostly have the same names in the same order.
      const slot = (depth * 16 + index) % NAMES;
      index += 1;
      if (this.#names[slot] !== name) {
        this.#names[slot] = name;
        this.#nameDigests[slot] = this.#textDigest(name);
      }
      sum = (sum + mixed(this.#nameDigests[slot] ?? 0, this.#digest(field, depth + 1))) | 0;
    }
    return sum;
  }

  /** Digest of the data of an instance, in any order of the entries of a Map or Set. */
  #instanceDigest(value: object, depth: number): number {
    const entry = (key: unknown, item: unknown): number =>
      mixed(this.#digest(key, depth + 1), this.#digest(item, depth + 1));
    let sum = this.#textDigest(typeName(value));
    if (types.isMap(value)) for (const [key, item] of value) sum = (sum + entry(key, item)) | 0;
    else if (types.isSet(value)) for (const item of value) sum = (sum + entry(null, item)) | 0;
    else if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) {
      const bytes = ArrayBuffer.isView(value)
        ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
        : new Uint8Array(value);
      for (const byte of bytes) sum = mixed(sum, byte);
    } else {
      const names = value instanceof Error ? ["name", "message", ...Object.keys(value)] : Object.keys(value);
      if (names.length === 0 && !types.isRegExp(value)) throw NO_DIGEST;
      if (types.isRegExp(value)) sum = mixed(sum, this.#textDigest(String(value)));
      for (const name of names) sum = (sum + entry(name, Reflect.get(value, name))) | 0;
    }
    return sum;
  }

  #textDigest(text: string): number {
    const { length } = text;
    if (length > SHORT) {
      const number = this.#texts.get(text) ?? this.#texts.size;
      if (number === this.#texts.size) this.#texts.set(text, number);
      return mixed(number, length);
    }
    let hash = length;
    for (let index = 0; index < length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
    return mixed(hash, 5);
  }

  #numberDigest(value: number): number {
    // Also true for -0, which equals 0.
    if ((value | 0) === value) return mixed(value | 0, 7);
    if (Number.isNaN(value)) return 0x68_e3_1d_a4;
    DOUBLE[0] = value;
    return mixed(HALVES[0] ?? 0, HALVES[1] ?? 0);
  }
}

const NO_DIGEST = new Error("No digest.");

/** Spreads two numbers over 32 bits. */
function mixed(a: number, b: number): number {
  let hash = Math.imul(a ^ (a >>> 16) ^ Math.imul(b, 0x5b_d1_e9_95), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return hash ^ (hash >>> 16);
}
