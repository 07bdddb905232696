import { clearTimeout, setTimeout } from "node:timers";
import { isArray } from "../../kernel/json/plain-data.ts";
import { type AdapterCall, joinPath } from "../adapter-call.ts";
import { encodeArguments } from "../encode/encode.ts";
import { describeField, registerAdapterProxy } from "../proxy/mirror.ts";
import type { UnrecordedRequest, UnrecordedRequestError } from "./unrecorded-request.ts";
import type { RecordingOptions } from "../recording-rules.ts";
import type { RequestsBeforeEdits } from "./call-index.ts";
import { type NetworkAccess, NetworkGuard } from "../interceptors/network-guard.ts";
import type { Interceptors } from "../interceptors/recording-scope.ts";
import { observeTimers } from "./release-timers.ts";
import { isModelMethod, replayedMethod, replayedTool } from "../interceptors/ai-sdk-adapters.ts";
import { type ReplaySource, withRecorders, lacksModelRecorder, refusingModels } from "../interceptors/recorders.ts";
import { signalIn } from "./injected-end.ts";
import {
  type ResponsePaths,
  type ReplayedCalls,
  never,
  exhaustedBy,
  replayedCalls,
  disposable,
  promiseOf,
  replayCall,
} from "./replay-call.ts";

/** Adapters that only replay a recording, without external calls. */
export interface AdapterReplayer {
  /** Source of the responses: the recording. */
  readonly source: "recorded";
  /**
   * Adapters with the members that the recorded run used. Any other member is a function that throws an
   * `UnrecordedRequestError`.
   */
  readonly adapters: object;
  /** Number of recorded calls that were replayed so far. Reads of properties are not counted. */
  readonly replayed: () => number;
  /** The recorded calls and reads that were replayed, in the order in which they were requested. */
  readonly made: () => readonly AdapterCall[];
  /**
   * Returns the replayed calls. A call whose secrets differ from the recorded ones has the placeholders of the current
   * request.
   */
  readonly sentCalls: () => readonly AdapterCall[];
  /** Unrecorded requests in order, including those whose error the step caught. */
  readonly unrecorded: () => readonly UnrecordedRequest[];
  /** Hosts reached outside adapters and recorders while `runInScope` ran, each with whether it was allowed. */
  readonly networkAccess: () => readonly NetworkAccess[];
  /** The recorded calls that were not made, and the recorded property values that were not read. */
  readonly uncalled: () => readonly AdapterCall[];
  /**
   * Runs a function. Also replays requests made outside the adapters if a recorder is installed. Rejects with the error
   * that `run` throws.
   */
  readonly runInScope: <T>(run: () => T | PromiseLike<T>) => Promise<T>;
}

/**
 * Creates adapters that replay recorded calls. Each call returns the response recorded for the same path and arguments.
 * Equal calls are matched in order; different calls can come in any order. Responses keep their form: value, promise,
 * stream or error. If a request isn't recorded, the call throws an `UnrecordedRequestError`, or rejects with it if the
 * adapter returned promises. Secrets and fields in `ignore` aren't compared, so pass the same options as for the
 * recording.
 *
 * @example
 * const server = replayAdapters(calls);
 * await run(step, input, { adapters: server.adapters });
 * server.unrecorded(); // []
 */
export function replayAdapters(calls: readonly AdapterCall[], options?: RecordingOptions): AdapterReplayer {
  const server = new CallReplayer(calls, options);
  return {
    source: "recorded",
    // Created at once, so that destructuring this object gives the adapters, not a getter for them.
    adapters: server.adapters,
    replayed: () => server.replayed(),
    made: () => server.made(),
    sentCalls: () => server.sentCalls(),
    unrecorded: () => server.unrecorded(),
    networkAccess: () => server.networkAccess(),
    uncalled: () => server.uncalled(),
    runInScope: async (run) => server.runInScope(run),
  };
}

/**
 * Replays recorded calls as `replayAdapters` does, but creates the rules and the adapters on first use. In a check of
 * all cases of a step without requests, creating them took a fifth of the time, and each case stayed in memory until
 * the next full collection.
 */
export class CallReplayer {
  readonly #calls: readonly AdapterCall[];
  readonly #options: RecordingOptions | undefined;
  readonly #isScripted: ((adapter: string) => boolean) | undefined;
  readonly #beforeEdits: RequestsBeforeEdits | undefined;
  #network: NetworkGuard | undefined;
  #replay: ReplayedCalls | undefined;
  #adapters: object | undefined;
  /**
   * Ends the run with an error. The promise's own function: a stored closure that is never called kept all data of its
   * case in memory until the next full collection, a third of the time of checking 10,000 baselines.
   */
  #abandon: ((error: UnrecordedRequestError) => void) | undefined;
  #grace: NodeJS.Timeout | undefined;
  #isAbandoned = false;
  #firstCount = 0;
  #isFirstTurn = true;

  constructor(
    calls: readonly AdapterCall[],
    options?: RecordingOptions,
    {
      isScripted,
      beforeEdits,
    }: {
      /** Selects adapters whose calls are replayed in order, whatever the requests are. */
      readonly isScripted?: (adapter: string) => boolean;
      /** Returns what an unrecorded request may have been before known edits: a recorded one of these is replayed. */
      readonly beforeEdits?: RequestsBeforeEdits;
    } = {},
  ) {
    this.#calls = calls;
    this.#options = options;
    this.#isScripted = isScripted;
    this.#beforeEdits = beforeEdits;
  }

  /** The adapters, the same ones each time. Get them within the check whose rules apply. */
  get adapters(): object {
    this.#adapters ??= stubAt("", this.#open());
    return this.#adapters;
  }

  /** Number of recorded calls that were replayed so far. Reads of properties are not counted. */
  replayed(): number {
    return this.#replay?.index.replayedCount() ?? 0;
  }

  /** The recorded calls and reads that were replayed, in the order in which they were requested. */
  made(): readonly AdapterCall[] {
    return this.#replay?.index.made() ?? [];
  }

  /** Returns the replayed calls. Their `parallel` counts the calls that ran in parallel in this run. */
  callsInOrder(): readonly AdapterCall[] {
    return this.#replay?.index.callsInOrder() ?? [];
  }

  /** Returns the replayed calls, with the placeholders of the current requests. */
  sentCalls(): readonly AdapterCall[] {
    return this.#replay?.index.sentCalls() ?? [];
  }

  /** Names of request headers that differ from the recorded ones. */
  otherHeaders(): readonly string[] {
    return this.#replay?.index.otherHeaders() ?? [];
  }

  /** Returns the calls that were replayed for a different request, in order, with that request. */
  changedRequests(): ReadonlyMap<AdapterCall, unknown> {
    return this.#replay?.index.changedRequests() ?? new Map();
  }

  /** Unrecorded requests in order. */
  unrecorded(): readonly UnrecordedRequest[] {
    return [...(this.#replay?.unrecorded ?? [])];
  }

  /** Hosts reached outside adapters and recorders. */
  networkAccess(): readonly NetworkAccess[] {
    return this.#network?.reached() ?? [];
  }

  /** The recorded calls that were not made, and the recorded property values that were not read. */
  uncalled(): readonly AdapterCall[] {
    return this.#replay?.index.uncalled() ?? [...this.#calls];
  }

  /**
   * Runs a function. Also replays requests made outside the adapters if a recorder is installed and `isReplayed`
   * returns true for its name. Without `isReplayed`, the network is blocked. Rejects with the error that `run` throws.
   */
  runInScope<T>(run: () => T | PromiseLike<T>, isReplayed?: (name: string) => boolean): Promise<T> {
    const refuses = isReplayed?.("model") !== false && lacksModelRecorder(this.#calls);
    const network = isReplayed === undefined ? (this.#network ??= new NetworkGuard(true)) : undefined;
    return withRecorders(
      (recorder) => {
        const opened = recorder.replay(this.#open());
        return isReplayed === undefined ? opened : { ...opened, handlers: chosen(opened.handlers, isReplayed) };
      },
      refuses ? async () => refusingModels(run) : run,
      { network },
    );
  }

  /**
   * Runs a function as `runInScope` does, but no longer than a moment after its first unrecorded request: then it
   * rejects with the error of that request, and later unrecorded requests get no response. Timers that are left don't
   * keep the process alive. So a step that repeats a failed request doesn't delay the result.
   */
  async untilUnrecorded<T>(run: () => T | PromiseLike<T>, isReplayed?: (name: string) => boolean): Promise<T> {
    const timers = observeTimers();
    timers.isLive = isReplayed !== undefined;
    const { promise: abandoned, reject } = Promise.withResolvers<never>();
    this.#abandon = reject;
    // Within the run, so that it's no longer the active one once it was abandoned.
    const started = (): Promise<T> => Promise.race([timers.runInScope(run), abandoned]);
    try {
      return await this.runInScope(started, isReplayed);
    } finally {
      this.#abandon = undefined;
      if (this.#grace !== undefined) timers.release();
      clearTimeout(this.#grace);
      this.#grace = undefined;
      timers.end();
    }
  }

  /** The first unrecorded requests: those that the step sent at once, before it got the error of the first one. */
  firstUnrecorded(): readonly UnrecordedRequest[] {
    return this.unrecorded().slice(0, this.#firstCount);
  }

  #onError(error: UnrecordedRequestError): void {
    if (this.#firstCount === 0) {
      this.#startGrace(error);
      queueMicrotask(() => (this.#isFirstTurn = false));
    }
    if (this.#isFirstTurn) this.#firstCount += 1;
  }

  #startGrace(error: UnrecordedRequestError): void {
    const abandon = this.#abandon;
    if (abandon === undefined) return;
    this.#grace = setTimeout(() => {
      this.#isAbandoned = true;
      abandon(error);
    }, GRACE_MS);
  }

  #open(): ReplayedCalls {
    return (this.#replay ??= replayedCalls(this.#calls, this.#options, {
      isScripted: this.#isScripted,
      beforeEdits: this.#beforeEdits,
      onError: (error) => this.#onError(error),
      isAbandoned: () => this.#isAbandoned,
    }));
  }
}

function chosen(handlers: Interceptors, isReplayed: (name: string) => boolean): Interceptors {
  // The facts that a service declares belong to its tools.
  return Object.fromEntries(Object.entries(handlers).filter(([name]) => isReplayed(name === "facts" ? "tools" : name)));
}

/** Milliseconds in which a run may end after its first unrecorded request. */
const GRACE_MS = 40;

/** Makes the stub for one path of the recorded adapters. */
function stubAt(path: string, source: ReplaySource): object {
  const { index } = source;
  // A path outside the recording may be a method that was never called, as in `typeof adapters.llm.stream`.
  const callable = index.callsOf(path).length > 0 || (path !== "" && !index.paths.has(path));
  const proxy = new Proxy<object>(disposable(callable ? () => undefined : {}), new ReplayedStub(path, source));
  registerAdapterProxy(proxy, proxy);
  return proxy;
}

class ReplayedStub implements ProxyHandler<object> {
  readonly #path: string;
  readonly #source: ReplaySource;
  readonly #members = new Map<string, object>();
  #listed: readonly string[] | undefined;

  constructor(path: string, source: ReplaySource) {
    this.#path = path;
    this.#source = source;
  }

  get(target: object, key: string | symbol): unknown {
    if (typeof key === "symbol") return Reflect.get(target, key);
    const path = joinPath(this.#path, key);
    const recorded = this.#read(path, []);
    if (recorded !== undefined) return recorded.value();
    if (this.#source.index.paths.has(path)) return this.#modelMethod(key) ?? this.#member(key);
    return key in target || key === "then" || key === "toJSON" ? Reflect.get(target, key) : this.#member(key);
  }

  // Without it, a step's write would throw at the accessors that `getOwnPropertyDescriptor` returns.
  set(target: object, key: string | symbol, value: unknown): boolean {
    return Reflect.set(target, key, value);
  }

  has(target: object, key: string | symbol): boolean {
    if (typeof key === "symbol") return Reflect.has(target, key);
    const recorded = this.#read(this.#path, ["in", key]);
    if (recorded !== undefined) return recorded.value() === true;
    return this.#source.index.paths.has(joinPath(this.#path, key)) || Reflect.has(target, key);
  }

  ownKeys(): string[] {
    const keys = this.#read(this.#path, ["keys"])?.value();
    if (isArray(keys)) this.#listed = keys.map(String);
    return [...this.#keys()];
  }

  getOwnPropertyDescriptor(target: object, key: string | symbol): PropertyDescriptor | undefined {
    if (typeof key === "symbol" || !this.#keys().includes(key)) return undefined;
    return describeField(true, () => this.get(target, key));
  }

  apply(_target: object, _self: unknown, args: readonly unknown[]): unknown {
    const { index, onUnrecorded } = this.#source;
    const adapter = this.#path;
    const request = this.#source.rules.request(adapter, encodeArguments(args));
    const call = index.take(adapter, request);
    if (!("reason" in call)) {
      const exhausted = exhaustedBy(this.#source, { adapter, request, call });
      return replayCall(call, { exhausted, signal: signalIn(args, call), paths: this.#paths });
    }
    const error = onUnrecorded(call);
    const promised = index
      .callsOf(adapter)
      .some(({ returns }) => returns === "promise" || returns === "promise-of-stream");
    if (promised) return this.#source.isAbandoned() ? never() : promiseOf(() => Promise.reject(error));
    throw error;
  }

  #valueOf(call: AdapterCall): unknown {
    const { index, onUnrecorded } = this.#source;
    const unrecorded = index.refusal(call, call.request);
    if (unrecorded !== undefined) throw onUnrecorded(unrecorded);
    return replayCall(call, {
      exhausted: () => new TypeError(`${call.adapter} is not a stream`),
      paths: this.#paths,
    });
  }

  get #paths(): ResponsePaths {
    return { index: this.#source.index, objectAt: (path) => stubAt(path, this.#source) };
  }

  /** Own keys, computed on first use: each used response has a stub, and keys are rarely listed. */
  #keys(): readonly string[] {
    return (this.#listed ??= this.#source.index.paths.keysBelow(this.#path));
  }

  #modelMethod(key: string): unknown {
    const read = (name: string): unknown => this.#read(joinPath(this.#path, name), [])?.value();
    return isModelMethod(key) ? replayedMethod(key, { path: this.#path, read, source: this.#source }) : undefined;
  }

  #member(key: string): object {
    const path = joinPath(this.#path, key);
    const member = this.#members.get(key) ?? replayedTool(path, this.#source) ?? stubAt(path, this.#source);
    this.#members.set(key, member);
    return member;
  }

  #read(path: string, request: readonly string[]): { readonly value: () => unknown } | undefined {
    const call = this.#source.index.read(path, request);
    return call && { value: () => this.#valueOf(call) };
  }
}
