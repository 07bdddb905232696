import type { AdapterCall } from "../adapter-call.ts";
import { CallLog } from "../proxy/call-log.ts";
import type { CallTape } from "../proxy/call-tape.ts";
import { recordReadable } from "../proxy/record-answer.ts";
import { isAsyncIterable } from "../encode/builtins.ts";
import type { RecordingMiss } from "../replay/recording-miss.ts";
import { type RecordingOptions, recordingRules } from "../recording-rules.ts";
import { type ModelCall, type ModelHandler, handlersHere, inAdapter } from "./recording-scope.ts";
import { answersFrom, serveRequest } from "../replay/serve-call.ts";
import { signalIn } from "../replay/staged-end.ts";
import { type TapeAnswers, addTape } from "./tapes.ts";

/** A version of the provider specification: `v4` of the AI SDK 7, `v3` of its version 6; 5 takes either. */
export type ModelSpecification = "v3" | "v4";

/**
 * Middleware for `wrapLanguageModel` of the AI SDK, with as much of its types as is used here, so that nobody needs the
 * package to compile this.
 */
export interface ModelMiddleware<Version extends ModelSpecification = "v4"> {
  readonly specificationVersion: Version;
  readonly wrapGenerate: <R>(options: ModelCall & { readonly doGenerate: () => PromiseLike<R> }) => Promise<R>;
  readonly wrapStream: <R extends object>(
    options: ModelCall & { readonly doStream: () => PromiseLike<R> },
  ) => Promise<R>;
}

/** Middleware that writes down what a model is asked and answers. */
export interface ModelRecorder {
  readonly source: "live";
  readonly middleware: ModelMiddleware;
  /** The calls so far, as `model.generate` and `model.stream`. */
  readonly calls: () => readonly AdapterCall[];
  /** One sentence for each call that a replay could not repeat. */
  readonly problems: () => readonly string[];
}

/**
 * Records a language model of the AI SDK.
 *
 * @example
 * const recorder = recordModel();
 * const model = wrapLanguageModel({ model: openai("gpt-4o"), middleware: recorder.middleware });
 */
export function recordModel(options?: RecordingOptions): ModelRecorder {
  const log = new CallLog(recordingRules(options));
  return {
    source: "live",
    middleware: middlewareOf(recordingModel(log), "v4"),
    calls: () => log.calls(),
    problems: () => log.problems(),
  };
}

/**
 * Middleware by which the matchers record and serve a model that a step asks without adapters, as they do with
 * adapters. Elsewhere the model is asked as ever. The AI SDK 6 has types of an older specification: `tapeModel("v3")`.
 *
 * @example
 * const model = wrapLanguageModel({ model: openai("gpt-4o"), middleware: tapeModel() });
 */
export function tapeModel(): ModelMiddleware;
export function tapeModel<Version extends ModelSpecification>(version: Version): ModelMiddleware<Version>;
export function tapeModel(version: ModelSpecification = "v4"): ModelMiddleware<ModelSpecification> {
  addModelTape();
  return middlewareOf(undefined, version);
}

/** Lets the runs of this process record and serve models that are asked past the adapters. */
export function addModelTape(): void {
  addTape("model", {
    record: ({ log }) => ({ handlers: { model: recordingModel(log) } }),
    serve: (answers) => ({ handlers: { model: servingModel(answers) } }),
  });
}

/** Where the calls of a model are recorded. */
interface ModelPaths {
  readonly generate: string;
  readonly stream: string;
}

const TAPE: ModelPaths = { generate: "model.generate", stream: "model.stream" };

const WRAP_IT = "wrap the tools: tapeTools(tools)";

/** Middleware of one handler, or else of that of the run it is asked in. */
function middlewareOf<Version extends ModelSpecification>(
  handler: ModelHandler | undefined,
  specificationVersion: Version,
): ModelMiddleware<Version> {
  return {
    specificationVersion,
    wrapGenerate: async ({ params, model, doGenerate }) => {
      const answering = handler ?? handlersHere().model;
      return answering === undefined
        ? doGenerate()
        : typedAs(await answering.generate({ params, model }, doGenerate), doGenerate);
    },
    wrapStream: async ({ params, model, doStream }) => {
      const answering = handler ?? handlersHere().model;
      return answering === undefined
        ? doStream()
        : typedAs(await answering.stream({ params, model }, doStream), doStream);
    },
  };
}

/** Asks the model itself, and writes down what it was asked and answers. */
export function recordingModel(log: CallLog, paths: ModelPaths = TAPE): ModelHandler {
  // A model among the adapters is asked by the step, not past it.
  const outer = paths === TAPE ? handlersHere().model : undefined;
  return {
    generate: async (call, ask) => {
      const tape = log.begin(paths.generate, requestOf(call));
      const result = await followed(() => (outer === undefined ? inAdapter(ask) : outer.generate(call, ask)), tape);
      tape?.returned(answerOf(result));
      return result;
    },
    stream: async (call, ask) => {
      const tape = log.begin(paths.stream, requestOf(call));
      const result = await followed(() => (outer === undefined ? inAdapter(ask) : outer.stream(call, ask)), tape);
      const stream: unknown = Reflect.get(result, "stream");
      return tape !== undefined && isAsyncIterable(stream)
        ? Object.assign({}, result, { stream: recordReadable(stream, tape) })
        : result;
    },
    untaped: (tool) => log.refuse(`tools.${tool}`, `is not recorded, ${WRAP_IT}`),
    isTaped: (tool) => log.calls().some(({ adapter }) => adapter === `tools.${tool}`),
  };
}

async function followed<R>(ask: () => PromiseLike<R>, tape: CallTape | undefined): Promise<R> {
  tape?.promised();
  try {
    return await ask();
  } catch (error) {
    tape?.threw(error);
    throw error;
  }
}

/** Middleware that answers from a recording and asks no model. */
export interface ModelServer {
  readonly source: "recorded";
  readonly middleware: ModelMiddleware;
  readonly served: () => number;
  readonly misses: () => readonly RecordingMiss[];
  readonly unused: () => readonly AdapterCall[];
}

/**
 * Serves what `recordModel` recorded, whatever model is wrapped. A call that was not recorded rejects with a
 * `RecordingMissError`.
 */
export function serveModel(calls: readonly AdapterCall[], options?: RecordingOptions): ModelServer {
  const answers = answersFrom(calls, options);
  return {
    source: "recorded",
    middleware: middlewareOf(servingModel(answers), "v4"),
    served: () => answers.index.served(),
    misses: () => [...answers.misses],
    unused: () => answers.index.unused(),
  };
}

/** Answers from what {@link recordingModel} wrote down. */
export function servingModel(answers: TapeAnswers, paths: ModelPaths = TAPE): ModelHandler {
  const answer = async (adapter: string, asked: ModelCall): Promise<unknown> =>
    serveRequest(adapter, requestOf(asked), { ...answers, signal: signalIn([asked.params]) });
  return {
    generate: async (call) => answer(paths.generate, call),
    stream: async (call) => ({ stream: await answer(paths.stream, call) }),
    untaped: (tool, when) => {
      throw new Error(`tool "${tool}" ${when} during a replay: ${WRAP_IT}`);
    },
    isTaped: (tool) => answers.index.made().some(({ adapter }) => adapter === `tools.${tool}`),
  };
}

/** The request without what is no part of the question: headers name keys and versions, a signal is no data. */
function requestOf({ params, model }: ModelCall): readonly [unknown] {
  return [{ provider: model.provider, modelId: model.modelId, params: without(params, ["headers", "abortSignal"]) }];
}

/** The answer without the HTTP request and response it came by. */
function answerOf(result: unknown): unknown {
  if (typeof result !== "object" || result === null) return result;
  const answer = without(result, ["request"]);
  const response: unknown = Reflect.get(result, "response");
  return typeof response === "object" && response !== null
    ? { ...answer, response: without(response, ["headers", "body"]) }
    : answer;
}

function without(fields: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Gives a recorded answer the type that the model's own method answers with; the method itself is not called. */
export function typedAs<R>(answer: unknown, ask: () => PromiseLike<R>): R {
  if (isAnswerOf(answer, ask)) return answer;
  throw new TypeError("the recorded answer of the model is no object");
}

// The recording was made of such an answer; that is all that can be known of its type at run time.
function isAnswerOf<R>(answer: unknown, _ask: () => PromiseLike<R>): answer is R {
  return typeof answer === "object" && answer !== null;
}
