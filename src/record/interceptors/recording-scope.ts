import { UnrecordedRequestError } from "../replay/unrecorded-request.ts";
import { types } from "node:util";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { escapeText, truncate } from "../../kernel/text.ts";
import { redactionState } from "../../redact/redaction-state.ts";
import { sharedValue } from "../../kernel/shared-value.ts";
import type { ToolFacts } from "./tool-mark.ts";
import { isTracingSuppressed } from "../../kernel/telemetry/span-context.ts";
import { type AsyncScope, asyncScope } from "../../kernel/async-scope.ts";

/** Observations of one watched run. */
export interface PurityWatch {
  /** Notes the use of a function with hidden state; `trap` is the function whose callers count. */
  readonly note: (api: string, trap: object) => void;
}

/** Replaces `fetch`; `original` is the function that was replaced. */
export type FetchHandler = (
  input: FetchInput,
  init: RequestInit | undefined,
  original: typeof fetch,
) => Promise<Response>;

/** First argument of `fetch`. */
export type FetchInput = Parameters<typeof fetch>[0];

/** A request of the AI SDK to a model, and the model. */
export interface ModelCall {
  readonly params: object;
  readonly model: { readonly provider: string; readonly modelId: string };
}

/** Replaces a model of the AI SDK; `callModel` calls the model itself. */
export interface ModelHandler {
  readonly generate: (call: ModelCall, callModel: () => PromiseLike<unknown>) => Promise<unknown>;
  readonly stream: (call: ModelCall, callModel: () => PromiseLike<object>) => Promise<object>;
  /** Reports a tool that runs outside of the recording; throws if responses are replayed. */
  readonly unrecordedModel: (tool: string, when: "was about to run" | "ran") => void;
  /** Returns true if a call of this tool was recorded, or replayed, in this run. */
  readonly isRecorded: (tool: string) => boolean;
}

/** A tool that is called past the adapters: by the step's own code, or by an agent's SDK. */
export interface ToolUse {
  readonly facts: ToolFacts;
  readonly args: readonly unknown[];
  /** Runs the tool's body. */
  readonly run: () => unknown;
}

/** Handlers that replace the services outside. */
export interface Interceptors {
  readonly fetch?: FetchHandler;
  readonly model?: ModelHandler;
  readonly tools?: (use: ToolUse) => unknown;
  /**
   * Returns facts about a service, once for each run: not a call of the step; `callService` calls the service, in a
   * replay only if the facts are to be compared with the recorded ones.
   */
  readonly facts?: (path: string, callService: () => Promise<unknown>, isCompared?: boolean) => Promise<unknown>;
}

/** A call that may change data outside. */
export interface EffectCall {
  readonly adapter: string;
  readonly args: readonly unknown[];
  /** Declared facts of the adapter, if it is a tool. */
  readonly facts: ToolFacts | undefined;
}

/** Skips writes while steps are tested. */
export interface WriteInterceptor {
  /** Replacement of a write; undefined for a call that may run. */
  readonly intercept: (call: EffectCall) => (() => unknown) | undefined;
}

/** Observer of each connection that is made outside of the adapters. */
export interface NetworkObserver {
  /** Returns the error that a connection fails with, if it is blocked; `at` is the location of the request. */
  readonly onConnection: (host: string, at: string) => Error | undefined;
  /** True if connections are blocked: then runs inside of this one use this observer, not theirs. */
  readonly isBlocked: boolean;
}

/** Observers and handlers of a run, and whether a recorded adapter is at work, whose internals are not observed. */
interface RecordingState {
  /** Handlers of the complete run: a recorder installed while it runs adds its own. */
  readonly handlers?: Interceptors;
  readonly install?: OpenRecorder;
  readonly watch?: PurityWatch;
  readonly effects?: WriteInterceptor;
  readonly network?: NetworkObserver;
  /** The run whose code this is; absent outside of runs. */
  readonly run?: ActiveRun;
  readonly inAdapter: boolean;
}

/** A run of a step that has begun. */
interface ActiveRun {
  /** State of the run's own code. */
  readonly state: RecordingState;
  /** True while a recorded adapter may be at work: a request from elsewhere is likely that adapter's own. */
  readonly isAdapterAtWork: () => boolean;
  isOver: boolean;
  /** Error of the first refused request that this run may have sent. */
  refusal?: Error | undefined;
  /** Ends the run with an error, also if its code never gets the error of the refused request. */
  readonly end: (error: Error) => void;
}

const activeRuns = sharedValue("active-runs", isRunSet, () => new Set());

function isRunSet(value: unknown): value is Set<ActiveRun> {
  return types.isSet(value);
}

/** Opens a recorder in a run that has begun; one that is open stays unchanged. */
export type OpenRecorder = (name: string) => Interceptors | undefined;

const scope: AsyncScope<RecordingState> = asyncScope("recording", isRecordingState);

/** Watches a function and all it starts. */
export function withPurityWatch<R>(watch: PurityWatch, body: () => R): R {
  return scope.run({ ...scope.get(), watch, inAdapter: false }, body);
}

/** Uses handlers for a function and all it starts. */
export function withInterceptors<R>(handlers: Interceptors, body: () => R): R {
  return scope.run(interceptedState(handlers), body);
}

function interceptedState(handlers: Interceptors): RecordingState {
  const around = scope.get();
  return { ...around, handlers: { ...around?.handlers, ...handlers }, inAdapter: false };
}

/** Scope of one run. */
interface RunScope {
  readonly install: OpenRecorder;
  readonly network?: NetworkObserver | undefined;
  readonly isAdapterAtWork: ActiveRun["isAdapterAtWork"];
}

/**
 * Runs a step's code with handlers, as {@link withInterceptors} does. `install` opens recorders added while it runs,
 * and `network` is a network guard: a blocked outer guard stays blocked. Until the run ends, requests from other
 * asynchronous contexts belong to it: those of a queue that was started with its module, of a timer, of an earlier run.
 * Rejects with the error of a refused request, even if the step caught it: the step's result isn't that of a complete
 * run.
 */
export async function withActiveRun<T>(
  handlers: Interceptors,
  run: () => T | PromiseLike<T>,
  { install, network, isAdapterAtWork }: RunScope,
): Promise<T> {
  const around = interceptedState(handlers);
  const guard = around.network?.isBlocked === true ? around.network : network;
  const state: RecordingState = { ...around, install, ...(guard && { network: guard }) };
  const { promise: ended, reject: end } = Promise.withResolvers<never>();
  const active: ActiveRun = { state, isAdapterAtWork, isOver: false, end };
  const runs = activeRuns();
  const outer = state.run !== undefined && runs.delete(state.run) ? state.run : undefined;
  runs.add(active);
  let isAbandoned = true;
  const untilEnd = async (): Promise<T> => {
    try {
      return await scope.run({ ...state, run: active }, run);
    } finally {
      isAbandoned = false;
    }
  };
  try {
    const value = await Promise.race([untilEnd(), ended]);
    if (active.refusal !== undefined) throw active.refusal;
    return value;
  } catch (error) {
    // Its code may still run, and repeat the request: it keeps its own handlers, and no other run gets them.
    isAbandoned ||= error instanceof UnrecordedRequestError;
    throw active.refusal ?? error;
  } finally {
    active.isOver = !isAbandoned;
    runs.delete(active);
    if (outer?.isOver === false) {
      runs.add(outer);
      outer.refusal ??= active.refusal;
    }
  }
}

/** Characters of a request that an error names. */
const MAX_ACTION = 200;

/** A request that any of several active runs can have sent. */
class AmbiguousRequestError extends Error {
  override readonly name = "AmbiguousRequestError";
}

/**
 * Calls a function in the run that a request belongs to: its own, or the only active one if it comes from another
 * asynchronous context. Throws an error if several runs are active and it can be any of them; `action` says what a run
 * did, such as "sent GET https://api.test/rates".
 */
export function inOwnRun<R>(action: () => string, body: () => R): R {
  const runs = runsOfUnattributed();
  const [only] = runs;
  if (only === undefined || (runs.length === 1 && only.isAdapterAtWork())) return body();
  if (runs.length === 1) return scope.run({ ...only.state, run: only }, body);
  // A run that is recorded or replayed has loaded the redactor. This module doesn't: set-up files would load it, too.
  const redacted = redactionState().hide?.(action(), {});
  const text = typeof redacted === "string" ? truncate(escapeText(redacted), MAX_ACTION) : "sent a request";
  const refusal = new AmbiguousRequestError(
    `veritest can't tell which of ${runs.length} active runs ${text}. The request came from shared code, ` +
      "such as a queue, a timer or a cached promise. " +
      "Pass the client as an adapter, or run these tests one by one.",
  );
  for (const run of runs) {
    run.refusal ??= refusal;
    run.end(refusal);
  }
  throw refusal;
}

/** Lets the run whose code this is end with an error, even if the code handles the failure of its request. */
export function failOwnRun(error: Error): void {
  const run = scope.get()?.run;
  if (run !== undefined) run.refusal ??= error;
}

/** The runs that a request may belong to, if it comes from the context of none; empty if it comes from one. */
function runsOfUnattributed(): readonly ActiveRun[] {
  const state = scope.get();
  const isOwn = state?.run === undefined ? state?.handlers !== undefined : !state.run.isOver;
  if (isOwn || state?.inAdapter === true || activeRuns().size === 0 || isTracingSuppressed()) return [];
  return [...activeRuns()];
}

/** Opens a recorder in the run under way. */
export function openRecorderHere(name: string): void {
  const { handlers, install } = scope.get() ?? {};
  if (handlers !== undefined) Object.assign(handlers, install?.(name));
}

/** Skips the writes of a function and of all it starts. */
export function skippingWrites<R>(effects: WriteInterceptor, body: () => R): R {
  return scope.run({ inAdapter: false, ...scope.get(), effects }, body);
}

/** Returns true if writes are skipped here because a step is being tested. */
export function skipsWrites(): boolean {
  return scope.get()?.effects !== undefined;
}

/** Returns the replacement of a call that is a skipped write; undefined for a call that runs. */
export function skippedWrite(call: EffectCall): (() => unknown) | undefined {
  return scope.get()?.effects?.intercept(call);
}

/** Runs a call, or its replacement if it is a skipped write. */
export function performCall(call: EffectCall, run: () => unknown): unknown {
  const replacement = skippedWrite(call);
  return replacement === undefined ? inAdapter(run) : replacement();
}

/** Returns the guard of the network here; undefined inside adapters, whose calls are recorded as theirs. */
export function currentNetworkObserver(): NetworkObserver | undefined {
  const state = scope.get();
  return state === undefined || state.inAdapter ? undefined : state.network;
}

/** Calls a function whose own use of watched APIs isn't reported for its caller. */
export function unwatched<R>(body: () => R): R {
  const { watch: _watch, ...state } = scope.get() ?? { inAdapter: false };
  return scope.run(state, body);
}

/** Calls a function as an adapter: its internals are not observed. Costs almost no time if no run is observed. */
export function inAdapter<R>(body: () => R): R {
  const state = scope.get();
  return state === undefined || state.inAdapter ? body() : scope.run({ ...state, inAdapter: true }, body);
}

/** Returns true if a recorded adapter is at work here. */
export function isInAdapter(): boolean {
  return scope.get()?.inAdapter === true;
}

/** Observer of the current run; undefined outside of a watched run, and inside adapters. */
export function currentPurityWatch(): PurityWatch | undefined {
  const state = scope.get();
  return state === undefined || state.inAdapter ? undefined : state.watch;
}

/**
 * Handlers of the current run; empty outside of a recorder, and inside adapters, whose calls are recorded as theirs.
 */
export function currentInterceptors(): Interceptors {
  const state = scope.get();
  return state === undefined || state.inAdapter ? {} : (state.handlers ?? {});
}

function isRecordingState(value: unknown): value is RecordingState {
  return isPlainObject(value) && typeof value["inAdapter"] === "boolean";
}
