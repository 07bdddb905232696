import { AsyncLocalStorage } from "node:async_hooks";

type Values = Readonly<Record<string, unknown>>;

/**
 * The one storage of all scopes. It is on the global object because the runner's set-up file, the main entry and
 * `veritest/fetch` may each bring a copy of this module.
 */
const STORAGE = Symbol.for("veritest.scopes");

function storage(): AsyncLocalStorage<Values> {
  const known: unknown = Reflect.get(globalThis, STORAGE);
  if (known instanceof AsyncLocalStorage) return known;
  const made = new AsyncLocalStorage<Values>();
  Object.defineProperty(globalThis, STORAGE, { value: made, configurable: true });
  return made;
}

/** Returns the scope of a name: a value for one asynchronous context, beside the values of other scopes. */
export function asyncScope<T>(name: string, isValue: (value: unknown) => value is T): AsyncScope<T> {
  return {
    get: () => {
      const value = storage().getStore()?.[name];
      return isValue(value) ? value : undefined;
    },
    run: (value, body) => {
      const scopes = storage();
      return scopes.run({ ...scopes.getStore(), [name]: value }, body);
    },
  };
}

/** See {@link asyncScope}. */
export interface AsyncScope<T> {
  /** The value that holds here; undefined outside of every `run`. */
  readonly get: () => T | undefined;
  /** Calls a function for which, and for all it starts, the value holds. */
  readonly run: <R>(value: T, body: () => R) => R;
}
