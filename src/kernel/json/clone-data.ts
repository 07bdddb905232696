import { types } from "node:util";
import { isArray, isPlainObject, setOwnField } from "./plain-data.ts";

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
  }

  #fillObject(copy: Record<string, unknown>, fields: Readonly<Record<string, unknown>>): void {
    for (const name of Object.keys(fields)) setOwnField(copy, name, this.of(fields[name]));
  }
}
