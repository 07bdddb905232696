import { types } from "node:util";
import { escapeText } from "../text.ts";

/** Narrows to an array of unknown elements; `Array.isArray` alone would hand out `any`. Works across realms. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The key that marks a value that JSON lacks in stored data: `{ "$t": "date", "v": "…" }`. */
export const TAG = "$t";

/** Anything with members but a function: plain data, a list, or an instance of any class. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns a member of an object or function; undefined for any other value, or if it has none. */
export function memberOf(value: unknown, name: string | number): unknown {
  return isObject(value) || typeof value === "function" ? Reflect.get(value, name) : undefined;
}

/**
 * Returns true if a value is plain data with named fields: prototype `null`, `Object.prototype`, or the
 * `Object.prototype` of another realm. Arrays, functions and class instances are not plain. Never throws.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return isPlainPrototype(Object.getPrototypeOf(value));
}

/**
 * Returns true if an object has the prototype of this realm's literals: one check; `isPlainObject` makes several.
 */
export function isOwnPlain(value: object): value is Record<string, unknown> {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function isPlainPrototype(prototype: unknown): boolean {
  if (prototype === Object.prototype || prototype === null) return true;
  // Jest runs tests in a vm context, whose literals inherit from that context's own Object.prototype.
  return (
    typeof prototype === "object" &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, "isPrototypeOf")
  );
}

/** Longest list of numbers that is searched for properties: embeddings take long and don't have any. */
const MAX_NUMBERS = 100;

/** Returns true for a list with properties in addition to its elements, as `text.match()` returns it. */
export function hasProperties(list: readonly unknown[]): boolean {
  if (list.length > MAX_NUMBERS && typeof list[0] === "number") return false;
  // Listing values takes half the time of listing keys; a hole has none.
  return Object.values(list).length > list.length || (list.includes(undefined) && propertyNames(list).length > 0);
}

/** Returns the names of a list's properties. */
export function propertyNames(list: readonly unknown[]): readonly string[] {
  return Object.keys(list).filter((name) => !/^\d+$/.test(name));
}

/** The data of a JSON text; undefined, which isn't a JSON value, if the text isn't JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Writes an own enumerable field, also under a name that objects inherit: assignment would turn `__proto__` into the
 * prototype, and fail on `toString` if `Object.prototype` is frozen.
 */
export function setOwnField(target: Record<string, unknown>, name: string, value: unknown): void {
  if (!(name in target)) {
    target[name] = value;
    return;
  }
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Names what kind of value this is, for messages: `null`, `array`, `object` for a plain object, the class name of an
 * instance (`Map`, `Error`), else the `typeof`. Terminal-safe. Never throws.
 */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  try {
    if (isArray(value)) return "array";
    return isPlainObject(value) ? "object" : className(value);
  } catch {
    // A revoked proxy or a throwing getter must not hide the message this name is meant for.
    return "object";
  }
}

/** Puts the indefinite article before a name: `a Map`, `an Error`. */
export function withArticle(name: string): string {
  // "u" is left out: the names that begin with it are spoken "you" (Uint8Array, URL).
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}

function className(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== "object" || prototype === null) return "object";
  const name: unknown = prototype.constructor?.name;
  return typeof name === "string" && name !== "" ? escapeText(name) : "class instance";
}

/**
 * A deep copy of data, made in the caller's realm (structuredClone's objects belong to another one under Jest). Arrays,
 * plain objects, Dates, Maps and Sets are copied, cycles and shared parts preserved; anything else is copied by
 * reference. Depth is not limited.
 */
export function cloneData(value: unknown): unknown {
  const copies = new Copies();
  const copy = copies.of(value);
  copies.fill();
  return copy;
}

/** The copies made so far. Each is made empty and filled later, so that neither depth nor a cycle ends the work. */
class Copies {
  readonly #copies = new Map<object, unknown>();
  readonly #unfilled: (() => void)[] = [];

  of(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (!this.#copies.has(value)) this.#copies.set(value, this.#emptyCopy(value));
    return this.#copies.get(value);
  }

  fill(): void {
    for (let next = this.#unfilled.pop(); next !== undefined; next = this.#unfilled.pop()) next();
  }

  #emptyCopy(value: object): object {
    if (isArray(value)) return this.#later<unknown[]>([], (copy) => this.#fillArray(copy, value));
    if (isPlainObject(value)) {
      const empty: Record<string, unknown> = {};
      const prototype = Reflect.getPrototypeOf(value);
      if (prototype !== Object.prototype) Reflect.setPrototypeOf(empty, prototype);
      return this.#later(empty, (copy) => this.#fillObject(copy, value));
    }
    if (types.isDate(value)) return new Date(value);
    if (types.isMap(value)) {
      return this.#later(new Map(), (copy) => value.forEach((item, key) => copy.set(this.of(key), this.of(item))));
    }
    if (types.isSet(value)) return this.#later(new Set(), (copy) => value.forEach((item) => copy.add(this.of(item))));
    return value;
  }

  #later<C extends object>(copy: C, fill: (copy: C) => void): C {
    this.#unfilled.push(() => fill(copy));
    return copy;
  }

  #fillArray(copy: unknown[], items: readonly unknown[]): void {
    for (const item of items) copy.push(this.of(item));
    if (!hasProperties(items)) return;
    for (const [name, item] of Object.entries(items))
      if (!(name in copy)) Object.assign(copy, { [name]: this.of(item) });
  }

  #fillObject(copy: Record<string, unknown>, fields: Readonly<Record<string, unknown>>): void {
    for (const name of Object.keys(fields)) setOwnField(copy, name, this.of(fields[name]));
  }
}
