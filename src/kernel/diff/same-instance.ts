import { isDeepStrictEqual, types } from "node:util";
import { isArray } from "../json/plain-data.ts";
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
  if (!hidesState(before)) return true;
  throw new TypeError(
    `diff: cannot compare two instances of ${classOf(before)} at "${formatPath(path())}": ` +
      "their state is not in their properties. Convert them to plain data first, e.g. by Object.fromEntries().",
  );
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
  return Object.keys(value).length === 0 && !(value instanceof URL);
}

function classOf(value: object): string {
  const { constructor }: { readonly constructor: unknown } = value;
  return typeof constructor === "function" ? constructor.name : "an unknown class";
}

function isError(value: unknown): boolean {
  return value instanceof Error;
}
