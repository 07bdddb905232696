import { types } from "node:util";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { sharedValue } from "../../kernel/shared-value.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import type { RunInScope } from "../../kernel/step/run.ts";
import { type AdapterCall, FETCH, isModelPath } from "../adapter-call.ts";
import { httpRequestOf } from "../model-call.ts";
import type { CallLog } from "../proxy/call-log.ts";
import type { RecordingRules } from "../recording-rules.ts";
import type { CallIndex } from "../replay/call-index.ts";
import type { UnrecordedRequest, UnrecordedRequestError } from "../replay/unrecorded-request.ts";
import {
  type NetworkObserver,
  type Interceptors,
  openRecorderHere,
  withActiveRun,
  withInterceptors,
  type ModelHandler,
  currentInterceptors,
} from "./recording-scope.ts";

/** Records and replays the calls that a run makes outside of its adapters: `fetch`, a model of the AI SDK. */
export interface Recorder {
  /** Starts to record; called where the run begins. */
  readonly record: (to: { readonly log: CallLog; readonly rules: RecordingRules }) => OpenedRecorder;
  /** Starts to replay; called where the run begins. */
  readonly replay: (from: ReplaySource) => OpenedRecorder;
}

/** Source of a recorder's responses. */
export interface ReplaySource {
  readonly index: CallIndex;
  readonly rules: RecordingRules;
  /** Logs an unrecorded request and returns its error. */
  readonly onUnrecorded: (request: UnrecordedRequest) => UnrecordedRequestError;
  /** True once the run was abandoned: its further unrecorded requests get no response. */
  readonly isAbandoned: () => boolean;
}

/** A recorder opened for one run. */
interface OpenedRecorder {
  readonly handlers: Interceptors;
  /** Resolves when what the run began is written down. */
  readonly done?: () => Promise<void>;
}

/**
 * Lets the runs of this process use a recorder until the returned function is called, also the run under way: tools may
 * be wrapped within a step. It replaces a recorder of the same name.
 */
export function registerRecorder(name: string, recorder: Recorder): () => void {
  const recorders = registered();
  recorders.set(name, recorder);
  openRecorderHere(name);
  return () => {
    if (recorders.get(name) === recorder) recorders.delete(name);
  };
}

/**
 * Runs a function on all recorders, also on those registered while it runs, behind a network guard if one is given;
 * rejects with the function's error.
 */
export async function withRecorders<T>(
  open: (recorder: Recorder) => OpenedRecorder,
  run: () => T | PromiseLike<T>,
  {
    network,
    isAdapterAtWork = () => false,
  }: { readonly network?: NetworkObserver | undefined; readonly isAdapterAtWork?: () => boolean } = {},
): Promise<T> {
  const opened = new Map<string, OpenedRecorder>();
  const install = (name: string): Interceptors | undefined => {
    const recorder = registered().get(name);
    if (opened.has(name) || !isRecorder(recorder)) return undefined;
    const entry = open(recorder);
    opened.set(name, entry);
    return entry.handlers;
  };
  const handlers: Interceptors = {};
  for (const name of registered().keys()) if (typeof name === "string") Object.assign(handlers, install(name));
  try {
    return await withActiveRun(handlers, run, { install, network, isAdapterAtWork });
  } finally {
    // The calls of a failed run explain its failure.
    for (const { done } of opened.values()) await done?.();
  }
}

/**
 * Explains why calls can't be replayed: they were recorded by the recorder of `fetch`, and it is not installed, so that
 * the step would reach the network. Undefined if they can.
 */
export function missingRecorderMessage(calls: readonly AdapterCall[]): string | undefined {
  if (hasFetchRecorder() || !calls.some((call) => httpRequestOf(call) !== undefined)) return undefined;
  return (
    "it was recorded by the recorder of fetch, which isn't active here. In Vitest, use veritest({ fetch: true }); in " +
    'Jest, add setupFiles: ["veritest/fetch-setup"]; elsewhere, import "veritest/fetch-setup" first'
  );
}

/** Returns true if the recorder of `fetch` is installed. */
export function hasFetchRecorder(): boolean {
  return registered().has(FETCH);
}

/** Returns true if a recorder of models is installed. */
export function hasModelRecorder(): boolean {
  return registered().has("model");
}

/**
 * Returns true if models were called outside of the adapters in the recording, and no installed recorder replays them.
 */
export function lacksModelRecorder(calls: readonly AdapterCall[]): boolean {
  return !hasModelRecorder() && calls.some(isRecordedModelCall);
}

/** The recorders of this process by name. Only code that installs one loads it. */
const registered = sharedValue("recorders", types.isMap, () => new Map<unknown, unknown>());

function isRecorder(value: unknown): value is Recorder {
  return typeof value === "object" && value !== null && "record" in value && "replay" in value;
}

/** A step whose code runs on recorders, as a recorder's or replayer's `runInScope` runs it. */
export function recordedStep(step: AnyStep, runInScope: RunInScope): AnyStep {
  return { ...step, run: async (input, ctx) => runInScope(() => step.run(input, ctx)) };
}

/** Registry where the AI SDK keeps the integrations that `registerTelemetry` adds; read again for each call. */
const AI_SDK_REGISTRY = "AI_SDK_TELEMETRY_INTEGRATIONS";

/** Returns true if a call was recorded by the recorder of `fetch` or of models, and needs no adapter. */
export function isRecorderCall(call: AdapterCall): boolean {
  return httpRequestOf(call) !== undefined || isRecordedModelCall(call);
}

/** Returns true if a call was recorded by the recorder of models, rather than by an adapter of that path. */
function isRecordedModelCall({ adapter, request }: AdapterCall): boolean {
  const [question] = isArray(request) ? request : [];
  return (
    isModelPath(adapter) &&
    isPlainObject(question) &&
    typeof question["provider"] === "string" &&
    typeof question["modelId"] === "string"
  );
}

/**
 * Runs a function whose models need a recorder that is not installed: until the run installs one, the AI SDK 7 calls no
 * model in it and throws an error with the recorder to install. Rejects with this error even if `run` handles it, and
 * otherwise with the error of `run`.
 */
export async function refusingModels<T>(run: () => T | PromiseLike<T>): Promise<T> {
  let refused = false;
  const refuse = (): never => {
    refused = true;
    throw new Error(NO_MODEL_RECORDER);
  };
  // Used until a recorder is installed, which then replaces it.
  const refusing: ModelHandler = {
    generate: refuse,
    stream: refuse,
    unrecordedModel: refuse,
    isRecorded: () => false,
  };
  const integration = {
    executeLanguageModelCall: async ({
      execute,
    }: {
      readonly execute: () => PromiseLike<unknown>;
    }): Promise<unknown> => (currentInterceptors().model === refusing ? refuse() : execute()),
  };
  const remove = registerWithSdk(integration);
  try {
    const result = await withInterceptors({ model: refusing }, async () => run());
    // The step may return a result without its model.
    return refused ? refuse() : result;
  } catch (thrown) {
    // The AI SDK and the step may wrap the error.
    return refused ? refuse() : rethrow(thrown);
  } finally {
    remove();
  }
}

function rethrow(thrown: unknown): never {
  throw thrown;
}

/** Code of the failure of a case whose recorder isn't installed. */
export const RECORDER_MISSING = "recorder_missing";

/** Message of the error of a model that can't be replayed, because the recorder of models isn't installed. */
export const NO_MODEL_RECORDER: string =
  "it was recorded by the recorder of models, which isn't active here. With the AI SDK in Vitest, use " +
  "veritest({ aiSdk: true }); elsewhere, call recordAiSdk() of veritest/ai-sdk in a setup file or next to the step, " +
  "or wrap the model with recordModel()";

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
      registry().filter((entry) => entry !== integration),
    );
}
