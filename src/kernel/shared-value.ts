/**
 * Returns the function that returns the one value that all copies of a module share: a set-up file and a test may load
 * the package in two formats. `name` is its key on the global object. `create` makes it at the first use.
 */
export function sharedValue<T>(name: string, isValue: (value: unknown) => value is T, create: () => T): () => T {
  // Scopes are read several times in each recorded call.
  let value: T | undefined;
  return () => (value ??= valueOnGlobal(Symbol.for(`veritest.${name}`), isValue, create));
}

function valueOnGlobal<T>(key: symbol, isValue: (value: unknown) => value is T, create: () => T): T {
  const known: unknown = Reflect.get(globalThis, key);
  if (isValue(known)) return known;
  const value = create();
  Object.defineProperty(globalThis, key, { value, configurable: true });
  return value;
}
