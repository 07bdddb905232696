import { AsyncLocalStorage } from "node:async_hooks";
import { isPlainObject } from "./json/plain-data.ts";

/**
 * The one storage of all scopes. It is on the global object because the runner's set-up file, the main entry and
 * `veritest/fetch` may each bring a copy of this module.
 */
const STORAGE = Symbol.for("veritest.scopes");

function storage(): AsyncLocalStorage<unknown> {
  const known: unknown = Reflect.get(globalThis, STORAGE);
  if (known instanceof AsyncLocalStorage) return known;
  const made = new AsyncLocalStorage<unknown>();
  Object.defineProperty(globalThis, STORAGE, { value: made, configurable: true });
  return made;
}

/** Returns the current values of all scopes. */
function valuesHere(): Readonly<Record<string, unknown>> {
  const values = storage().getStore();
  return isPlainObject(values) ? values : {};
}

/** Returns the scope of a name: a value for one asynchronous context, along with the values of other scopes. */
export function asyncScope<T>(name: string, isValue: (value: unknown) => value is T): AsyncScope<T> {
  return {
    get: () => {
      const value = valuesHere()[name];
      return isValue(value) ? value : undefined;
    },
    run: (value, body) => storage().run({ ...valuesHere(), [name]: value }, body),
  };
}

/** See {@link asyncScope}. */
export interface AsyncScope<T> {
  /** Returns the current value; undefined outside of every `run`. */
  readonly get: () => T | undefined;
  /** Calls a function with the value, which also applies to all it starts. */
  readonly run: <R>(value: T, body: () => R) => R;
}
