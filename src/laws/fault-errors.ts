import { isPlainObject } from "../base/plain-data.ts";

/** Whose client a call is of, by what was asked and what it answered. */
export type Provider = "openai" | "anthropic" | "ai-sdk" | "other";

/** What goes wrong between a client and its service. */
export type Trouble = 429 | 500 | "network" | "timeout";

/** What services say: the words are those of their answers, which no step should go by. */
const SAID = {
  429: { openai: ["requests", "rate_limit_exceeded"], anthropic: "rate_limit_error", words: "Rate limit reached" },
  500: { openai: ["server_error", null], anthropic: "api_error", words: "The server had an error" },
} as const;

/** The body with which a service answers that status. */
export function errorBody(provider: Provider, status: 429 | 500): Record<string, unknown> {
  const { openai, anthropic, words } = SAID[status];
  if (provider === "anthropic") return { type: "error", error: { type: anthropic, message: words } };
  const [type, code] = openai;
  return { error: { message: words, type, param: null, code } };
}

/** Makes the error that a provider's client would throw: of its own class, where the package can be loaded. */
export type ErrorOf = (trouble: Trouble) => unknown;

/** How a provider's errors are made. */
export async function errorsOf(provider: Provider): Promise<ErrorOf> {
  if (provider === "ai-sdk") return aiSdkError;
  const client = provider === "other" ? undefined : await clientOf(provider);
  return (trouble) => {
    const own = client && provider !== "other" ? clientError(client, provider, trouble) : undefined;
    return own ?? plainError(provider, trouble);
  };
}

type Constructor = new (...args: never[]) => unknown;

/** What of a client's package is used. */
interface Client {
  readonly APIError: { generate(status: number, body: object, message: undefined, headers: Headers): unknown };
  readonly APIConnectionError: Constructor;
  readonly APIConnectionTimeoutError: Constructor;
}

const PACKAGES = { openai: "openai", anthropic: "@anthropic-ai/sdk" } as const;

async function clientOf(provider: keyof typeof PACKAGES): Promise<Client | undefined> {
  const name: string = PACKAGES[provider];
  try {
    const loaded: unknown = await import(name);
    return [loaded, isPlainLike(loaded) ? Reflect.get(loaded, "default") : undefined].find(isClient);
  } catch {
    // It is not installed, or not where this package is: then the error says the same, and is of no class.
    return undefined;
  }
}

function isPlainLike(value: unknown): value is object {
  return (typeof value === "object" || typeof value === "function") && value !== null;
}

function isClient(value: unknown): value is Client {
  if (!isPlainLike(value)) return false;
  const { APIError, APIConnectionError, APIConnectionTimeoutError }: Record<string, unknown> = { ...value };
  return (
    [APIConnectionError, APIConnectionTimeoutError].every((one) => typeof one === "function") && isPlainLike(APIError)
  );
}

function clientError(client: Client, provider: Provider, trouble: Trouble): unknown {
  if (trouble === "timeout") return Reflect.construct(client.APIConnectionTimeoutError, []);
  if (trouble === "network") return Reflect.construct(client.APIConnectionError, [{ cause: fetchFailed() }]);
  return client.APIError.generate(trouble, errorBody(provider, trouble), undefined, new Headers());
}

/** What `fetch` rejects with where nobody answers. */
export function fetchFailed(): TypeError {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:443"), {
    errno: -111,
    code: "ECONNREFUSED",
    syscall: "connect",
    address: "127.0.0.1",
    port: 443,
  });
  return new TypeError("fetch failed", { cause: refused });
}

/** What reading a body rejects with where its connection ends. */
export function terminated(): TypeError {
  return new TypeError("terminated", {
    cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }),
  });
}

function plainError(provider: Provider, trouble: Trouble): Error {
  if (trouble === "network")
    return provider === "other" ? fetchFailed() : named("APIConnectionError", "Connection error.");
  if (trouble === "timeout") {
    const reason = "The operation was aborted due to timeout";
    return provider === "other"
      ? new DOMException(reason, "TimeoutError")
      : named("APIConnectionTimeoutError", "Request timed out.");
  }
  const body = errorBody(provider, trouble);
  const inner = isPlainObject(body["error"]) ? body["error"] : {};
  const error = named(
    trouble === 429 ? "RateLimitError" : "InternalServerError",
    `${trouble} ${String(inner["message"])}`,
  );
  return Object.assign(error, { status: trouble, code: inner["code"] ?? null, type: inner["type"], error: inner });
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

/** As `APICallError` of the AI SDK: its markers decide what that SDK takes it for. */
function aiSdkError(trouble: Trouble): Error {
  if (trouble === "timeout") return new DOMException("The operation was aborted due to timeout", "TimeoutError");
  const status = typeof trouble === "number" ? trouble : undefined;
  const data = status === undefined ? undefined : errorBody("openai", trouble === 500 ? 500 : 429);
  const message =
    status === undefined
      ? "Cannot connect to API: connect ECONNREFUSED 127.0.0.1:443"
      : SAID[status === 500 ? 500 : 429].words;
  const cause: unknown = status === undefined ? fetchFailed().cause : undefined;
  return Object.assign(new Error(message, { cause }), {
    name: "AI_APICallError",
    url: "https://localhost/",
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: status === undefined ? undefined : {},
    responseBody: data === undefined ? undefined : JSON.stringify(data),
    isRetryable: true,
    data,
    [Symbol.for("vercel.ai.error")]: true,
    [Symbol.for("vercel.ai.error.AI_APICallError")]: true,
  });
}
