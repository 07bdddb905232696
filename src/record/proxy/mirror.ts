/**
 * Proxy traps that make a stub look like `original`: same keys, same prototype, writes go through. Values are read with
 * `read`. The proxy's target is the stub, so frozen originals and private fields cause no trouble.
 */
export function mirrorTraps(original: object, read: (key: string | symbol) => unknown): ProxyHandler<object> {
  return {
    get: (_stub, key) => read(key),
    set: (_stub, key, value: unknown) => Reflect.set(original, key, value),
    has: (_stub, key) => Reflect.has(original, key),
    deleteProperty: (_stub, key) => Reflect.deleteProperty(original, key),
    ownKeys: () => Reflect.ownKeys(original),
    getPrototypeOf: () => Reflect.getPrototypeOf(original),
    getOwnPropertyDescriptor: (_stub, key) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(original, key);
      return descriptor && describeField(descriptor.enumerable === true, () => read(key));
    },
  };
}

/** Returns the stub of a proxy. It has no fixed fields, so frozen originals don't restrict the proxy. */
export function proxyStub(original: object): object {
  // A bound function can be constructed and has no `prototype`, which would be a fixed field.
  return typeof original === "function" ? noOriginal.bind(undefined) : {};
}

function noOriginal(): void {}

/** Returns a descriptor for a proxy's field. It is an accessor, so listing keys doesn't read values. */
export function describeField(enumerable: boolean, get: () => unknown): PropertyDescriptor {
  return { configurable: true, enumerable, get };
}

/** Reads a field of the original. A method is bound to the original, because only it has the private fields. */
export function readBound(original: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(original, key, original);
  if (typeof value !== "function" || key === "constructor") return value;
  return (...args: unknown[]): unknown => Reflect.apply(value, original, args);
}

/** Returns two streams with the chunks of one, each read at its own pace. The source ends once both are left. */
export function teeChunks(source: AsyncIterator<unknown, unknown, unknown>): readonly AsyncGenerator[] {
  const results: Promise<IteratorResult<unknown, unknown>>[] = [];
  let open = 2;
  async function* branch(): AsyncGenerator {
    try {
      for (let index = 0; ; index += 1) {
        const { done, value } = await (results[index] ??= source.next());
        if (done === true) return value;
        yield value;
      }
    } finally {
      open -= 1;
      if (open === 0) await source.return?.();
    }
  }
  return [branch(), branch()];
}

// The object behind each proxy. A proxy looks like its original, so only a register can distinguish them.
const originals = new WeakMap<object, object>();

/** Registers the proxy of an adapter, so that veritest recognises it if a step passes it on as an argument. */
export function registerAdapterProxy(proxy: object, original: object): void {
  originals.set(proxy, original);
}

// Responses with methods are data, too: their stubs are unwrapped like proxies, but not recorded as adapters.
const responses = new WeakMap<object, object>();

/** Registers the stub of a response, so that adapters it is passed to get the response itself. */
export function registerResponseProxy(mirror: object, response: object): void {
  responses.set(mirror, response);
}

/** Returns true if an object is a proxy made to record or replay adapters. */
export function isAdapterProxy(value: object): boolean {
  return originals.has(value);
}

/** Returns true for a response or stream of a recorded call: its content is recorded there. */
export function isRecordedResponse(value: object): boolean {
  return responses.has(value);
}

/** Returns the adapter behind a proxy; any other value is returned unchanged. */
export function withoutProxy(value: unknown): unknown {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  return isObject ? (originals.get(value) ?? responses.get(value) ?? value) : value;
}
