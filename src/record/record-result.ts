import { types } from "node:util";
import type { CallTape } from "./call-tape.ts";
import { type RecordMember, mirrorAnswer, recordPromiseUse } from "./record-answer.ts";
import { inAdapter } from "./recording-scope.ts";
import { mirrorTraps } from "./mirror-traps.ts";
import { isAsyncIterable, recordStream } from "./record-stream.ts";

/** Records what an adapter returned, whatever its form; the answer is what the step gets in its place. */
export function recordResult(result: unknown, tape: CallTape, member: RecordMember): unknown {
  if (isThenable(result)) return recordPromise(result, tape, member);
  return recordSettled(result, tape, member);
}

function recordSettled(value: unknown, tape: CallTape, member: RecordMember): unknown {
  if (isAsyncIterable(value)) return recordStream(value, tape, member);
  tape.returned(value);
  return mirrorAnswer(value, tape, member) ?? value;
}

function recordPromise(promise: PromiseLike<unknown>, tape: CallTape, member: RecordMember): unknown {
  tape.promised();
  const follow = (source: Promise<unknown>): Promise<unknown> =>
    source.then(
      (value) => recordSettled(value, tape, member),
      (error: unknown) => {
        tape.threw(error);
        throw error;
      },
    );
  if (isPlainPromise(promise)) return follow(Promise.resolve(promise));
  return mirrorPromise(promise, { follow: (source) => follow(inAdapter(() => Promise.resolve(source))), tape, member });
}

interface Following {
  readonly follow: (source: PromiseLike<unknown>) => Promise<unknown>;
  readonly tape: CallTape;
  readonly member: RecordMember;
}

/** A stand-in for a promise with methods of its own (an SDK's, a query builder's). */
function mirrorPromise(promise: PromiseLike<unknown>, { follow, tape, member }: Following): unknown {
  let followed: Promise<unknown> | undefined;
  // Not before the step asks: a lazy thenable starts its work in `then`.
  const settled = (source: PromiseLike<unknown> = promise): Promise<unknown> => (followed ??= follow(source));
  const read = (key: string | symbol): unknown => {
    if (key !== "then" && key !== "catch" && key !== "finally")
      return recordPromiseUse(promise, key, { settled, tape, member });
    return (...args: unknown[]): unknown => Reflect.apply(settled()[key], settled(), args);
  };
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
