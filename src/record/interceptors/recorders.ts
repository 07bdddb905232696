import { types } from "node:util";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import type { AdapterCall } from "../adapter-call.ts";
import type { CallLog } from "../proxy/call-log.ts";
import type { RecordingRules } from "../recording-rules.ts";
import type { CallIndex } from "../replay/call-index.ts";
import type { UnrecordedRequest, UnrecordedRequestError } from "../replay/unrecorded-request.ts";
import {
  type NetworkObserver,
  type Interceptors,
  openRecorderHere,
  withInterceptors,
  type ModelHandler,
  currentInterceptors,
} from "./recording-scope.ts";

/** The tapes of this process, in all copies of this module: who installs one brings its code, nobody else loads it. */
const KEY = Symbol.for("veritest.tapes");

/** The adapter's path under which requests of `fetch` are recorded, and the name of their tape. */
export const FETCH = "fetch";

/** A way to record what a run asks past its adapters, and to answer it: `fetch`, a model of the AI SDK. */
export interface Recorder {
  /** Starts to record; called where the run begins. */
  readonly record: (to: { readonly log: CallLog; readonly rules: RecordingRules }) => OpenedRecorder;
  /** Starts to answer; called where the run begins. */
  readonly replay: (from: ReplaySource) => OpenedRecorder;
}

/** What a tape answers from. */
export interface ReplaySource {
  readonly index: CallIndex;
  readonly rules: RecordingRules;
  /** Notes a miss and words it. */
  readonly onUnrecorded: (missed: UnrecordedRequest) => UnrecordedRequestError;
}

/** A tape of one run. */
interface OpenedRecorder {
  readonly handlers: Interceptors;
  /** Resolves when what the run began is written down. */
  readonly settled?: () => Promise<void>;
}

/**
 * Lets the runs of this process use a tape until the function handed back is called, the one that is under way here
 * among them: tools may be wrapped within a step. One that has the name is replaced.
 */
export function registerRecorder(name: string, tape: Recorder): () => void {
  const tapes = installed() ?? new Map<unknown, unknown>();
  tapes.set(name, tape);
  Reflect.set(globalThis, KEY, tapes);
  openRecorderHere(name);
  return () => {
    if (tapes.get(name) === tape) tapes.delete(name);
  };
}

/**
 * Runs something on all tapes there are, and on those that come while it runs, behind a gate before the network where
 * one is given; rejects with what it throws.
 */
export async function withRecorders<T>(
  open: (tape: Recorder) => OpenedRecorder,
  run: () => T | PromiseLike<T>,
  network?: NetworkObserver,
): Promise<T> {
  const opened = new Map<string, OpenedRecorder>();
  const install = (name: string): Interceptors | undefined => {
    const tape = installed()?.get(name);
    if (opened.has(name) || !isRecorder(tape)) return undefined;
    const one = open(tape);
    opened.set(name, one);
    return one.handlers;
  };
  const handlers: Interceptors = {};
  for (const name of installed()?.keys() ?? []) if (typeof name === "string") Object.assign(handlers, install(name));
  const value = await withInterceptors(handlers, run, { install, network });
  for (const { settled } of opened.values()) await settled?.();
  return value;
}

/**
 * What stands in the way of serving calls, in words: they were recorded on the tape of `fetch`, and it is not
 * installed, so that the step would reach the network. Undefined where nothing does.
 */
export function missingRecorderMessage(calls: readonly AdapterCall[]): string | undefined {
  if (installed()?.has(FETCH) === true || !calls.some(isFetchCall)) return undefined;
  return (
    "it was recorded on the tape of fetch, which is not installed here: use the plugin's veritest({ fetch: true }), " +
    "or call recordGlobalFetch() of veritest/fetch in a set-up file"
  );
}

/** Whether models that a step asks past its adapters were recorded, and nothing that is installed serves them. */
export function lacksModelRecorder(calls: readonly AdapterCall[]): boolean {
  return installed()?.has("model") !== true && calls.some(isRecordedModelCall);
}

function isFetchCall({ adapter, request }: AdapterCall): boolean {
  const [first] = isArray(request) ? request : [];
  return (
    adapter === FETCH &&
    isPlainObject(first) &&
    typeof first["origin"] === "string" &&
    typeof first["method"] === "string"
  );
}

/** Undefined where none was ever added. */
function installed(): Map<unknown, unknown> | undefined {
  const known: unknown = Reflect.get(globalThis, KEY);
  return types.isMap(known) ? known : undefined;
}

function isRecorder(value: unknown): value is Recorder {
  return typeof value === "object" && value !== null && "record" in value && "replay" in value;
}

/** A step whose code runs on tapes, as a recorder's or a server's `within` runs it. */
export function recordedStep(step: AnyStep, within: <T>(run: () => T | PromiseLike<T>) => Promise<T>): AnyStep {
  return { ...step, run: async (input, ctx) => within(() => step.run(input, ctx)) };
}

/** Where the AI SDK keeps the integrations that `registerTelemetry` adds; read anew for each call. */
const AI_SDK_REGISTRY = "AI_SDK_TELEMETRY_INTEGRATIONS";

/** Whether a call was recorded on the tape of models, rather than by an adapter of that path. */
function isRecordedModelCall({ adapter, request }: AdapterCall): boolean {
  const [asked] = isArray(request) ? request : [];
  return (
    (adapter === "model.generate" || adapter === "model.stream") &&
    isPlainObject(asked) &&
    typeof asked["provider"] === "string" &&
    typeof asked["modelId"] === "string"
  );
}

/**
 * Runs something whose models were recorded on a tape that is not installed: until the run itself installs one, the AI
 * SDK 7 asks no model in it and throws an error that says what to install. Rejects with what `run` throws.
 */
export async function refusingModels<T>(run: () => T | PromiseLike<T>): Promise<T> {
  const integration = {
    executeLanguageModelCall: async ({
      execute,
    }: {
      readonly execute: () => PromiseLike<unknown>;
    }): Promise<unknown> => (currentInterceptors().model === REFUSING ? refuse() : execute()),
  };
  const remove = registerWithSdk(integration);
  try {
    return await withInterceptors({ model: REFUSING }, async () => run());
  } finally {
    remove();
  }
}

function refuse(): never {
  throw new Error(
    "its model was recorded on a tape that is not installed here: call recordAiSdk() of veritest/ai-sdk in a set-up " +
      "file or beside the step, or wrap the model with recordModel()",
  );
}

/** Stands where no tape does: one that is installed later takes its place. */
const REFUSING: ModelHandler = { generate: refuse, stream: refuse, unrecordedModel: refuse, isRecorded: () => false };

/** Adds an integration to the AI SDK's registry of telemetry; the function handed back takes it away again. */
export function registerWithSdk(integration: object): () => void {
  const registry = (): readonly unknown[] => {
    const integrations: unknown = Reflect.get(globalThis, AI_SDK_REGISTRY);
    return isArray(integrations) ? integrations : [];
  };
  Reflect.set(globalThis, AI_SDK_REGISTRY, [...registry(), integration]);
  return () =>
    void Reflect.set(
      globalThis,
      AI_SDK_REGISTRY,
      registry().filter((one) => one !== integration),
    );
}
