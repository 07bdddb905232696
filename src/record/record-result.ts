import { types } from "node:util";
import type { CallTape } from "./call-tape.ts";
import { mirrorTraps, readBound } from "./mirror-traps.ts";
import { isAsyncIterable, recordStream } from "./record-stream.ts";

/** Records what an adapter returned, whatever its form; the answer is what the step gets in its place. */
export function recordResult(result: unknown, tape: CallTape): unknown {
  if (isThenable(result)) return recordPromise(result, tape);
  return recordSettled(result, tape);
}

function recordSettled(value: unknown, tape: CallTape): unknown {
  if (isAsyncIterable(value)) return recordStream(value, tape);
  tape.returned(value);
  return value;
}

function recordPromise(promise: PromiseLike<unknown>, tape: CallTape): unknown {
  tape.promised();
  const follow = (): Promise<unknown> =>
    Promise.resolve(promise).then(
      (value) => recordSettled(value, tape),
      (error: unknown) => {
        tape.threw(error);
        throw error;
      },
    );
  return isPlainPromise(promise) ? follow() : mirrorPromise(promise, follow);
}

/** A stand-in for a promise with methods of its own (an SDK's, a query builder's): only awaiting it is recorded. */
function mirrorPromise(promise: PromiseLike<unknown>, follow: () => Promise<unknown>): unknown {
  let followed: Promise<unknown> | undefined;
  // Not before the step asks: a lazy thenable starts its work in `then`.
  const settled = (): Promise<unknown> => (followed ??= follow());
  const read = (key: string | symbol): unknown =>
    key === "then" || key === "catch" || key === "finally" ? readBound(settled(), key) : readBound(promise, key);
  return new Proxy<object>({}, mirrorTraps(promise, read));
}

/** True for a promise that is nothing else, of any realm: directly below `Promise.prototype`, without own fields. */
function isPlainPromise(value: unknown): boolean {
  if (!types.isPromise(value) || Reflect.ownKeys(value).some((key) => typeof key === "string")) return false;
  const prototype = Reflect.getPrototypeOf(value);
  const base = prototype && Reflect.getPrototypeOf(prototype);
  return base !== null && Reflect.getPrototypeOf(base) === null;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  return "then" in value && typeof value.then === "function";
}
