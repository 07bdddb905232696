import { createHook } from "node:async_hooks";
import { asyncScope } from "../../kernel/async-scope.ts";
import { aborted } from "./injected-end.ts";

// Taken before a test fakes its timers.
const { setTimeout: startTimer } = globalThis;

interface Releasable {
  unref(): unknown;
}

/** Fields of a Node timer. They aren't documented: without them, no timer counts as pending. */
interface PendingTimer extends Releasable {
  readonly _destroyed: false;
  readonly _idleStart: number;
  _idleTimeout: number;
  refresh(): unknown;
}

/** Timers and input and output that the code of one run started. */
export class RunTimers {
  readonly #timers = new Set<Releasable>();
  readonly #operations = new Set<number>();
  isReleased = false;
  isOver = false;
  /** True for a run that also waits for live calls, which may use connections that other code opened. */
  isLive = false;

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

  /** Lets the pending timer that is due next fire now. Returns false if no timer is pending. */
  fireNext(): boolean {
    const dueAt = (timer: PendingTimer): number => timer._idleStart + timer._idleTimeout;
    const [next] = [...this.#timers].filter(isPending).toSorted((first, second) => dueAt(first) - dueAt(second));
    if (next === undefined) return false;
    next._idleTimeout = 1;
    next.refresh();
    return true;
  }

  /** Returns true if the code of the run waits for no timer, and for no input or output that it started. */
  isIdle(): boolean {
    return !this.isLive && ![...this.#operations].some(isUnderWay) && ![...this.#timers].some(isPending);
  }

  /** Adds an operation of a type of `node:async_hooks`, such as the read of a file. */
  began(operation: number, type: string, resource: object): void {
    if (this.isOver) return;
    this.#operations.add(operation);
    // Weak, because it ends when its resource is collected.
    const handle = HANDLES.has(type) ? new WeakRef(resource) : undefined;
    operations.set(operation, { ofRun: this.#operations, handle, isConnection: CONNECTIONS.has(type) });
  }

  /**
   * Ends the run: its operations are no longer observed. If its timers are released, so are those that its code starts
   * from now on.
   */
  end(): void {
    this.isOver = true;
    for (const operation of this.#operations) operations.delete(operation);
    this.#operations.clear();
    if (this.isReleased) abandoned.register(this, undefined);
    else endObservation();
  }

  /** Removes a timer that isn't the run's own. */
  remove(timer: Releasable): void {
    this.#timers.delete(timer);
  }

  /** Adds a timer, and releases it if the others are. */
  add(timer: Releasable): void {
    this.#timers.add(timer);
    if (this.isReleased) this.release();
  }
}

const scope = asyncScope("run-timers", isRunTimers);

/** Not by `instanceof`: the set-up of `fetch` and the engine each have a copy of this module. */
function isRunTimers(value: unknown): value is RunTimers {
  return typeof value === "object" && value !== null && "isReleased" in value && "isIdle" in value;
}

interface Operation {
  /** The operations of its run. */
  readonly ofRun: Set<number>;
  /** Its resource, if it calls back more than once. */
  readonly handle: WeakRef<object> | undefined;
  /** True for a socket: a thread or a process without a reference may still work for the run. */
  readonly isConnection: boolean;
}

const CONNECTIONS: ReadonlySet<string> = new Set(["TCPWRAP", "PIPEWRAP", "TLSWRAP"]);

/** The operations under way of all runs. */
const operations = new Map<number, Operation>();

/** Returns false for a connection that doesn't keep the process alive: a pool releases its idle connections so. */
function isUnderWay(operation: number): boolean {
  const { handle, isConnection } = operations.get(operation) ?? {};
  const resource = isConnection === true ? handle?.deref() : undefined;
  return !(resource !== undefined && hasRefOf(resource) && !resource.hasRef());
}

function hasRefOf(handle: object): handle is { hasRef(): boolean } {
  return "hasRef" in handle && typeof handle.hasRef === "function";
}

/** Operations that call back more than once: sockets, responses, compression, watched files, processes, threads. */
const HANDLES: ReadonlySet<string> = new Set(
  (
    "TCPWRAP TCPSERVERWRAP PIPEWRAP PIPESERVERWRAP TLSWRAP TTYWRAP UDPWRAP JSUDPWRAP HTTPINCOMINGMESSAGE " +
    "HTTPCLIENTREQUEST HTTP2SESSION HTTP2STREAM JSSTREAM ZLIB FSEVENTWRAP STATWATCHER PROCESSWRAP " +
    "SIGNALWRAP MESSAGEPORT WORKER"
  ).split(" "),
);

function endOperation(operation: number): void {
  operations.get(operation)?.ofRun.delete(operation);
  operations.delete(operation);
}

// It also sees timers that don't come from the global functions: those of `node:timers/promises`, for example. Promises
// aren't tracked, because that would cost time in each of them.
const hook = createHook({
  trackPromises: false,
  init: (...[operation, type, , resource]) => {
    if (type === "Timeout" && isReleasable(resource)) scope.get()?.add(resource);
    else if (type !== "TickObject") scope.get()?.began(operation, type, resource);
  },
  after: (operation) => {
    if (operations.get(operation)?.handle === undefined) endOperation(operation);
  },
  destroy: endOperation,
});

let observed = 0;

/** Ends the observation of an abandoned run once its code can't go on: then its scope is collected. */
const abandoned = new FinalizationRegistry(endObservation);

function endObservation(): void {
  observed -= 1;
  if (observed === 0) hook.disable();
}

/** Observes the timers of a run until its `end`. */
export function observeTimers(): RunTimers {
  observed += 1;
  hook.enable();
  return new RunTimers();
}

function isPending(timer: Releasable): timer is PendingTimer {
  return "_destroyed" in timer && timer._destroyed === false && "refresh" in timer;
}

/** Milliseconds between two tests of a signal. */
const INTERVAL_MS = 5;
/** Tests before timers fire early: the code of the run may still compute something. */
const MIN_TESTS = 10;
/** Tests after which a signal counts as not aborted. */
const MAX_TESTS = 200;
/**
 * Successive tests in which a run is idle, after which it's stuck. One second: it may wait for code outside the run,
 * such as a pool of connections. A runner ends a test after five seconds, and a stuck run is replayed once more to find
 * the cause.
 */
const MIN_IDLE_TESTS = 200;

/**
 * Resolves once a signal is aborted, or after a limited time without that. If `firesTimers`, timers of the run fire
 * early, in their order, so that a replay doesn't wait for the timeout of the recorded run.
 */
export async function untilAborted(signal: AbortSignal, firesTimers = true): Promise<void> {
  const timers = scope.get();
  const event = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  for (let tests = 0; !signal.aborted && tests < (firesTimers ? MAX_TESTS : MIN_TESTS); tests += 1) {
    const interval = new Promise<void>((resolve) => {
      const timer = startTimer(resolve, INTERVAL_MS);
      timers?.remove(timer);
    });
    await Promise.race([event, interval]);
    const mayFire = firesTimers && tests >= MIN_TESTS && !signal.aborted;
    if (timers !== undefined && mayFire && !timers.fireNext()) return;
  }
}

/**
 * Resolves once the code of the run only waits for a part that its recording lacks. Rejects with the reason of a signal
 * that is aborted first. Stays unresolved if the run goes on or ends, as after a stream that its step left, and outside
 * of a replay.
 */
export async function untilStuck(signal: AbortSignal | undefined): Promise<void> {
  return Promise.race([aborted(signal), idle(scope.get())]);
}

async function idle(timers: RunTimers | undefined): Promise<void> {
  for (let count = 0; count < MIN_IDLE_TESTS; ) {
    if (timers === undefined || timers.isOver) return new Promise(() => undefined);
    await new Promise((resolve) => {
      const timer = startTimer(resolve, INTERVAL_MS);
      timer.unref();
      timers.remove(timer);
    });
    count = timers.isIdle() ? count + 1 : 0;
  }
}

/** Returns the reason of an aborted signal if it is the same as a recorded error, which is returned if not. */
export function errorOrReason(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted === true && String(signal.reason) === String(error) ? signal.reason : error;
}

function isReleasable(timer: object): timer is Releasable {
  return "unref" in timer && typeof timer.unref === "function";
}
