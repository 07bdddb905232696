/**
 * Proxy traps that make a stand-in look like `original`: same keys, same prototype, writes go through. Values come
 * from `read`; the stand-in is the proxy's target, so frozen originals and private fields cause no trouble.
 */
export function mirrorTraps(original: object, read: (key: string | symbol) => unknown): ProxyHandler<object> {
  return {
    get: (_standIn, key) => read(key),
    set: (_standIn, key, value: unknown) => Reflect.set(original, key, value),
    has: (_standIn, key) => Reflect.has(original, key),
    deleteProperty: (_standIn, key) => Reflect.deleteProperty(original, key),
    ownKeys: () => Reflect.ownKeys(original),
    getPrototypeOf: () => Reflect.getPrototypeOf(original),
    getOwnPropertyDescriptor: (_standIn, key) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(original, key);
      return descriptor && describeField(descriptor.enumerable === true, () => read(key));
    },
  };
}

/** A descriptor for a proxy's field: an accessor, so that listing keys reads no values. */
export function describeField(enumerable: boolean, get: () => unknown): PropertyDescriptor {
  return { configurable: true, enumerable, get };
}

/** Reads a field of the original; a method is bound to it, since private fields exist on the original alone. */
export function readBound(original: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(original, key, original);
  if (typeof value !== "function" || key === "constructor") return value;
  return (...args: unknown[]): unknown => Reflect.apply(value, original, args);
}

// The object behind each proxy. A proxy looks like what it stands for, so only a register can tell them apart.
const originals = new WeakMap<object, object>();

/** Remembers that a proxy stands for an adapter, so that it is recognised when a step passes it on as an argument. */
export function registerAdapterProxy(proxy: object, original: object): void {
  originals.set(proxy, original);
}

// Answers with methods are data, too: their stand-ins are unwrapped like proxies, but not recorded as adapters.
const answers = new WeakMap<object, object>();

/** Remembers that a stand-in stands for an answer, so that the adapters it is handed to get the answer itself. */
export function registerAnswerMirror(mirror: object, answer: object): void {
  answers.set(mirror, answer);
}

/** Tells whether an object is a proxy made for recording or serving adapters. */
export function isAdapterProxy(value: object): boolean {
  return originals.has(value);
}

/** The adapter itself behind a proxy of it; any other value comes back as it is. */
export function withoutProxy(value: unknown): unknown {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  return isObject ? (originals.get(value) ?? answers.get(value) ?? value) : value;
}
