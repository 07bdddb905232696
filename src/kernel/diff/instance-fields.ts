import { types } from "node:util";
import { isPlainObject, propertyNames } from "../json/plain-data.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the fields of a value that paths lead into: those of a plain object, the entries of a Map whose keys are
 * strings, the name, message, cause and own fields of an error. Undefined for other values.
 */
export function fieldsIn(value: unknown): Fields | undefined {
  if (isPlainObject(value)) return value;
  if (types.isMap(value)) {
    const entries = [...value].filter((entry): entry is [string, unknown] => typeof entry[0] === "string");
    return entries.length === value.size ? Object.fromEntries(entries) : undefined;
  }
  if (!(value instanceof Error)) return undefined;
  const { name, message, cause } = value;
  return { ...Object.fromEntries(Object.entries(value)), name, message, ...(cause !== undefined && { cause }) };
}

/** Returns the properties of a list. */
export function listProperties(list: readonly unknown[]): Fields {
  return Object.fromEntries(propertyNames(list).map((name) => [name, Reflect.get(list, name)]));
}
