import { types } from "node:util";

/** What an object has beyond its own fields. */
export interface InstanceMembers {
  /** The names of its getters, each with a function that reads it. */
  readonly getters: ReadonlyMap<string, () => unknown>;
  /** The names of its methods. */
  readonly methods: readonly string[];
}

/**
 * Lists what a class gives its instance; undefined when that is nothing, so that the instance is no more than its
 * fields.
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

/** What a getter gives; undefined where it throws, as some do in certain states. */
function readGetter(value: object, name: string): unknown {
  try {
    const got: unknown = Reflect.get(value, name);
    // Nobody may ever ask for this promise.
    if (types.isPromise(got)) got.catch(() => undefined);
    return got;
  } catch {
    return undefined;
  }
}

/** The members of the classes between an object and `Object`, each name once, the nearest first. */
export function inheritedMembers(value: object): ReadonlyMap<string, PropertyDescriptor> {
  const members = new Map<string, PropertyDescriptor>();
  for (let proto = Reflect.getPrototypeOf(value); proto !== null; proto = Reflect.getPrototypeOf(proto)) {
    // The last of a chain is `Object.prototype`, of whatever realm.
    if (Reflect.getPrototypeOf(proto) === null) break;
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(proto))) {
      const isHidden = name === "constructor" || name === "__proto__" || Object.hasOwn(value, name);
      if (!isHidden && !members.has(name)) members.set(name, descriptor);
    }
  }
  return members;
}
