import { type AsyncScope, asyncScope } from "../../kernel/async-scope.ts";
import { installOnce } from "../../kernel/install-once.ts";
import { isInAdapter } from "./recording-scope.ts";

const KEY = Symbol.for("veritest.frozen-clock");

const scope: AsyncScope<number> = asyncScope("frozen-clock", (value) => typeof value === "number");

/**
 * Calls a function with a `Date` that doesn't move: `time` in Unix milliseconds is now for it and for all it starts.
 * Recorded adapters read the computer's clock, because services refuse requests of another time.
 */
export function withFrozenClock<R>(time: number, body: () => R): R {
  installOnce(KEY, installFrozenDate);
  return scope.run(time, body);
}

function installFrozenDate(): () => void {
  const original = Date;
  // Read once: code that replaces `Date.now` later can call this clock, which must not call that code again.
  const originalNow = original.now;
  const now = (): number => (isInAdapter() ? undefined : scope.get()) ?? originalNow();
  const frozen: DateConstructor = new Proxy(original, {
    apply: () => new original(now()).toString(),
    construct: (target, args: unknown[], newTarget) => {
      const own = newTarget === frozen ? target : newTarget;
      const date: unknown = Reflect.construct(target, args.length === 0 ? [now()] : args, own);
      return date instanceof original ? date : new target(now());
    },
    get: (target, key): unknown => (key === "now" ? now : Reflect.get(target, key)),
  });
  globalThis.Date = frozen;
  return () => {
    globalThis.Date = original;
  };
}
