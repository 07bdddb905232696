import { isDeepStrictEqual, types } from "node:util";
import { isArray } from "../../kernel/json/plain-data.ts";
import { isPlainJson } from "../../kernel/json/stored-json.ts";
import { classTag, isErrorObject } from "./builtins.ts";

const DATA_CLASSES: ReadonlySet<string> = new Set([
  "AsyncGenerator",
  "Generator",
  "Headers",
  "Promise",
  "ReadableStream",
  "URL",
  "URLSearchParams",
]);

// Own fields that every function has.
const OF_FUNCTIONS: ReadonlySet<string> = new Set(["length", "name", "prototype"]);

/**
 * Returns true if a member of adapters has members that a step may call: functions, plain objects and class instances.
 * Any other value (primitives, arrays, Dates, Maps, bytes, errors, …) is data, recorded when it is read.
 */
export function isNamespace(value: unknown): value is object {
  if (typeof value === "function") return true;
  return typeof value === "object" && value !== null && !isBuiltinData(value);
}

/** Returns true if a key is never recorded: `then`, an absent `toJSON`, and members of every object or function. */
export function isUnrecordedKey(adapter: object, key: string): boolean {
  // The language and printers look for these two on any value; a step doesn't use them as adapters.
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

/** Members of an object in addition to its own fields. */
export interface InstanceMembers {
  /** The names of its getters, each with a function that reads it. */
  readonly getters: ReadonlyMap<string, () => unknown>;
  /** The names of its methods. */
  readonly methods: readonly string[];
}

/**
 * Lists the members that a class gives its instance; undefined if there are none, so the instance only has its fields.
 */
export function instanceMembers(value: object): InstanceMembers | undefined {
  const getters = new Map<string, () => unknown>();
  const methods: string[] = [];
  for (const [name, descriptor] of inheritedMembers(value)) {
    if (descriptor.get !== undefined) getters.set(name, () => readGetter(value, name));
    else if (typeof descriptor.value === "function") methods.push(name);
  }
  return getters.size === 0 && methods.length === 0 ? undefined : { getters, methods: methods.toSorted() };
}

/** Code of a getter that reads a private field, also as compilers write it for older engines. */
const READS_PRIVATE = /#|private_?(?:field_?)?get/i;

/** Code of a getter that changes its object or reads the time. */
const VARIES = /\+\+|--|[^=!<>]=[^=>]|\bnow\(|\bnew Date\(\)|\brandom\(/;

/** Lists the getters of an instance that read its private fields and return data: others compute from its fields. */
export function privateGetters(value: object): InstanceMembers["getters"] {
  return dataGetters(value, (code) => READS_PRIVATE.test(code));
}

/** Lists the getters of an error that return data, and the same data twice. */
export function errorGetters(error: object): InstanceMembers["getters"] {
  return new Map([...dataGetters(error, () => true)].filter(([, read]) => isDeepStrictEqual(read(), read())));
}

/** The code of steady getters by the prototype that has them, so that it's read once for many instances. */
const steadyGetters = new WeakMap<object, readonly (readonly [name: string, code: string])[]>();

function steadyGettersOf(value: object): readonly (readonly [name: string, code: string])[] {
  const prototype = Reflect.getPrototypeOf(value);
  if (prototype === null) return [];
  const known = steadyGetters.get(prototype);
  if (known !== undefined) return known;
  const instance = {};
  Reflect.setPrototypeOf(instance, prototype);
  const getters = [...inheritedMembers(instance)]
    .map(([name, member]) => [name, member.get?.toString() ?? ""] as const)
    .filter(([, code]) => code !== "" && !VARIES.test(code));
  steadyGetters.set(prototype, getters);
  return getters;
}

function dataGetters(value: object, isListed: (code: string) => boolean): InstanceMembers["getters"] {
  const getters = new Map<string, () => unknown>();
  for (const [name, code] of steadyGettersOf(value)) {
    if (!isListed(code) || Object.hasOwn(value, name)) continue;
    const item = readGetter(value, name);
    if (isPlainJson(item) || typeof item === "bigint" || types.isDate(item))
      getters.set(name, () => readGetter(value, name));
  }
  return getters;
}

/** Returns the value of a getter; undefined if it throws, as some do in certain states. */
function readGetter(value: object, name: string): unknown {
  try {
    const got: unknown = Reflect.get(value, name);
    // This promise may never be awaited.
    if (types.isPromise(got)) got.catch(() => undefined);
    return got;
  } catch {
    return undefined;
  }
}

/** Returns the members of the classes between an object and `Object`, each name once, the nearest first. */
export function inheritedMembers(value: object): ReadonlyMap<string, PropertyDescriptor> {
  const members = new Map<string, PropertyDescriptor>();
  for (let proto = Reflect.getPrototypeOf(value); proto !== null; proto = Reflect.getPrototypeOf(proto)) {
    // The last of a chain is `Object.prototype` of any realm.
    if (Reflect.getPrototypeOf(proto) === null) break;
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(proto))) {
      const isHidden = name === "constructor" || name === "__proto__" || Object.hasOwn(value, name);
      if (!isHidden && !members.has(name)) members.set(name, descriptor);
    }
  }
  return members;
}
