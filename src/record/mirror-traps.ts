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
