import { recordIn } from "../../../kernel/json/read-data.ts";
import { connectionLost } from "../../../record/replay/injected-end.ts";
import { userPackage } from "./user-package.ts";

/** Client of a call, recognized by its request and response. */
export type Provider = "openai" | "anthropic" | "ai-sdk" | "llm" | "mcp" | "other";

/** Fault between a client and its service, or one that the client reports itself. */
export type FaultCause =
  | 429
  | 500
  | "network"
  | "timeout"
  /** It should make data of an answer that was cut off. */
  | "length"
  /** The connection of a stream broke off, and the client gathers what it gives. */
  | "broken"
  | { readonly message: string };

/** Messages of services, in the words of their responses: no step should depend on them. */
const MESSAGES = {
  429: { openai: ["requests", "rate_limit_exceeded"], anthropic: "rate_limit_error", words: "Rate limit reached" },
  500: { openai: ["server_error", null], anthropic: "api_error", words: "The server had an error" },
} as const;

/** The body with which a service answers that status. */
export function errorBody(provider: Provider, status: 429 | 500): Record<string, unknown> {
  const { openai, anthropic, words } = MESSAGES[status];
  if (provider === "anthropic") return { type: "error", error: { type: anthropic, message: words } };
  const [type, code] = openai;
  return { error: { message: words, type, param: null, code } };
}

/** Makes the error that a provider's client would throw: of the provider's class, if the package can be loaded. */
export type ErrorOf = (cause: FaultCause) => unknown;

/** Returns the maker of a provider's errors, with the classes of the package that code at a location would import. */
export async function errorsOf(provider: Provider, from: string): Promise<ErrorOf> {
  switch (provider) {
    case "openai":
    case "anthropic": {
      const client = await userPackage(PACKAGES[provider], from, isClient);
      return (cause) => (client && clientError(client, provider, cause)) ?? plainError(provider, cause);
    }
    case "ai-sdk": {
      const sdk = await userPackage("ai", from, isAiSdk);
      return (cause) => aiSdkError(sdk, cause);
    }
    case "mcp":
      return mcpError;
    case "llm":
      return llmError;
    case "other":
      return (cause) => plainError(provider, cause);
  }
}

type Constructor = new (...args: never[]) => unknown;

/** The errors of a client. */
interface Client {
  readonly APIError: { generate(status: number, body: object, message: undefined, headers: Headers): unknown };
  readonly APIConnectionError: Constructor;
  readonly APIConnectionTimeoutError: Constructor;
  /** The class of all its errors. */
  readonly OpenAIError?: Constructor;
  readonly AnthropicError?: Constructor;
  readonly LengthFinishReasonError?: Constructor;
}

const PACKAGES = { openai: "openai/error", anthropic: "@anthropic-ai/sdk/error" } as const;

function isClient(value: unknown): value is Client {
  const names = ["APIError", "APIConnectionError", "APIConnectionTimeoutError"];
  return names.every((name) => typeof Reflect.get(Object(value), name) === "function");
}

function clientError(client: Client, provider: Provider, cause: FaultCause): unknown {
  if (typeof cause === "number")
    return client.APIError.generate(cause, errorBody(provider, cause), undefined, new Headers());
  if (cause === "timeout") return Reflect.construct(client.APIConnectionTimeoutError, []);
  if (cause === "network") return Reflect.construct(client.APIConnectionError, [{ cause: fetchFailedError() }]);
  if (cause === "length")
    return client.LengthFinishReasonError && Reflect.construct(client.LengthFinishReasonError, []);
  const own = provider === "openai" ? client.OpenAIError : client.AnthropicError;
  if (own === undefined) return undefined;
  if (cause !== "broken") return Reflect.construct(own, [cause.message]);
  const terminated = terminatedError();
  return Object.assign(Object(Reflect.construct(own, [terminated.message])), { cause: terminated });
}

/** Returns the error that `fetch` rejects with if no server responds. */
export function fetchFailedError(): TypeError {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:443"), {
    errno: -111,
    code: "ECONNREFUSED",
    syscall: "connect",
    address: "127.0.0.1",
    port: 443,
  });
  return new TypeError("fetch failed", { cause: refused });
}

/** Returns the error that reading a body rejects with if its connection ends. */
export function terminatedError(): TypeError {
  return new TypeError("terminated", {
    cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }),
  });
}

const TIMED_OUT = "The operation was aborted due to timeout";

function plainError(provider: Provider, cause: FaultCause): unknown {
  if (typeof cause === "object") return new Error(cause.message);
  if (cause === "broken") return terminatedError();
  if (cause === "length")
    return named("LengthFinishReasonError", "Could not parse response content as the length limit was reached");
  if (cause === "network")
    return provider === "other" ? fetchFailedError() : named("APIConnectionError", "Connection error.");
  if (cause === "timeout")
    return provider === "other"
      ? new DOMException(TIMED_OUT, "TimeoutError")
      : named("APIConnectionTimeoutError", "Request timed out.");
  const body = errorBody(provider, cause);
  const inner = recordIn(body["error"]);
  const error = named(cause === 429 ? "RateLimitError" : "InternalServerError", `${cause} ${String(inner["message"])}`);
  return Object.assign(error, { status: cause, code: inner["code"] ?? null, type: inner["type"], error: inner });
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

interface AiSdk {
  readonly APICallError: Constructor;
}

function isAiSdk(value: unknown): value is AiSdk {
  return typeof Reflect.get(Object(value), "APICallError") === "function";
}

/** An `APICallError` of the AI SDK; without the package, what that SDK takes for one: its markers decide. */
function aiSdkError(sdk: AiSdk | undefined, fault: FaultCause): unknown {
  const own = ownOfAiSdk(fault);
  if (own === undefined) return plainError("other", fault);
  const fields = { url: "https://localhost/", requestBodyValues: {}, isRetryable: true, ...own };
  if (sdk !== undefined) return Reflect.construct(sdk.APICallError, [fields]);
  const { message, cause, ...rest } = fields;
  return Object.assign(new Error(message, { cause }), rest, {
    name: "AI_APICallError",
    [Symbol.for("vercel.ai.error")]: true,
    [Symbol.for("vercel.ai.error.AI_APICallError")]: true,
  });
}

interface OfAiSdk {
  readonly message: string;
  readonly cause?: unknown;
  readonly statusCode?: number;
  readonly responseHeaders?: object;
  readonly responseBody?: string;
  readonly data?: unknown;
}

function ownOfAiSdk(cause: FaultCause): OfAiSdk | undefined {
  if (cause === "broken")
    return {
      message: "Failed to process successful response",
      statusCode: 200,
      responseHeaders: {},
      cause: terminatedError(),
    };
  if (cause === "network")
    return { message: "Cannot connect to API: connect ECONNREFUSED 127.0.0.1:443", cause: fetchFailedError().cause };
  if (typeof cause !== "number") return undefined;
  const data = errorBody("openai", cause);
  const message = MESSAGES[cause].words;
  return { message, statusCode: cause, responseHeaders: {}, responseBody: JSON.stringify(data), data };
}

/** Returns the response of the adapters of `veritest/llm` if their client fails: data that doesn't name the client. */
function llmError(cause: FaultCause): unknown {
  if (cause === "timeout") return { code: "timeout", message: "The model did not respond in time.", retryable: true };
  const failed = { message: "The request to the model failed.", retryable: true };
  if (cause === 429) return { ...failed, code: "rate_limit", status: 429 };
  return { ...failed, code: "provider_error", ...(cause === 500 && { status: 500 }) };
}

/** Returns the response of a tool server as JSON-RPC; one that is unavailable doesn't respond. */
function mcpError(cause: FaultCause): unknown {
  if (typeof cause === "number") return Object.assign(new Error(MESSAGES[cause].words), { code: -32_603 });
  return cause === "network" ? connectionLost() : plainError("other", cause);
}
