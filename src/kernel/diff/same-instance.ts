import { isDeepStrictEqual, types } from "node:util";
import { isArray, isPlainObject } from "../json/plain-data.ts";
import { formatPath } from "../text.ts";

/**
 * Returns true if two instances of classes are equal. Throws a TypeError with the path if they look equal, but may have
 * state that no property shows.
 */
export function isSameInstance(before: object, after: object, path: () => readonly (string | number)[]): boolean {
  if (before === after) return true;
  // A Date has no data in own fields; isDate works across realms.
  if (types.isDate(before) && types.isDate(after)) return Object.is(before.getTime(), after.getTime());
  if (!isDeepStrictEqual(before, after)) return false;
  const hidden = hiddenIn(before, after, new Set());
  if (hidden === undefined) return true;
  throw new TypeError(
    `diff: can't compare two instances of ${classOf(hidden)} at "${formatPath(path())}": their state isn't ` +
      "in their properties. Convert them to plain data first, e.g. with Object.fromEntries().",
  );
}

/** Returns an instance with hidden state in two equal values that isn't the same one in both. */
function hiddenIn(before: unknown, after: unknown, seen: Set<unknown>): object | undefined {
  if (typeof before !== "object" || before === null || before === after || seen.has(before)) return undefined;
  seen.add(before);
  if (hidesState(before)) return before;
  for (const [was, is] of partsOf(before, after)) {
    const hidden = hiddenIn(was, is, seen);
    if (hidden !== undefined) return hidden;
  }
  return undefined;
}

/** The parts of two equal values: a key or an item that isn't the same in both has no counterpart. */
function partsOf(before: object, after: unknown): readonly (readonly [unknown, unknown])[] {
  if (types.isMap(before) && types.isMap(after))
    return [...before].flatMap(([key, value]) => [
      [key, after.has(key) ? key : undefined],
      [value, after.get(key)],
    ]);
  if (types.isSet(before) && types.isSet(after))
    return [...before].map((item) => [item, after.has(item) ? item : undefined]);
  if (ArrayBuffer.isView(before) || typeof after !== "object" || after === null) return [];
  return Reflect.ownKeys(before).map((name) => [Reflect.get(before, name), Reflect.get(after, name)]);
}

/** Built-in classes whose state `isDeepStrictEqual` compares. */
const READABLE: readonly ((value: unknown) => boolean)[] = [
  types.isDate,
  types.isMap,
  types.isSet,
  types.isRegExp,
  isError,
  types.isArrayBufferView,
  types.isAnyArrayBuffer,
  types.isBoxedPrimitive,
];

/**
 * Returns true for an instance without own properties, such as Headers or FormData: if two of them look equal, that
 * says nothing about their state.
 */
function hidesState(value: object): boolean {
  if (isArray(value) || typeof value === "function" || READABLE.some((isReadable) => isReadable(value))) return false;
  return Object.keys(value).length === 0 && !(value instanceof URL) && !isPlainObject(value);
}

function classOf(value: object): string {
  const { constructor }: { readonly constructor: unknown } = value;
  return typeof constructor === "function" ? constructor.name : "an unknown class";
}

function isError(value: unknown): boolean {
  return value instanceof Error;
}
