import { parseUrl } from "../kernel/parse-url.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { type AdapterCall, FETCH, RESPONSE_MARK, adapterSegments } from "./adapter-call.ts";

/** The parts of a call that decide its role: its path, its request, and the role its adapter declared. */
export type RoleEvidence = Pick<AdapterCall, "adapter" | "request" | "role">;

/**
 * Returns true if a call goes to a model, by its path and request; declared roles count before. Adapters of models are
 * usually named `llm` or `model`. Below another name, `model` is as likely to be a table: `db.model.delete`.
 */
export function isModelCall({ adapter, request }: RoleEvidence): boolean {
  const path = adapterSegments(adapter);
  if (path[0] === "model" || path.some((name) => name === "llm" || MODEL_REQUEST.test(name))) return true;
  const http = httpRequestOf({ adapter, request });
  if (http !== undefined) return isModelEndpoint(http);
  // The use of a model's response doesn't have the request.
  const suffixAt = adapter.search(RESPONSE_MARK);
  if (suffixAt > 0) return MODEL_METHODS.test(adapterSegments(adapter.slice(0, suffixAt)).join("."));
  const [options] = isArray(request) ? request : [];
  return MODEL_METHODS.test(adapter) && isPlainObject(options) && typeof options["model"] === "string";
}

/** Returns true if a call and a request to its adapter both go to a model, or neither does: `fetch` sends either. */
export function isOfSameKind(call: RoleEvidence, request: unknown): boolean {
  return isModelCall(call) === isModelCall({ adapter: call.adapter, request });
}

/**
 * Methods by which the SDKs of OpenAI and Anthropic call a model; other clients have such names, but without a model.
 */
const MODEL_METHODS =
  /(?:^|\.)(?:chat\.completions|completions|responses|messages)\.(?:create|parse|stream|runTools|toolRunner)$/;

/** Method names that only models have: of Gemini's SDK, and of the models of the AI SDK. */
const MODEL_REQUEST = /^(?:generateContent(?:Stream)?|doGenerate|doStream)$/;

/** The only argument of a recorded call of `fetch`. */
export interface HttpCall {
  readonly method: string;
  /** Empty if `ignore` leaves it out of requests. */
  readonly origin: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Returns the request of a call that the recorder of `fetch` made; undefined for any other call. */
export function httpRequestOf({ adapter, request }: Pick<AdapterCall, "adapter" | "request">): HttpCall | undefined {
  const [first] = adapter === FETCH && isArray(request) ? request : [];
  if (!isPlainObject(first)) return undefined;
  const { method, origin = "", path, body } = first;
  if (typeof method !== "string" || typeof origin !== "string" || typeof path !== "string") return undefined;
  return { method, origin, path, body };
}

/** The pattern that covers a request of `fetch` and no other URL or method; undefined for other calls. */
export function exactPattern(call: Pick<AdapterCall, "adapter" | "request">): string | undefined {
  const http = httpRequestOf(call);
  return http && `${FETCH} ${http.method} ${http.origin}${http.path}`;
}

/** Paths that only models have, on any host: of OpenAI and all that copy its chat, Azure, Gemini, Vertex, Cohere. */
const MODEL_PATHS: readonly RegExp[] = [
  /\/(?:chat|fim)\/completions$/,
  /\/v\d\w*\/embeddings$/,
  /\/openai\/deployments\/[^/]+\/(?:chat\/)?(?:completions|embeddings)$/,
  /\/openai\/(?:v1\/)?responses$/,
  /:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|countTokens|rawPredict|streamRawPredict)$/,
  /\/v\d\w*\/rerank$/,
];

/** Paths of models that other services have too: those are models' if the body has a model and a prompt. */
const SHARED_PATHS: readonly RegExp[] = [
  /\/(?:completions|responses|messages|moderations)$/,
  /\/messages\/count_tokens$/,
  /\/images\/(?:generations|edits)$/,
  /\/audio\/(?:speech|transcriptions|translations)$/,
  // Ollama.
  /^\/api\/(?:chat|generate|embed|embeddings)$/,
];

/** Hosts of providers, each with the paths under which it is a model; other paths are files, batches and the like. */
const MODEL_HOSTS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:[a-z]+\.)?api\.openai\.com$/,
    /^\/v1\/(?:completions|responses|moderations|images\/\w+|audio\/\w+|realtime\/\w+)$/,
  ],
  [/^api\.anthropic\.com$/, /^\/v1\/(?:messages(?:\/count_tokens)?|complete)$/],
  [/^bedrock-runtime\.[\w-]+\.amazonaws\.com(?:\.cn)?$/, /^\/model\/.+\/(?:invoke|converse)(?:-[\w-]+)?$/],
  [/^api\.cohere\.(?:ai|com)$/, /^\/(?:compatibility\/)?v\d\/(?:chat|generate|embed|classify|summarize)$/],
  [/^api\.mistral\.ai$/, /^\/v1\/(?:agents\/completions|classifications|moderations|chat\/\w+|ocr|audio\/\w+)$/],
  [/(?:^|[\w-]+-)aiplatform\.googleapis\.com$/, /:(?:predict|serverStreamingPredict)$/],
  [/^openrouter\.ai$/, /^\/api\/v1\/(?:completions|responses|messages)$/],
  [/^api\.together\.(?:ai|xyz)$/, /^\/v1\/(?:completions|images\/generations|audio\/\w+)$/],
  [/^api\.groq\.com$/, /^\/openai\/v1\/audio\/\w+$/],
  [/^api\.deepseek\.com$/, /^\/(?:beta\/|v1\/)?completions$/],
  [/^api\.x\.ai$/, /^\/v1\/(?:completions|complete|messages|responses|images\/generations)$/],
  [/^(?:api-inference|router)\.huggingface\.co$/, /^\/(?:[\w-]+\/)?models\//],
  [/^api\.replicate\.com$/, /^\/v1\/(?:(?:models|deployments)\/[^/]+\/[^/]+\/)?predictions$/],
  [/^api\.cloudflare\.com$/, /^\/client\/v4\/accounts\/[^/]+\/ai\/run\//],
  [/^runtime\.sagemaker\.[\w-]+\.amazonaws\.com(?:\.cn)?$/, /^\/endpoints\/[^/]+\/invocations/],
  [/\.(?:cloud\.databricks\.com|azuredatabricks\.net)$/, /^\/serving-endpoints\/[^/]+\/invocations$/],
  [/\.ml\.cloud\.ibm\.com$/, /^\/ml\/v1\/(?:deployments\/[^/]+\/)?text\/[\w-]+$/],
];

/** Returns true if a request goes to a model, by the hosts and paths of public APIs; `roles` declares gateways. */
function isModelEndpoint({ method, origin, path, body }: HttpCall): boolean {
  if (method !== "POST") return false;
  if (MODEL_PATHS.some((known) => known.test(path))) return true;
  const host = parseUrl(origin)?.hostname ?? "";
  if (MODEL_HOSTS.some(([hosts, paths]) => hosts.test(host) && paths.test(path))) return true;
  return isModelBody(body) && SHARED_PATHS.some((known) => known.test(path));
}

/** Fields of a request with the prompt of a model. A request about a car's `model` has none of them. */
const PROMPT_FIELDS = ["messages", "prompt", "input", "instructions", "conversation"] as const;

function isModelBody(body: unknown): boolean {
  return (
    isPlainObject(body) && typeof body["model"] === "string" && PROMPT_FIELDS.some((name) => Object.hasOwn(body, name))
  );
}
