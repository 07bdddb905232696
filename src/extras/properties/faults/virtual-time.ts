import { AsyncLocalStorage } from "node:async_hooks";
import { type AsyncScope, asyncScope } from "../../../kernel/async-scope.ts";
import { isObject } from "../../../kernel/json/plain-data.ts";

/** A timer of a run in virtual time. */
interface VirtualTimer {
  readonly id: number;
  at: number;
  /** Milliseconds between its start, or its last call, and the next. */
  readonly wait: number;
  readonly repeats: boolean;
  readonly call: () => void;
}

/** Time of one run: it advances when there is no other work. */
class VirtualClock {
  readonly timers = new Map<number, VirtualTimer>();
  /** Values of the clocks when it began. */
  readonly began: { readonly wall: number; readonly steady: number } = { wall: Date.now(), steady: performance.now() };
  /** Milliseconds since it began. */
  passed = 0;
  /** Timers called, apart from intervals while a timer that ends was pending. */
  fired = 0;
  /** All calls, of intervals too. */
  calls = 0;
  /** Listeners for the abort reason of each signal of the run. */
  readonly abortListeners: Set<(reason: unknown) => void> = new Set<(reason: unknown) => void>();
  #ids = 0;

  /** A delay may be a string with a number, as for Node. */
  start(call: () => void, { ms, repeats }: { readonly ms: unknown; readonly repeats: boolean }): VirtualTimer {
    const delay = Number(ms);
    const wait = Number.isFinite(delay) && delay > 0 ? delay : 1;
    // A timer's callback runs in the context that started it: with the recorders of its run, and in its time.
    const here = AsyncLocalStorage.snapshot();
    const timer = { id: (this.#ids += 1), at: this.passed + wait, wait, repeats, call: (): void => here(call) };
    this.timers.set(timer.id, timer);
    return timer;
  }

  /** Lets time pass until the next timer is due, and calls it. */
  fireNext(): void {
    const timers = [...this.timers.values()].toSorted((first, second) => first.at - second.at || first.id - second.id);
    const [next] = timers;
    if (next === undefined) return;
    this.passed = Math.max(this.passed, next.at);
    this.calls += 1;
    // While a timer is pending, an interval such as a progress display isn't what the run waits for.
    if (!next.repeats || timers.every(({ repeats }) => repeats)) this.fired += 1;
    if (next.repeats) next.at = this.passed + next.wait;
    else this.timers.delete(next.id);
    next.call();
  }
}

const scope: AsyncScope<VirtualClock> = asyncScope("virtual-time", (value) => value instanceof VirtualClock);

/** End of a run in virtual time. */
export type VirtualEnd<T> =
  | { readonly kind: "ended"; readonly value: T }
  /** There is no more work, and it hasn't settled. */
  | { readonly kind: "hangs" }
  /** Timers went on without end. */
  | { readonly kind: "endless" };

/** Timers of one run after which it counts as one that never ends. */
const MOST_TIMERS = 1000;
/** The same for all calls: an interval can restart a timer each time, so that one is always pending. */
const MOST_CALLS = 20_000;
/** Turns of the event loop without work before time advances. */
const QUIET_TURNS = 4;
/**
 * Milliseconds of real time without work before a run counts as one that hangs: a module that is loaded lazily comes
 * from the runner's main process, and isn't visible here.
 */
const HANG_MS = 200;

/** Rejects with the reason of the next signal that is aborted of those that the run in virtual time here made. */
export async function abortedHere(): Promise<never> {
  return new Promise((_, reject) => void scope.get()?.abortListeners.add(reject));
}

/**
 * Runs a function in virtual time: `setTimeout`, `setInterval`, those and `scheduler.wait` of `node:timers/promises`,
 * `AbortSignal.timeout`, `Date` and `performance.now` of all it starts don't wait. Timers elsewhere are unchanged, and
 * everything is restored. Other waits (a worker, a socket, `Atomics.wait`) take real time. Rejects with the function's
 * error.
 */
export async function inVirtualTime<T>(work: () => Promise<T>): Promise<VirtualEnd<T>> {
  // Not the global one: a test may have fake timers there, which wouldn't advance.
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
    void failed.then((error) => (failure = error));
    let quietSince = real.now();
    for (let quiet = 0; ; quiet += 1) {
      await new Promise<void>((resolve) => real.immediate(resolve));
      if (failure !== undefined) throw failure.error;
      if (ended !== undefined) return ended;
      if (isBusy()) [quiet, quietSince] = [0, real.now()];
      if (quiet < QUIET_TURNS) continue;
      if (clock.timers.size === 0 && real.now() - quietSince > HANG_MS) return { kind: "hangs" };
      if (clock.timers.size === 0) continue;
      if (clock.fired >= MOST_TIMERS || clock.calls >= MOST_CALLS) return { kind: "endless" };
      clock.fireNext();
      [quiet, quietSince] = [0, real.now()];
    }
  } finally {
    restore();
  }
}

/** Returns true if the process waits for a file, such as a module that is loaded: time must not advance meanwhile. */
function isBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
}

type Restore = () => void;

let runs = 0;
let restoreAll: Restore = () => undefined;

/** Installed once for all runs that are under way: each looks for its own clock. */
function install(): Restore {
  runs += 1;
  if (runs === 1) restoreAll = replaceAll();
  return () => {
    runs -= 1;
    if (runs === 0) restoreAll();
  };
}

function replaceAll(): Restore {
  const timers = process.getBuiltinModule("node:timers/promises");
  const { syncBuiltinESMExports } = process.getBuiltinModule("node:module");
  // Read before `Date.now` is replaced, so that it is virtual once.
  const currentTime = new Proxy(Date.now, readingTime);
  const restores = [
    replace(
      globalThis,
      "setTimeout",
      calling((clock) => starting(clock, false)),
    ),
    replace(
      globalThis,
      "setInterval",
      calling((clock) => starting(clock, true)),
    ),
    replace(globalThis, "clearTimeout", stopping),
    replace(globalThis, "clearInterval", stopping),
    replace(timers, "setTimeout", calling(sleeping)),
    replace(timers, "setInterval", calling(ticking)),
    replace(
      timers.scheduler,
      "wait",
      calling((clock) => async (ms, options) => sleeping(clock)(ms, undefined, options)),
    ),
    replace(AbortSignal, "timeout", calling(timingOut)),
    replace(
      performance,
      "now",
      calling((clock) => () => clock.began.steady + clock.passed),
    ),
    replace(Date, "now", readingTime),
    replace(globalThis, "Date", dating(currentTime)),
    replace(globalThis, "AbortController", controlling),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores.toReversed()) restore();
    syncBuiltinESMExports();
  };
}

/** Replaces a function by a stub. Its other members, such as its promisified version, stay its own. */
function replace(owner: object, name: string, traps: ProxyHandler<Function>): Restore {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name);
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== "function") return () => undefined;
  const value = new Proxy(original, traps);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: true });
  return () => {
    if (descriptor === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, descriptor);
  };
}

/** Calls the virtual function while a run in virtual time is active. */
function calling(virtual: (clock: VirtualClock) => (...args: never[]) => unknown): ProxyHandler<Function> {
  return {
    apply: (original, self, args: never[]) => {
      const clock = scope.get();
      const answer: unknown = clock === undefined ? Reflect.apply(original, self, args) : virtual(clock)(...args);
      return answer;
    },
  };
}

type Start = (call: (...args: unknown[]) => void, ms: unknown, ...args: never[]) => object;

function starting(clock: VirtualClock, repeats: boolean): Start {
  return (call, ms, ...args) =>
    handleOf(
      clock,
      clock.start(() => call(...args), { ms, repeats }),
    );
}

/** Returns a handle as Node does, as far as its users need it. */
function handleOf(clock: VirtualClock, timer: VirtualTimer): object {
  let isStopped = false;
  const handle = {
    virtual: () => {
      isStopped = true;
      clock.timers.delete(timer.id);
    },
    ref: () => handle,
    unref: () => handle,
    hasRef: () => true,
    close: () => (handle.virtual(), handle),
    refresh: () => {
      if (isStopped) return handle;
      timer.at = clock.passed + timer.wait;
      // As for Node, a timer that was called starts again.
      clock.timers.set(timer.id, timer);
      return handle;
    },
    [Symbol.toPrimitive]: () => timer.id,
    [Symbol.dispose]: () => handle.virtual(),
  };
  return handle;
}

/** A timer may outlive the run that started it, and be stopped elsewhere. */
const stopping: ProxyHandler<Function> = {
  apply: (original, self, args: readonly unknown[]) => {
    const [handle] = args;
    const stop: unknown = isObject(handle) ? Reflect.get(handle, "virtual") : undefined;
    const answer: unknown = Reflect.apply(typeof stop === "function" ? stop : original, self, args);
    return answer;
  },
};

interface SleepOptions {
  readonly signal?: AbortSignal;
}

type Sleep = (ms?: unknown, value?: unknown, options?: SleepOptions) => Promise<unknown>;

function sleeping(clock: VirtualClock): Sleep {
  return async (ms, value, { signal } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abortError(signal));
      const timer = clock.start(() => resolve(value), { ms, repeats: false });
      signal?.addEventListener("abort", () => (clock.timers.delete(timer.id), reject(abortError(signal))), {
        once: true,
      });
    });
}

/** `setInterval` of `node:timers/promises`. */
function ticking(clock: VirtualClock): (ms?: unknown, value?: unknown, options?: SleepOptions) => AsyncGenerator {
  return async function* ticks(ms, value, { signal } = {}) {
    let due = 0;
    let wake: () => void = () => undefined;
    const timer = clock.start(() => ((due += 1), wake()), { ms, repeats: true });
    signal?.addEventListener("abort", () => wake(), { once: true });
    try {
      for (;;) {
        if (signal?.aborted === true) throw abortError(signal);
        if (due === 0) await new Promise<void>((resolve) => (wake = resolve));
        else yield ((due -= 1), value);
      }
    } finally {
      clock.timers.delete(timer.id);
    }
  };
}

/** Returns the error with which Node rejects a wait whose signal was aborted. */
function abortError({ reason }: AbortSignal): Error {
  return Object.assign(new Error("The operation was aborted", { cause: reason }), {
    name: "AbortError",
    code: "ABORT_ERR",
  });
}

function timingOut(clock: VirtualClock): (ms: number) => AbortSignal {
  return (ms) => {
    const controller = new AbortController();
    const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    clock.start(() => controller.abort(reason), { ms, repeats: false });
    return controller.signal;
  };
}

function wallTime(clock: VirtualClock): number {
  return Math.floor(clock.began.wall + clock.passed);
}

const readingTime: ProxyHandler<Function> = calling((clock) => () => wallTime(clock));

/**
 * Makes `new Date()` and `Date()` use the time of the run. A `Date` that other code replaced can have its own `now`, so
 * the new `Date` gets this one.
 */
function dating(now: object): ProxyHandler<Function> {
  return {
    get: (original, key): unknown => (key === "now" ? now : Reflect.get(original, key)),
    construct: (original, args, target) => {
      const clock = scope.get();
      return made(original, clock && args.length === 0 ? [wallTime(clock)] : args, target);
    },
    apply: (original, self, args) => {
      const clock = scope.get();
      return clock === undefined ? String(Reflect.apply(original, self, args)) : new Date(wallTime(clock)).toString();
    },
  };
}

const controlling: ProxyHandler<Function> = {
  construct: (original, args, target) => {
    const controller = made(original, args, target);
    const clock = scope.get();
    const signal: unknown = Reflect.get(controller, "signal");
    if (clock !== undefined && signal instanceof AbortSignal)
      signal.addEventListener("abort", () => {
        for (const listener of clock.abortListeners) listener(signal.reason);
      });
    return controller;
  },
};

function made(original: Function, args: readonly unknown[], target: Function): object {
  const instance: unknown = Reflect.construct(original, args, target);
  return isObject(instance) ? instance : {};
}
