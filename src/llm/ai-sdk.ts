import { quote } from "../base/text.ts";
import type { Exchange, Sent } from "./answer.ts";
import { aiSdkBody, foldAiSdk, readAiSdk } from "./ai-sdk-body.ts";
import { type AdapterOptions, createProvider } from "./create-provider.ts";
import { modelOf } from "./model-of.ts";
import type { LLMProvider } from "./provider.ts";
import { fieldAt } from "./read-body.ts";
import type { LLMRequest } from "./request.ts";
import { headerOf } from "./thrown-facts.ts";

/** A language model of the `ai` package's providers, specification v4. */
export interface AISDKModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly doGenerate: (options: never) => PromiseLike<unknown>;
  readonly doStream: (options: never) => PromiseLike<unknown>;
}

/** What {@link fromAISDK} takes beside the model. */
export interface AISDKOptions extends AdapterOptions {
  /** For a provider: the model of requests that name none. */
  readonly model?: string | undefined;
}

/**
 * Makes an adapter of a model (`openai("gpt-4o")`) or of a provider (`openai`, asked for the model each request names)
 * of the `ai` package. The model is called directly, one HTTP request per call: retries are made by that package's
 * `generateText`, which is not used. Throws a TypeError for a model of another specification, and for a request that
 * names another model than the one given.
 *
 * @example
 * const llm = fromAISDK(openai("gpt-4o"));
 */
export function fromAISDK(
  source: AISDKModel | ((modelId: string) => AISDKModel),
  options: AISDKOptions = {},
): LLMProvider {
  const { includeRawIO, clock } = options;
  if (typeof source !== "function") checkVersion(source);
  const modelFor = (request: LLMRequest): AISDKModel =>
    typeof source === "function" ? checkVersion(source(modelOf(request, options.model))) : checkName(source, request);
  return createProvider({
    includeRawIO,
    clock,
    exchange: (request, streamed) => exchangeOf(modelFor(request), request, streamed),
  });
}

function exchangeOf(model: AISDKModel, request: LLMRequest, streamed: boolean): Exchange {
  const body = aiSdkBody(request);
  const send = streamed ? sendStreamed : sendWhole;
  return {
    provider: model.provider,
    model: model.modelId,
    body,
    send: (signal) => send(model, withSignal(body, signal)),
    read: readAiSdk,
    fold: foldAiSdk,
  };
}

async function sendWhole(model: AISDKModel, options: object): Promise<Sent> {
  const data: unknown = await Reflect.apply(model.doGenerate, model, [options]);
  return { data, requestId: requestIdOf(data) };
}

async function sendStreamed(model: AISDKModel, options: object): Promise<Sent> {
  const answered: unknown = await Reflect.apply(model.doStream, model, [options]);
  return { data: fieldAt(answered, "stream"), requestId: requestIdOf(answered) };
}

function withSignal(body: object, signal: AbortSignal | undefined): object {
  return signal === undefined ? body : { ...body, abortSignal: signal };
}

function requestIdOf(answered: unknown): string {
  const headers = fieldAt(answered, "response", "headers");
  return headerOf(headers, "x-request-id") || headerOf(headers, "request-id");
}

function checkVersion(model: AISDKModel): AISDKModel {
  if (model.specificationVersion === "v4") return model;
  const found = quote(model.specificationVersion);
  throw new TypeError(
    `fromAISDK takes models of provider specification "v4" (the ai package, version 7), found ${found}. Update the provider's package.`,
  );
}

function checkName(model: AISDKModel, { model: asked }: LLMRequest): AISDKModel {
  if (asked === undefined || asked === model.modelId) return model;
  throw new TypeError(
    `The request is for the model ${quote(asked)}, the adapter is one of ${quote(model.modelId)}. Make it of the provider (fromAISDK(openai)) to let requests choose.`,
  );
}
