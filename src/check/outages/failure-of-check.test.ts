import { createServer } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { LoadAPIKeyError } from "ai";
import { expect, test } from "vitest";
import { failureOfThrown, isAborted, isFailedCall, isMissingKey } from "./failure-of-check.ts";

const coded = (code: string): Error => Object.assign(new Error("x"), { code });
const withStatus = (status: number): Error => Object.assign(new Error("x"), { status });

test.each<[thrown: unknown, kind: string | undefined]>([
  [coded("EHOSTUNREACH"), "unavailable"],
  [coded("ENETUNREACH"), "unavailable"],
  [coded("UND_ERR_SOCKET"), "unavailable"],
  [new AggregateError([coded("ECONNREFUSED")]), "unavailable"],
  [{ status: 503 }, "unavailable"],
  [Object.assign(new Error("x"), { isRetryable: true }), "unavailable"],
  [Object.assign(new Error("x"), { isRetryable: true, statusCode: 401 }), "credentials"],
  [Object.assign(new Error("x"), { isRetryable: false }), undefined],
  [{ reason: "maxRetriesExceeded", errors: [{ statusCode: 503 }] }, "unavailable"],
  [{ lastError: withStatus(429) }, "unavailable"],
  [{ lastError: withStatus(422) }, "refused"],
  [new Error("no", { cause: { statusCode: 403 } }), "credentials"],
  [new Error("no", { cause: coded("ECONNRESET") }), "unavailable"],
  [withStatus(408), "unavailable"],
  [withStatus(520), "unavailable"],
  [withStatus(402), "unavailable"],
  [withStatus(401), "credentials"],
  [withStatus(404), "refused"],
  [withStatus(200), undefined],
  [coded("ENOENT"), undefined],
  [new DOMException("This operation was aborted", "AbortError"), undefined],
  [new Error("APIConnectionError"), undefined],
  [{ status: "429" }, "unavailable"],
  [{ statusCode: "401" }, "credentials"],
  [{ response: { status: 429 } }, "unavailable"],
  [{ response: { statusCode: 503 } }, "unavailable"],
  [{ response: { status: 200 } }, undefined],
  [{ code: 429 }, "unavailable"],
  [{ code: "503" }, "unavailable"],
  [{ name: "ThrottlingException", $metadata: { httpStatusCode: 400 } }, "unavailable"],
  [{ name: "ValidationException", $metadata: { httpStatusCode: 400 } }, "refused"],
  [{ name: "Unknown", $retryable: { throttling: true }, $metadata: { httpStatusCode: 400 } }, "unavailable"],
  [{ name: "SlowDown", $metadata: { httpStatusCode: 503 } }, "unavailable"],
  [{ name: "ExpiredTokenException", $metadata: { httpStatusCode: 400 } }, "credentials"],
  [{ name: "CredentialsProviderError" }, "credentials"],
  [Object.assign(new Error("14 UNAVAILABLE: x"), { code: 14 }), "unavailable"],
  [{ code: 8, message: "8 RESOURCE_EXHAUSTED" }, "unavailable"],
  [{ code: 14, message: "Order 14 UNAVAILABLE: x" }, undefined],
  [{ code: 8, details: "Quota exceeded" }, "unavailable"],
  [{ code: 16, details: "no token" }, "credentials"],
  [{ name: "ConnectError", code: 14 }, "unavailable"],
  [{ code: "RESOURCE_EXHAUSTED" }, "unavailable"],
  [{ status: "PERMISSION_DENIED" }, "credentials"],
  [{ code: 5, details: "no row" }, undefined],
  [{ code: 14 }, undefined],
  [new DOMException("x", "NotFoundError"), undefined],
  [new Error("429 Too Many Requests"), "unavailable"],
  [new Error("Error 503: Service Unavailable"), "unavailable"],
  [new Error("HTTP 503 Service Unavailable"), "unavailable"],
  [new Error("Request failed with status code 429"), "unavailable"],
  [new Error("HTTP error! status: 502"), "unavailable"],
  [new Error("Too Many Requests"), "unavailable"],
  [new Error("402 payment required"), "unavailable"],
  [new Error(" Forbidden\n"), "credentials"],
  [new Error("Request Timeout"), "unavailable"],
  [new Error("425 - Too Early"), "unavailable"],
  [new Error("Internal Server Error"), "unavailable"],
  [new Error("Bad Gateway"), "unavailable"],
  [new Error("Gateway Timeout"), "unavailable"],
  [new Error("HTTP/2 503"), "unavailable"],
  [new Error("HTTP 503"), "unavailable"],
  [new Error("status_code=(500)"), "unavailable"],
  [new Error("401 Unauthorized"), "credentials"],
  [new Error("It failed", { cause: new Error("HTTP/1.1 504") }), "unavailable"],
  // The data may have changed.
  [new Error("HTTP 404"), undefined],
  [new Error("429 rows"), undefined],
  [new Error("HTTP 50312"), undefined],
  [new Error("Order 503 is unavailable"), undefined],
  [new Error("too many requests for one table"), undefined],
  ["busy", undefined],
  [null, undefined],
  [undefined, undefined],
])("%o is %s", (thrown, kind) => {
  expect(failureOfThrown(thrown)?.kind).toBe(kind);
});

const thrownBy = (make: () => unknown): unknown => {
  try {
    return make();
  } catch (thrown) {
    return thrown;
  }
};

test.each<[client: string, thrown: unknown, isMissing: boolean]>([
  ["OpenAI", thrownBy(() => new OpenAI({ apiKey: null, adminAPIKey: null })), true],
  ["OpenAI 4", new Error("The OPENAI_API_KEY environment variable is missing or empty; either provide it, or"), true],
  ["LangChain", new Error("OpenAI or Azure OpenAI API key or Token Provider not found"), true],
  ["Gemini", new Error("API key must be set when using the Gemini API."), true],
  ["the AI SDK", new LoadAPIKeyError({ message: "" }), true],
  ["a wrapped error", new Error("no answer", { cause: new LoadAPIKeyError({ message: "" }) }), true],
  ["a service", Object.assign(new Error("API key is missing"), { status: 401 }), false],
  ["a step", new Error("The letter has no key word."), false],
  ["a step", new Error("API key for customer 7 not found"), false],
  ["a step", new Error("The customer's API key is missing"), false],
  ["a step", new Error("Tenant 7: ACME_TOKEN environment variable is missing"), false],
])("an error of %s shows a missing key: %#", (_client, thrown, isMissing) => {
  expect(isMissingKey(thrown)).toBe(isMissing);
});

test("Anthropic's client without a key sends no request", async () => {
  const client = new Anthropic({ apiKey: null, authToken: null });
  const sent = client.messages.create({ model: "m", max_tokens: 1, messages: [] });
  expect(isMissingKey(await sent.then(undefined, (thrown: unknown) => thrown))).toBe(true);
});

const isFailed = (outcome: object): boolean =>
  isFailedCall({ adapter: "api", returns: "promise", request: [], occurrence: 0, ...outcome });

test.each<[outcome: object]>([
  [{ error: { $t: "error", v: { class: "Error", message: "busy" } } }],
  [{ open: true }],
  [{ response: { status: 503 } }],
  [{ response: { statusCode: 401 } }],
  [{ response: { isError: true, content: [] } }],
  [{ response: { error: { code: 503 } } }],
  [{ response: { error: "busy" } }],
  [{ response: { error: true, message: "busy" } }],
  [{ response: { data: null, errors: [{ message: "busy", extensions: { code: 503 } }] } }],
  [{ response: { $t: "instance", v: { fields: { error: "busy" } } } }],
  [{ response: { body: { error: { code: 503 } } } }],
  [{ response: { status: 200, body: { json: { error: { code: 503 } } } } }],
  [{ response: { status: 200, body: { json: { data: null, errors: [{ message: "busy" }] } } } }],
  [{ response: { status: 200, body: { text: '{ "error": "busy" }' } } }],
  [{ response: { status: 200, body: { text: '{ "errors": [{ "status": 503 }] }' } } }],
  [{ response: { status: 200, body: { chunks: ['event: error\ndata: {"error":{"type":"overloaded_error"}}\n\n'] } } }],
  [{ response: { status: 200, body: { chunks: ['{"text":"a"}\n', '{"error":"busy"}\n'] } } }],
  [{ response: { status: 200, body: { chunks: ["data"], error: { $t: "error", v: { message: "terminated" } } } } }],
  [{ response: { status: 200, body: { chunks: ["data"], open: true } } }],
  [{ response: { chunks: [], done: false, open: true } }],
  [{ response: { chunks: [{ text: "a" }, { type: "error", error: { type: "overloaded_error" } }], done: true } }],
  [{ response: { choices: [{ finish_reason: "error", error: { code: 502 } }] } }],
  [{ response: { status: 200, data: { error: { code: 503 } } } }],
  [{ response: [{ error: { code: 503 } }] }],
  [{ response: { chunks: [{ type: "response.failed", response: { error: { code: "server_error" } } }], done: true } }],
  [{ response: { status: 200, body: { chunks: ['data: [{"error":{"code":503}}]\n\n'] } } }],
  [{ response: { status: 200, body: { chunks: ['[{\n "error": {\n "code": 503 } }\n]'] } } }],
  [{ response: { status: 200, body: '{"error":{"code":503}}' } }],
  [{ response: { data: { chunks: ["a"], done: false, open: true } } }],
  [{ response: { error: 0.5 } }],
  [{ response: { log: '{"error":"busy"}' } }],
])("a call that ended with %j failed", (outcome) => {
  expect(isFailed(outcome)).toBe(true);
});

test.each<[response: unknown]>([
  [undefined],
  ["the error was fixed"],
  [{ error: null, data: 1 }],
  [{ error: false }],
  [{ error: "" }],
  [{ error: [] }],
  [{ error: {} }],
  [{ error: 0 }],
  [{ errors: [] }],
  [{ open: true }],
  [{ place: { open: true } }],
  [{ status: 200, body: { json: { error: null, place: { open: true }, jobs: [{ last_error: "busy" }] } } }],
  [{ status: 200, body: { chunks: ['data: {"error": ""}\n\n', 'data: {\n"error":\n null}\n\n'] } }],
  [{ status: 200, body: { text: '{ "error":   {} }' } }],
])("a call with the response %j didn't fail", (response) => {
  expect(isFailed({ response })).toBe(false);
});

test("an aborted request of the SDKs, of fetch, or within another error is aborted; no other error is", async () => {
  const signal = AbortSignal.abort();
  const client = new OpenAI({ apiKey: "none", maxRetries: 0 });
  const request = client.chat.completions.create({ model: "m", messages: [] }, { signal });
  const [sdk, fetched] = (await Promise.allSettled([request, fetch("http://127.0.0.1:1", { signal })])).map((end) =>
    end.status === "rejected" ? end.reason : undefined,
  );
  const within = new Error("The model failed.", { cause: fetched });
  expect([sdk, fetched, within, new Error("AbortError"), coded("ABORT_ERR"), "AbortError"].map(isAborted)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("timeouts and refused connections of the SDKs of OpenAI and Anthropic are unavailable", {
  tags: "deep",
}, async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const options = { apiKey: "none", timeout: 50, maxRetries: 0 };
  const callsTo = (baseURL: string): readonly (() => PromiseLike<unknown>)[] => [
    () => new OpenAI({ ...options, baseURL }).chat.completions.create({ model: "m", messages: [] }),
    () => new Anthropic({ ...options, baseURL }).messages.create({ model: "m", max_tokens: 1, messages: [] }),
  ];
  const thrownBy = async (call: () => PromiseLike<unknown>): Promise<unknown> => {
    try {
      return await call();
    } catch (thrown) {
      return thrown;
    }
  };
  const slow = await Promise.all(callsTo(`http://127.0.0.1:${port}`).map(thrownBy));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  const closed = await Promise.all(callsTo(`http://127.0.0.1:${port}`).map(thrownBy));
  expect([...slow, ...closed].map((thrown) => failureOfThrown(thrown)?.kind)).toEqual([
    "unavailable",
    "unavailable",
    "unavailable",
    "unavailable",
  ]);
});
