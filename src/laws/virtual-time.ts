import { type AsyncScope, asyncScope } from "../base/async-scope.ts";

/** A timer of a run in virtual time. */
interface VirtualTimer {
  readonly id: number;
  at: number;
  readonly every: number | undefined;
  readonly call: () => void;
}

/** The time of one run: it passes where nothing else is to be done. */
class VirtualClock {
  readonly timers = new Map<number, VirtualTimer>();
  /** Milliseconds since it began. */
  passed = 0;
  fired = 0;
  #ids = 0;

  start(call: () => void, { ms, repeats }: { readonly ms: number; readonly repeats: boolean }): VirtualTimer {
    const wait = Number.isFinite(ms) && ms > 0 ? ms : 1;
    const timer = { id: (this.#ids += 1), at: this.passed + wait, every: repeats ? wait : undefined, call };
    this.timers.set(timer.id, timer);
    return timer;
  }

  /** Lets time pass until the next timer is due, and calls it. */
  fireNext(): void {
    const [next] = [...this.timers.values()].toSorted((one, other) => one.at - other.at || one.id - other.id);
    if (next === undefined) return;
    this.passed = Math.max(this.passed, next.at);
    this.fired += 1;
    if (next.every === undefined) this.timers.delete(next.id);
    else next.at = this.passed + next.every;
    next.call();
  }
}

const scope: AsyncScope<VirtualClock> = asyncScope("virtual-time", (value) => value instanceof VirtualClock);

/** How a run in virtual time ended. */
export type VirtualEnd<T> =
  | { readonly kind: "ended"; readonly value: T }
  /** Nothing more could happen, and it had not settled. */
  | { readonly kind: "hangs" }
  /** Timers went on without end. */
  | { readonly kind: "endless" };

/** Timers of one run after which it counts as one that never ends. */
const MOST_TIMERS = 1000;
/** Turns of the event loop in which nothing happens before time passes. */
const QUIET_TURNS = 4;
/**
 * Milliseconds of real time without anything to wait for before a run counts as one that hangs: a module that is loaded
 * late comes from the runner's main process, and nothing here tells that it is on its way.
 */
const HANG_MS = 200;

/**
 * Runs something in a time of its own: `setTimeout`, `setInterval`, those of `node:timers/promises`,
 * `AbortSignal.timeout`,
 * `Date.now` and `performance.now` of all it starts wait for nobody. Timers elsewhere are left alone, and everything is
 * put back. What waits by other means (a worker, a socket, `Atomics.wait`) waits in real time. Rejects with what it
 * throws.
 */
export async function inVirtualTime<T>(work: () => Promise<T>): Promise<VirtualEnd<T>> {
  // Not the global one: a test may have put fake timers there, which nobody would advance.
  const { setImmediate: immediate } = process.getBuiltinModule("node:timers");
  const real = { immediate, now: performance.now.bind(performance) };
  const clock = new VirtualClock();
  const restore = install();
  let ended: VirtualEnd<T> | undefined;
  try {
    const running = scope.run(clock, work).then((value) => void (ended = { kind: "ended", value }));
    const failed = running.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    let failure: { readonly error: unknown } | undefined;
    void failed.then((found) => (failure = found));
    let quietSince = real.now();
    for (let quiet = 0; ; quiet += 1) {
      await new Promise<void>((resolve) => real.immediate(resolve));
      if (failure !== undefined) throw failure.error;
      if (ended !== undefined) return ended;
      if (isBusy()) [quiet, quietSince] = [0, real.now()];
      if (quiet < QUIET_TURNS) continue;
      if (clock.timers.size === 0 && real.now() - quietSince > HANG_MS) return { kind: "hangs" };
      if (clock.timers.size === 0) continue;
      if (clock.fired >= MOST_TIMERS) return { kind: "endless" };
      clock.fireNext();
      [quiet, quietSince] = [0, real.now()];
    }
  } finally {
    restore();
  }
}

/** Tells whether the process waits for a file, as where a module is loaded: time must not pass meanwhile. */
function isBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
}

type Restore = () => void;

function install(): Restore {
  const timers = process.getBuiltinModule("node:timers/promises");
  const { syncBuiltinESMExports } = process.getBuiltinModule("node:module");
  const restores = [
    replace(globalThis, "setTimeout", (original) => starting(original, false)),
    replace(globalThis, "setInterval", (original) => starting(original, true)),
    replace(globalThis, "clearTimeout", stopping),
    replace(globalThis, "clearInterval", stopping),
    replace(timers, "setTimeout", sleeping),
    replace(AbortSignal, "timeout", timingOut),
    replace(performance, "now", telling),
    replace(Date, "now", telling),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores.toReversed()) restore();
    syncBuiltinESMExports();
  };
}

type Method = (...args: never[]) => unknown;

function asIs(original: Function, args: readonly unknown[]): unknown {
  const answer: unknown = Reflect.apply(original, undefined, args);
  return answer;
}

function replace(owner: object, name: string, by: (original: Method) => Method): Restore {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name);
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== "function") return () => undefined;
  const method: Method = (...args) => Reflect.apply(original, owner, args);
  // What is asked of a function, such as how it is made a promise, is asked of the one that was there.
  const proxy = new Proxy(original, { apply: (_, _self, args: never[]) => by(method)(...args) });
  Object.defineProperty(owner, name, { value: proxy, configurable: true, writable: true, enumerable: true });
  return () => {
    if (descriptor === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, descriptor);
  };
}

function starting(original: Method, repeats: boolean): Method {
  return (call: (...args: unknown[]) => void, ms: number | undefined, ...args: never[]) => {
    const clock = scope.get();
    if (clock === undefined) return asIs(original, [call, ms, ...args]);
    return handleOf(
      clock,
      clock.start(() => call(...args), { ms: ms ?? 0, repeats }),
    );
  };
}

/** What Node hands back, as far as anybody asks it anything. */
function handleOf(clock: VirtualClock, timer: VirtualTimer): object {
  const handle = {
    virtual: () => void clock.timers.delete(timer.id),
    ref: () => handle,
    unref: () => handle,
    hasRef: () => true,
    close: () => (handle.virtual(), handle),
    refresh: () => {
      timer.at = clock.passed + (timer.every ?? 1);
      return handle;
    },
    [Symbol.toPrimitive]: () => timer.id,
    [Symbol.dispose]: () => handle.virtual(),
  };
  return handle;
}

function stopping(original: Method): Method {
  return (handle: unknown) => {
    const stop: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, "virtual") : undefined;
    return asIs(typeof stop === "function" ? stop : original, [handle]);
  };
}

function sleeping(original: Method): Method {
  return (ms: number | undefined, value: unknown, options: { readonly signal?: AbortSignal } | undefined) => {
    const clock = scope.get();
    if (clock === undefined) return asIs(original, [ms, value, options]);
    return new Promise((resolve, reject) => {
      const { signal } = options ?? {};
      const timer = clock.start(() => resolve(value), { ms: ms ?? 0, repeats: false });
      signal?.addEventListener("abort", () => (clock.timers.delete(timer.id), reject(signal.reason)), { once: true });
    });
  };
}

function timingOut(original: Method): Method {
  return (ms: number) => {
    const clock = scope.get();
    if (clock === undefined) return asIs(original, [ms]);
    const controller = new AbortController();
    const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    clock.start(() => controller.abort(reason), { ms, repeats: false });
    return controller.signal;
  };
}

function telling(original: Method): Method {
  const before = Number(Reflect.apply(original, undefined, []));
  return () => {
    const clock = scope.get();
    return clock === undefined ? asIs(original, []) : before + clock.passed;
  };
}
