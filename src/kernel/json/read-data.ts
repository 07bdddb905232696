import { isArray, isPlainObject } from "./plain-data.ts";

/** Named fields of unchecked data. */
type UncheckedFields = Readonly<Record<string, unknown>>;

/** Returns plain data as it is, and no fields for any other value. */
export function recordIn(value: unknown): UncheckedFields {
  return isPlainObject(value) ? value : {};
}

/** Returns an array as it is, and an empty one for any other value. */
export function listIn(value: unknown): readonly unknown[] {
  return isArray(value) ? value : [];
}

/** Returns the elements of an array that are plain data; none for any other value. */
export function recordsIn(value: unknown): readonly UncheckedFields[] {
  return listIn(value).filter(isPlainObject);
}
