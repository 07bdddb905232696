import { types } from "node:util";
import { formatPath } from "../text.ts";
import { TAG, isArray, isOwnPlain, isPlainObject, typeName, withArticle } from "./plain-data.ts";

// Far from overflowing a stack that others already use, far above the depth of real data.
const MAX_DEPTH = 500;

/**
 * Writes a value as canonical JSON (RFC 8785): equal JSON data gives the same text, whatever the order of keys.
 *
 * JSON's own rules apply: `undefined` is `null` at the root and in arrays (holes too) and omitted as a property, NaN
 * and infinities are `null`, `-0` is `0`, `toJSON` is honoured, lone surrogates are escaped, symbol keys and
 * non-enumerable properties are ignored. An own `__proto__` is a key like any other. Depth is not limited. Throws a
 * TypeError that names the path of a value that would silently vanish or collide: bigint, function, symbol, cycle, and
 * instances without `toJSON` (Map, Set, Error, RegExp, typed arrays, boxed primitives). Getters may run twice, and so
 * may `toJSON` methods if data is very deep.
 */
export function stableStringify(value: unknown): string {
  // Data read from a baseline is in order, and checking that and writing it natively takes a fifth less, a quarter less
  // with its hash: the native text is in one piece.
  if (typeof value === "object" && value !== null && isCanonical(value)) return JSON.stringify(value);
  const text = write(value, "", 0);
  // The quick pass knows neither paths nor ancestors, so a value that it refuses goes to the careful one completely.
  return text === NOT_JSON ? walkJson(value) : (text ?? "null");
}

/** Returns the JSON text, `undefined` for what JSON omits, or `NOT_JSON`. */
function write(value: unknown, key: string | number, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return leafJson(value);
  if (!hasToJson(value)) return writeContainer(value, depth);
  // JSON calls toJSON only once, not on its result.
  const answer = value.toJSON(String(key));
  return typeof answer === "object" && answer !== null ? writeContainer(answer, depth) : leafJson(answer);
}

function writeContainer(value: object, depth: number): string {
  if (depth === MAX_DEPTH) return NOT_JSON;
  if (!isArray(value)) return isPlainObject(value) ? writeObject(value, depth + 1) : NOT_JSON;
  let json = "[";
  for (let index = 0; index < value.length; index += 1) {
    const text = write(value[index], index, depth + 1);
    if (text === NOT_JSON) return NOT_JSON;
    json += index === 0 ? (text ?? "null") : `,${text ?? "null"}`;
  }
  return `${json}]`;
}

function writeObject(fields: Readonly<Record<string, unknown>>, depth: number): string {
  const { names, openings, prefixes } = keyOrder(Object.keys(fields));
  let json = "";
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] ?? "";
    const field = fields[name];
    if (field === undefined) continue;
    const prefix = json === "" ? openings[index] : prefixes[index];
    // Texts and numbers, most of the data, are appended here and from left to right: a call and a piece of text less
    // for each (15 % of the total on entities).
    if (typeof field === "string") json = `${json}${prefix}${stringJson(field)}`;
    else if (typeof field === "number") json = `${json}${prefix}${numberJson(field)}`;
    else {
      const text = write(field, name, depth);
      if (text === NOT_JSON) return NOT_JSON;
      if (text !== undefined) json = `${json}${prefix}${text}`;
    }
  }
  return json === "" ? "{}" : `${json}}`;
}

/**
 * Returns true if `JSON.stringify` writes an object or array as canonical JSON: it has only plain data, and the names
 * in each object are in order, as in data read from a file that this library wrote. False if that is uncertain: for
 * proxies, whose reads may count, null prototypes, other realms, and depths from 500 on.
 */
export function isCanonical(value: object, depth: number = 0): boolean {
  if (depth === MAX_DEPTH || types.isProxy(value) || hasToJson(value)) return false;
  if (isArray(value)) {
    for (let index = 0; index < value.length; index += 1) if (!isCanonicalPart(value[index], depth)) return false;
    return true;
  }
  // Not a null prototype: what `JSON.rawJSON` makes has one, and is written as it is.
  return isOwnPlain(value) && areInOrder(value, depth);
}

function areInOrder(fields: Readonly<Record<string, unknown>>, depth: number): boolean {
  let previous = "";
  // By `for in`, which makes no list of the names: half the time. An inherited name can only make the answer false.
  for (const name in fields) {
    if (name < previous || !isCanonicalPart(fields[name], depth)) return false;
    previous = name;
  }
  return true;
}

function isCanonicalPart(value: unknown, depth: number): boolean {
  if (typeof value === "object") return value === null || isCanonical(value, depth + 1);
  return typeof value !== "function" && typeof value !== "bigint" && typeof value !== "symbol";
}

/**
 * The fields of objects of one shape in canonical order: each name unchanged, as JSON writes it first (`{"a":`) and as
 * JSON writes it after others (`,"a":`).
 */
interface KeyOrder {
  readonly names: readonly string[];
  /** True if an object has its names in this order, if they are put into it in this order, and none is `$t`. */
  readonly isKept: boolean;
  readonly openings: readonly string[];
  readonly prefixes: readonly string[];
}

interface KnownOrder extends KeyOrder {
  readonly listed: readonly string[];
}

// Records keyed by id have a shape of their own each; remembering those would only cost memory.
const MAX_NAMES = 32;
const MAX_BUCKETS = 256;
const MAX_PER_BUCKET = 8;

// Workflow data repeats few shapes, and sorting and quoting the names each time is the slow part of canonical writers.
const known = new Map<string, KnownOrder[]>();

/** Puts the keys of an object (`Object.keys`, left untouched) in canonical order; shapes met before are looked up. */
export function keyOrder(listed: readonly string[]): KeyOrder {
  const first = listed[0];
  if (first === undefined || listed.length > MAX_NAMES) return computeOrder(listed);
  const bucket = bucketOf(first);
  for (const order of bucket) if (sameNames(order.listed, listed)) return order;
  const order = computeOrder(listed);
  if (bucket.length === MAX_PER_BUCKET) bucket.length = 0;
  bucket.push(order);
  return order;
}

function bucketOf(first: string): KnownOrder[] {
  const bucket = known.get(first);
  if (bucket !== undefined) return bucket;
  if (known.size === MAX_BUCKETS) known.clear();
  const created: KnownOrder[] = [];
  known.set(first, created);
  return created;
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  // From the end: lists in one bucket begin alike.
  for (let index = a.length - 1; index >= 0; index -= 1) if (a[index] !== b[index]) return false;
  return true;
}

function computeOrder(listed: readonly string[]): KnownOrder {
  const names = sortKeys([...listed]);
  const quoted = names.map(stringJson);
  return {
    listed,
    names,
    isKept: names.every((name, index) => name !== "__proto__" && name !== TAG && keepsOrder(name, names[index - 1])),
    openings: quoted.map((name) => `{${name}:`),
    prefixes: quoted.map((name) => `,${name}:`),
  };
}

/** Objects keep names such as `12` in the order of numbers before all others, wherever they are put. */
function keepsOrder(name: string, previous: string | undefined): boolean {
  if (!isIndex(name) || previous === undefined) return true;
  return isIndex(previous) && Number(previous) < Number(name);
}

function isIndex(name: string): boolean {
  return String(Number(name) >>> 0) === name;
}

/**
 * A value as it would be after a JSON round trip: the data that a stored baseline can represent. Throws a TypeError for
 * a value that JSON cannot represent.
 */
export function jsonOf(value: unknown): unknown {
  return JSON.parse(stableStringify(value));
}

interface Frame {
  readonly source: object;
  readonly items: object;
  /** The names of an object, in canonical order. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
  separator: string;
}

/**
 * The careful pass of `stableStringify`: the same text, written with an explicit stack so that depth cannot overflow,
 * and with a list of the ancestors so that a cycle ends. Throws the TypeErrors that name a path; `part` of each is the
 * value that JSON can't represent.
 */
export function walkJson(root: unknown): string {
  const walk = new JsonWalk();
  return walk.write(root);
}

class JsonWalk {
  readonly #frames: Frame[] = [];
  readonly #ancestors = new Set<object>();
  readonly #parts: string[] = [];

  write(root: unknown): string {
    this.#parts.push(this.#open(root, "") ?? "null");
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.next < frame.length) this.#step(frame);
      else this.#close(frame);
    }
    return this.#parts.join("");
  }

  #step(frame: Frame): void {
    const index = frame.next;
    frame.next += 1;
    const key = frame.keys?.[index];
    const text = this.#open(Reflect.get(frame.items, key ?? index), key ?? String(index));
    if (text === undefined && key !== undefined) return;
    this.#parts.push(`${frame.separator}${key === undefined ? "" : `${stringJson(key)}:`}${text ?? "null"}`);
    frame.separator = ",";
  }

  /** Returns a leaf's text, or the bracket of a container whose frame it opened; `undefined` for what JSON omits. */
  #open(value: unknown, key: string): string | undefined {
    if (typeof value !== "object" || value === null) return this.#leaf(value);
    this.#refuseCycle(value);
    if (!hasToJson(value)) return this.#push(value, value);
    const answer = value.toJSON(key);
    if (typeof answer !== "object" || answer === null) return this.#leaf(answer);
    if (answer !== value) this.#refuseCycle(answer);
    return this.#push(value, answer);
  }

  #leaf(value: unknown): string | undefined {
    const text = leafJson(value);
    return text === NOT_JSON ? this.#refuse(`a ${typeof value}`, value) : text;
  }

  #push(source: object, container: object): string {
    const start = { source, next: 0, separator: "" };
    if (isArray(container)) {
      this.#frames.push({ ...start, items: container, keys: undefined, length: container.length });
    } else if (isPlainObject(container)) {
      const keys = sortKeys(Object.keys(container));
      this.#frames.push({ ...start, items: container, keys, length: keys.length });
    } else {
      this.#refuse(withArticle(typeName(container)), container);
    }
    this.#ancestors.add(source).add(container);
    return isArray(container) ? "[" : "{";
  }

  #close(frame: Frame): void {
    this.#frames.pop();
    this.#ancestors.delete(frame.source);
    this.#ancestors.delete(frame.items);
    this.#parts.push(frame.keys === undefined ? "]" : "}");
  }

  #refuseCycle(value: object): void {
    if (this.#ancestors.has(value)) this.#refuse("a cycle", value);
  }

  #refuse(kind: string, part: unknown): never {
    const path = this.#frames.map((frame) => frame.keys?.[frame.next - 1] ?? frame.next - 1);
    const message = `JSON cannot represent ${kind} at "${formatPath(path)}". Convert it to plain data first`;
    // Not enumerable: a runner prints such fields of an error, and the value may be large and have secrets.
    throw Object.defineProperty(new TypeError(message), "part", { value: part });
  }
}

const LONG = 64;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Writes a string as JSON. A short one that needs no escape skips the native writer: checking its characters costs less
 * than that call or a regular expression's (10 % of the total on small records).
 */
function stringJson(text: string): string {
  if (text.length > LONG) return JSON.stringify(text);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === QUOTE || code === BACKSLASH || (code >= 0xd800 && code <= 0xdfff))
      return JSON.stringify(text);
  }
  return `"${text}"`;
}

/** Writes a number in ECMAScript's own form, as RFC 8785 requires; NaN and infinities, which JSON lacks, are null. */
function numberJson(value: number): string {
  return Number.isFinite(value) ? `${value}` : "null";
}

/** Sorts keys in place by UTF-16 code unit, as RFC 8785 requires; keys already sorted cost one comparison each. */
function sortKeys(keys: string[]): string[] {
  return isSorted(keys) ? keys : keys.sort();
}

/** Result of `leafJson` for values that JSON cannot represent; no JSON text is empty. */
const NOT_JSON = "";

/** Writes a primitive as JSON: `undefined` for what JSON omits, `NOT_JSON` for a bigint, function, symbol or object. */
function leafJson(value: unknown): string | undefined {
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
      return value === null ? "null" : NOT_JSON;
    case "bigint":
    case "function":
    case "symbol":
      return NOT_JSON;
  }
}

/** Returns true if an object has `toJSON`, as a Date does. */
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
