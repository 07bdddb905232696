import { AsyncLocalStorage } from "node:async_hooks";
import { isPlainObject } from "./json/plain-data.ts";
import { sharedValue } from "./shared-value.ts";

/** The one storage of all scopes. */
const storage = sharedValue("scopes", isStorage, () => new AsyncLocalStorage());

function isStorage(value: unknown): value is AsyncLocalStorage<unknown> {
  return value instanceof AsyncLocalStorage;
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
