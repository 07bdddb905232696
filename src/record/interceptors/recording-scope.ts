import { isPlainObject } from "../../kernel/json/plain-data.ts";
import type { ToolFacts } from "./tool-mark.ts";
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
  /** Returns facts about a service, once for each run: not a call of the step; `callService` calls the service. */
  readonly facts?: (path: string, callService: () => Promise<unknown>) => Promise<unknown>;
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
  /** True if an inner gate may use the block of this one. */
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
  readonly inAdapter: boolean;
}

/** Opens a recorder in a run that has begun; one that is open stays unchanged. */
export type OpenRecorder = (name: string) => Interceptors | undefined;

const scope: AsyncScope<RecordingState> = asyncScope("recording", isRecordingState);

/** Watches a function and all it starts. */
export function withPurityWatch<R>(watch: PurityWatch, body: () => R): R {
  return scope.run({ ...scope.get(), watch, inAdapter: false }, body);
}

/**
 * Uses handlers for a function and all it starts; `install` opens recorders added while that runs, and `network` is a
 * network gate: a blocked outer gate stays blocked.
 */
export function withInterceptors<R>(
  handlers: Interceptors,
  body: () => R,
  { install, network }: { readonly install?: OpenRecorder; readonly network?: NetworkObserver | undefined } = {},
): R {
  const around = scope.get();
  const gate = around?.network?.isBlocked === true ? around.network : network;
  const state = { ...around, handlers: { ...around?.handlers, ...handlers }, inAdapter: false };
  return scope.run({ ...state, ...(install && { install }), ...(gate && { network: gate }) }, body);
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

/** Runs a call, or its replacement if it is a skipped write. */
export function performCall(call: EffectCall, run: () => unknown): unknown {
  const replacement = scope.get()?.effects?.intercept(call);
  return replacement === undefined ? inAdapter(run) : replacement();
}

/** The gate before the network here; none inside adapters, whose calls are recorded as theirs. */
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
