import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { inheritedMembers, isNamespace } from "../encode/members.ts";
import { inAdapter, isInAdapter } from "../interceptors/recording-scope.ts";
import type { CallLog } from "./call-log.ts";

/** Records uses of a call's response. Its methods are adapters, too, each at its own path. */
export interface RecordMember {
  readonly log: CallLog;
  /** Returns a recording stub for an object at a path. */
  readonly record: (adapter: object, path: string) => object;
  /** Object whose method is called. */
  readonly owner?: object;
}

/** Returns true if a response has methods. An object with `toJSON` is data, whatever other methods it has. */
export function hasMethods(response: object): boolean {
  // Nearly all values are plain data.
  if (isPlainObject(response)) return Object.values(response).some(isFunction) && !isFunction(response["toJSON"]);
  if (!isNamespace(response) || typeof Reflect.get(response, "toJSON") === "function") return false;
  const hasOwnMethod = Object.values(Object.getOwnPropertyDescriptors(response)).some(
    ({ value }) => typeof value === "function",
  );
  return (
    hasOwnMethod ||
    [...inheritedMembers(response).values()].some((descriptor) => "get" in descriptor || isFunction(descriptor.value))
  );
}

/** A method of a response, and the path of the response. */
export interface ResponseMethod {
  /** Object that has the method. */
  readonly methods: object;
  readonly key: string;
  readonly path: string;
  readonly member: RecordMember;
}

/** Calls a method of a response and records the call. */
export function recordMethod(
  { methods, key, path, member }: ResponseMethod,
  self: object,
  args: readonly unknown[],
): unknown {
  if (args.some((arg) => typeof arg === "function")) {
    member.log.refuse(
      `${path}.${key}`,
      "was called with a function, which a recording can't call. Read the response, or await its result",
    );
    return inAdapter(() => callOf(Reflect.get(methods, key), self, args));
  }
  return callOf(Reflect.get(member.record(methods, path), key), self, args);
}

/** Where the methods of each object are recorded: a stream may give the same chunk again. */
const locations = new WeakMap<object, Pick<ResponseMethod, "path" | "member">>();

/**
 * Records calls of an object's methods from outside of adapters. The object isn't replaced by a stub, because it may be
 * cloned, or have private fields. A frozen object stays as it is.
 */
export function recordMethods(object: object, location: Pick<ResponseMethod, "path" | "member">): void {
  const isRecorded = locations.has(object);
  locations.set(object, location);
  if (isRecorded || !Object.isExtensible(object)) return;
  const recorded = (key: string, descriptor: PropertyDescriptor): PropertyDescriptor => {
    const method: unknown = descriptor.value;
    const call = (...args: readonly unknown[]): unknown => {
      const at = isInAdapter() ? undefined : locations.get(object);
      return at === undefined
        ? callOf(method, object, args)
        : recordMethod({ methods: { [key]: method }, key, ...at }, object, args);
    };
    return { ...descriptor, value: call };
  };
  const own = Object.entries(Object.getOwnPropertyDescriptors(object));
  for (const [key, descriptor] of own.filter(([, { value }]) => isFunction(value)))
    Reflect.defineProperty(object, key, recorded(key, descriptor));
  const inherited = [...inheritedMembers(object)].filter(([, { value }]) => isFunction(value));
  const methods = Object.fromEntries(inherited.map(([key, descriptor]) => [key, recorded(key, descriptor)]));
  const prototype: object = Object.defineProperties({}, methods);
  Reflect.setPrototypeOf(prototype, Reflect.getPrototypeOf(object));
  Reflect.setPrototypeOf(object, prototype);
}

/** Calls a method of an object; undefined if it isn't a function. */
export function callOf(method: unknown, self: unknown, args: readonly unknown[]): unknown {
  if (typeof method !== "function") return undefined;
  const result: unknown = Reflect.apply(method, self, args);
  return result;
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}
