import { types } from "node:util";
import { isArray } from "../base/plain-data.ts";
import { classTag, isErrorObject } from "./encode-builtin.ts";

const DATA_CLASSES: ReadonlySet<string> = new Set(["AsyncGenerator", "Generator", "Promise", "ReadableStream", "URL"]);

// What a function has as own fields without anybody having put it there.
const OF_FUNCTIONS: ReadonlySet<string> = new Set(["length", "name", "prototype"]);

/**
 * Tells whether a member of adapters has members of its own that a step may call: functions, plain objects and class
 * instances. Everything else (primitives, arrays, Dates, Maps, bytes, errors, …) is data, recorded when it is read.
 */
export function isNamespace(value: unknown): value is object {
  if (typeof value === "function") return true;
  return typeof value === "object" && value !== null && !isBuiltinData(value);
}

/**
 * Tells whether a key is never recorded: `then`, an absent `toJSON`, and what every object or function has of itself.
 */
export function isUnrecordedKey(adapter: object, key: string): boolean {
  // The language and printers look for these two on whatever they are given; no step means an adapter by them.
  if (key === "then" || (key === "toJSON" && !(key in adapter))) return true;
  if (typeof adapter === "function" && OF_FUNCTIONS.has(key)) return true;
  const inherited = typeof adapter === "function" ? Function.prototype : Object.prototype;
  return key in inherited && !Object.hasOwn(adapter, key);
}

function isBuiltinData(value: object): boolean {
  return (
    isArray(value) ||
    types.isDate(value) ||
    types.isMap(value) ||
    types.isSet(value) ||
    types.isArrayBufferView(value) ||
    types.isAnyArrayBuffer(value) ||
    types.isRegExp(value) ||
    types.isBoxedPrimitive(value) ||
    isErrorObject(value) ||
    DATA_CLASSES.has(classTag(value))
  );
}
