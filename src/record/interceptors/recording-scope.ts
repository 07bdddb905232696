import { isPlainObject } from "../../kernel/json/plain-data.ts";
import type { ToolFacts } from "./tool-mark.ts";
import { type AsyncScope, asyncScope } from "../../kernel/async-scope.ts";

/** What is noted of one watched run. */
export interface PurityWatch {
  /** Notes the use of a function with hidden state; `trap` is the function whose callers count. */
  readonly note: (api: string, trap: object) => void;
}

/** What answers `fetch` in its place; `original` is the function that was replaced. */
export type FetchHandler = (
  input: FetchInput,
  init: RequestInit | undefined,
  original: typeof fetch,
) => Promise<Response>;

/** What `fetch` takes first. */
export type FetchInput = Parameters<typeof fetch>[0];

/** What the AI SDK asks a model, and which. */
export interface ModelCall {
  readonly params: object;
  readonly model: { readonly provider: string; readonly modelId: string };
}

/** What answers a model of the AI SDK in its place; `ask` asks the model itself. */
export interface ModelHandler {
  readonly generate: (call: ModelCall, ask: () => PromiseLike<unknown>) => Promise<unknown>;
  readonly stream: (call: ModelCall, ask: () => PromiseLike<object>) => Promise<object>;
  /** Told of a tool that runs past the recording; throws where answers are recorded. */
  readonly unrecordedModel: (tool: string, when: "was about to run" | "ran") => void;
  /** Whether a call of this tool was recorded, or served, in this run. */
  readonly isRecorded: (tool: string) => boolean;
}

/** A tool that is called past the adapters: by the step's own code, or by an agent's SDK. */
export interface ToolUse {
  readonly facts: ToolFacts;
  readonly args: readonly unknown[];
  /** Runs the tool's body. */
  readonly run: () => unknown;
}

/** What answers in the place of the world. */
export interface Interceptors {
  readonly fetch?: FetchHandler;
  readonly model?: ModelHandler;
  readonly tools?: (use: ToolUse) => unknown;
  /** Answers what a service says of itself, once for each run: no call of the step's; `ask` asks the service. */
  readonly facts?: (path: string, ask: () => Promise<unknown>) => Promise<unknown>;
}

/** A call that may change the world. */
export interface EffectCall {
  readonly adapter: string;
  readonly args: readonly unknown[];
  /** What the adapter says of itself, where it is a tool. */
  readonly facts: ToolFacts | undefined;
}

/** Holds writes back where steps are tested. */
export interface WriteInterceptor {
  /** What answers in the place of a write; undefined for a call that may run. */
  readonly intercept: (call: EffectCall) => (() => unknown) | undefined;
}

/** What is told of each connection that is made past the adapters. */
export interface NetworkObserver {
  /** The error that a connection ends in, where it may not be made; `at` is where it is asked for. */
  readonly onConnection: (host: string, at: string) => Error | undefined;
  /** Whether this gate may be shut for others inside it. */
  readonly isBlocked: boolean;
}

/** Who watches and who answers here, and whether a recorded adapter is at work, whose affairs are its own. */
interface RecordingState {
  /** Of the whole run: what is installed while it runs answers in it, too. */
  readonly handlers?: Interceptors;
  readonly install?: OpenRecorder;
  readonly watch?: PurityWatch;
  readonly effects?: WriteInterceptor;
  readonly network?: NetworkObserver;
  readonly inAdapter: boolean;
}

/** Opens a tape in a run that has begun; what is open there already is left alone. */
export type OpenRecorder = (name: string) => Interceptors | undefined;

const scope: AsyncScope<RecordingState> = asyncScope("recording", isRecordingState);

/** Watches a function and all it starts. */
export function withPurityWatch<R>(watch: PurityWatch, body: () => R): R {
  return scope.run({ ...scope.get(), watch, inAdapter: false }, body);
}

/**
 * Lets handlers answer for a function and all it starts; `install` opens what is added while that runs, and `network`
 * is a gate before the network: one that is shut around it stays.
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

/** Lets a tape answer in the run that is under way here. */
export function openRecorderHere(name: string): void {
  const { handlers, install } = scope.get() ?? {};
  if (handlers !== undefined) Object.assign(handlers, install?.(name));
}

/** Holds the writes of a function and of all it starts. */
export function skippingWrites<R>(effects: WriteInterceptor, body: () => R): R {
  return scope.run({ inAdapter: false, ...scope.get(), effects }, body);
}

/** Whether writes are held here: whether a step is being tested. */
export function skipsWrites(): boolean {
  return scope.get()?.effects !== undefined;
}

/** Runs a call, or what answers in its place where it is a write that is held. */
export function performCall(call: EffectCall, run: () => unknown): unknown {
  const held = scope.get()?.effects?.intercept(call);
  return held === undefined ? inAdapter(run) : held();
}

/** The gate before the network here; none inside adapters, whose calls are recorded as theirs. */
export function currentNetworkObserver(): NetworkObserver | undefined {
  const state = scope.get();
  return state === undefined || state.inAdapter ? undefined : state.network;
}

/** Calls a function whose own uses of what is watched are not its caller's doing. */
export function unwatched<R>(body: () => R): R {
  const { watch: _watch, ...state } = scope.get() ?? { inAdapter: false };
  return scope.run(state, body);
}

/** Calls a function as an adapter: what it uses is its own affair. Costs next to nothing when nobody watches. */
export function inAdapter<R>(body: () => R): R {
  const state = scope.get();
  return state === undefined || state.inAdapter ? body() : scope.run({ ...state, inAdapter: true }, body);
}

/** Whether a recorded adapter is at work here. */
export function isInAdapter(): boolean {
  return scope.get()?.inAdapter === true;
}

/** Who watches here; undefined outside of a watched run, and inside adapters. */
export function currentPurityWatch(): PurityWatch | undefined {
  const state = scope.get();
  return state === undefined || state.inAdapter ? undefined : state.watch;
}

/** What answers here; nothing outside of a tape, and inside adapters, whose calls are recorded as theirs. */
export function currentInterceptors(): Interceptors {
  const state = scope.get();
  return state === undefined || state.inAdapter ? {} : (state.handlers ?? {});
}

function isRecordingState(value: unknown): value is RecordingState {
  return isPlainObject(value) && typeof value["inAdapter"] === "boolean";
}
