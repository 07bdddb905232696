import { type AdapterCall, MODEL_PATHS } from "../adapter-call.ts";
import { CallLog } from "../proxy/call-log.ts";
import type { CallRecorder } from "../proxy/call-recorder.ts";
import { recordReadable } from "../proxy/record-response.ts";
import { isAsyncIterable } from "../encode/builtins.ts";
import type { UnrecordedRequest } from "../replay/unrecorded-request.ts";
import { type RecordingOptions, recordingRules } from "../recording-rules.ts";
import { type ModelCall, type ModelHandler, currentInterceptors, inAdapter } from "./recording-scope.ts";
import { replayedCalls, replayRequest } from "../replay/replay-call.ts";
import { signalIn } from "../replay/injected-end.ts";
import { type ReplaySource, registerRecorder } from "./recorders.ts";

/** Version of the AI SDK's provider specification: `v4` for AI SDK 7, `v3` for AI SDK 6. AI SDK 5 accepts both. */
export type ModelSpecification = "v3" | "v4";

/**
 * Middleware for `wrapLanguageModel` of the AI SDK. It declares only the types used here, so that the package isn't
 * needed to compile this.
 */
export interface ModelMiddleware<Version extends ModelSpecification = "v4"> {
  readonly specificationVersion: Version;
  readonly wrapGenerate: <R>(options: ModelCall & { readonly doGenerate: () => PromiseLike<R> }) => Promise<R>;
  readonly wrapStream: <R extends object>(
    options: ModelCall & { readonly doStream: () => PromiseLike<R> },
  ) => Promise<R>;
}

/** Middleware that records the requests to a model and its responses. */
export interface ModelRecorder {
  readonly source: "live";
  readonly middleware: ModelMiddleware;
  /** The calls so far, as `model.generate` and `model.stream`. */
  readonly calls: () => readonly AdapterCall[];
  /** Problems of the recording, one sentence each: calls that a replay can't repeat. */
  readonly problems: () => readonly string[];
}

/**
 * Creates a recorder for a language model of the AI SDK.
 *
 * @example
 * const recorder = createModelRecorder();
 * const model = wrapLanguageModel({ model: openai("gpt-4o"), middleware: recorder.middleware });
 */
export function createModelRecorder(options?: RecordingOptions): ModelRecorder {
  const log = new CallLog(recordingRules(options));
  return {
    source: "live",
    middleware: middlewareOf(recordingModel(log), "v4"),
    calls: () => log.calls(),
    problems: () => log.problems(),
  };
}

/**
 * Creates middleware that records and replays a model, for steps that call the model directly instead of as an adapter.
 * Outside of a check, it passes calls through. For the types of AI SDK 6, use `recordModel("v3")`.
 *
 * @example
 * const model = wrapLanguageModel({ model: openai("gpt-4o"), middleware: recordModel() });
 */
export function recordModel(): ModelMiddleware;
export function recordModel<Version extends ModelSpecification>(version: Version): ModelMiddleware<Version>;
export function recordModel(version: ModelSpecification = "v4"): ModelMiddleware<ModelSpecification> {
  registerModelRecorder();
  return middlewareOf(undefined, version);
}

/** Lets the runs of this process record and replay models that are called outside of the adapters. */
export function registerModelRecorder(): void {
  registerRecorder("model", {
    record: ({ log }) => ({ handlers: { model: recordingModel(log) } }),
    replay: (source) => ({ handlers: { model: replayingModel(source) } }),
  });
}

/** Paths under which the calls of a model are recorded. */
interface ModelPaths {
  readonly generate: string;
  readonly stream: string;
}

const WRAP_IT = "Wrap the tools with recordTools(tools)";

/** Middleware of one handler, or of the handler of the current run. */
function middlewareOf<Version extends ModelSpecification>(
  handler: ModelHandler | undefined,
  specificationVersion: Version,
): ModelMiddleware<Version> {
  return {
    specificationVersion,
    wrapGenerate: async ({ params, model, doGenerate }) => {
      const active = handler ?? currentInterceptors().model;
      return active === undefined
        ? doGenerate()
        : typedAs(await active.generate({ params, model }, doGenerate), doGenerate);
    },
    wrapStream: async ({ params, model, doStream }) => {
      const active = handler ?? currentInterceptors().model;
      return active === undefined ? doStream() : typedAs(await active.stream({ params, model }, doStream), doStream);
    },
  };
}

/** Calls the model and records the request and the response. */
export function recordingModel(log: CallLog, paths: ModelPaths = MODEL_PATHS): ModelHandler {
  // A model among the adapters is called by the step as an adapter.
  const outer = paths === MODEL_PATHS ? currentInterceptors().model : undefined;
  return {
    generate: async (call, callModel) => {
      const recorder = log.begin(paths.generate, requestOf(call));
      recorder?.setSignal(signalIn([call.params]));
      const result = await followed(
        () => (outer === undefined ? inAdapter(callModel) : outer.generate(call, callModel)),
        recorder,
      );
      recorder?.returned(storableResponse(result));
      return result;
    },
    stream: async (call, callModel) => {
      const recorder = log.begin(paths.stream, requestOf(call));
      recorder?.setSignal(signalIn([call.params]));
      const result = await followed(
        () => (outer === undefined ? inAdapter(callModel) : outer.stream(call, callModel)),
        recorder,
      );
      const stream: unknown = Reflect.get(result, "stream");
      return recorder !== undefined && isAsyncIterable(stream)
        ? Object.assign({}, result, { stream: recordReadable(stream, recorder) })
        : result;
    },
    unrecordedModel: (tool) => log.refuse(`tools.${tool}`, `isn't recorded. ${WRAP_IT}`),
    isRecorded: (tool) => log.calls().some(({ adapter }) => adapter === `tools.${tool}`),
  };
}

async function followed<R>(callModel: () => PromiseLike<R>, recorder: CallRecorder | undefined): Promise<R> {
  recorder?.markPromise();
  try {
    return await callModel();
  } catch (error) {
    recorder?.threw(error);
    throw error;
  }
}

/** Middleware that replays a recording and doesn't call a model. */
export interface ModelReplayer {
  readonly source: "recorded";
  readonly middleware: ModelMiddleware;
  readonly replayed: () => number;
  readonly unrecorded: () => readonly UnrecordedRequest[];
  readonly uncalled: () => readonly AdapterCall[];
}

/**
 * Creates middleware that replays the recording of `createModelRecorder`, for any wrapped model. An unrecorded call
 * rejects with an `UnrecordedRequestError`.
 */
export function createModelReplayer(calls: readonly AdapterCall[], options?: RecordingOptions): ModelReplayer {
  const source = replayedCalls(calls, options);
  return {
    source: "recorded",
    middleware: middlewareOf(replayingModel(source), "v4"),
    replayed: () => source.index.replayedCount(),
    unrecorded: () => [...source.unrecorded],
    uncalled: () => source.index.uncalled(),
  };
}

/** Responds with the calls that {@link recordingModel} recorded. */
export function replayingModel(source: ReplaySource, paths: ModelPaths = MODEL_PATHS): ModelHandler {
  const replayCall = async (adapter: string, call: ModelCall): Promise<unknown> =>
    replayRequest(adapter, requestOf(call), { ...source, signal: signalIn([call.params]) });
  return {
    generate: async (call) => replayCall(paths.generate, call),
    stream: async (call) => ({ stream: await replayCall(paths.stream, call) }),
    unrecordedModel: (tool, when) => {
      throw new Error(`Tool "${tool}" ${when} but isn't recorded. ${WRAP_IT}`);
    },
    isRecorded: (tool) => source.index.made().some(({ adapter }) => adapter === `tools.${tool}`),
  };
}

/**
 * The request without fields that don't belong to its content: headers have keys and versions, a signal isn't data.
 */
function requestOf({ params, model }: ModelCall): readonly [unknown] {
  return [{ provider: model.provider, modelId: model.modelId, params: without(params, ["headers", "abortSignal"]) }];
}

/** The response without its HTTP request and response. */
function storableResponse(result: unknown): unknown {
  if (typeof result !== "object" || result === null) return result;
  const fields = without(result, ["request"]);
  const response: unknown = Reflect.get(result, "response");
  return typeof response === "object" && response !== null
    ? { ...fields, response: without(response, ["headers", "body"]) }
    : fields;
}

function without(fields: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Gives a recorded response the type of the response of the model's own method, which isn't called. */
export function typedAs<R>(response: unknown, callModel: () => PromiseLike<R>): R {
  if (isResponseOf(response, callModel)) return response;
  throw new TypeError("the recorded response of the model isn't an object");
}

// The recording was made of such a response; no more can be known of its type at run time.
function isResponseOf<R>(response: unknown, _callModel: () => PromiseLike<R>): response is R {
  return typeof response === "object" && response !== null;
}
