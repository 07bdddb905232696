import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The value that holds in one asynchronous context, under a name that all copies of this module share: the runner's
 * set-up file, the main entry and `veritest/fetch` may each bring one.
 */
export function asyncScope<T>(name: string, isValue: (value: unknown) => value is T): AsyncScope<T> {
  const key = Symbol.for(`veritest.${name}`);
  const storage = (): AsyncLocalStorage<unknown> => {
    const known: unknown = Reflect.get(globalThis, key);
    if (known instanceof AsyncLocalStorage) return known;
    const made = new AsyncLocalStorage<unknown>();
    Object.defineProperty(globalThis, key, { value: made, configurable: true });
    return made;
  };
  return {
    get: () => {
      const value = storage().getStore();
      return isValue(value) ? value : undefined;
    },
    run: (value, body) => storage().run(value, body),
  };
}

/** See {@link asyncScope}. */
export interface AsyncScope<T> {
  /** The value that holds here; undefined outside of every `run`. */
  readonly get: () => T | undefined;
  /** Calls a function for which, and for all it starts, the value holds. */
  readonly run: <R>(value: T, body: () => R) => R;
}
