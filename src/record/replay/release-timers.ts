import { createHook } from "node:async_hooks";
import { asyncScope } from "../../kernel/async-scope.ts";

interface Releasable {
  unref(): unknown;
}

/** Timers that the code of one run started. */
export class RunTimers {
  readonly #timers = new Set<Releasable>();
  isReleased = false;

  /** Calls a function whose timers belong to the run, as do those of all it starts, even after it ended. */
  runInScope<T>(body: () => T): T {
    return scope.run(this, body);
  }

  /** Lets the process exit although timers of the run are left, also those that its code starts from now on. */
  release(): void {
    this.isReleased = true;
    for (const timer of this.#timers) timer.unref();
    this.#timers.clear();
  }

  /** Adds a timer, and releases it if the others are. */
  add(timer: Releasable): void {
    this.#timers.add(timer);
    if (this.isReleased) this.release();
  }
}

const scope = asyncScope("run-timers", (value): value is RunTimers => value instanceof RunTimers);

// It also sees timers that don't come from the global functions: those of `node:timers/promises`, for example. Promises
// aren't tracked, because that would cost time in each of them.
const hook = createHook({
  trackPromises: false,
  init: (...[, type, , resource]) => {
    if (type === "Timeout" && isReleasable(resource)) scope.get()?.add(resource);
  },
});

let observed = 0;

/** Ends the observation of an abandoned run once its code can't go on: then its scope is collected. */
const abandoned = new FinalizationRegistry(endObservation);

function endObservation(): void {
  observed -= 1;
  if (observed === 0) hook.disable();
}

/**
 * Calls a function with a new set of timers. If it releases them, timers of the run are released as long as its code
 * may start any.
 */
export async function withRunTimers<T>(body: (timers: RunTimers) => Promise<T>): Promise<T> {
  const timers = new RunTimers();
  observed += 1;
  hook.enable();
  try {
    return await body(timers);
  } finally {
    if (timers.isReleased) abandoned.register(timers, undefined);
    else endObservation();
  }
}

function isReleasable(timer: object): timer is Releasable {
  return "unref" in timer && typeof timer.unref === "function";
}
