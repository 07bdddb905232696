import { createServer } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { failureOfThrown, isAborted } from "./service-failure.ts";

const coded = (code: string): Error => Object.assign(new Error("x"), { code });
const withStatus = (status: number): Error => Object.assign(new Error("x"), { status });

test.each<[thrown: unknown, kind: string | undefined]>([
  [coded("EHOSTUNREACH"), "unavailable"],
  [coded("ENETUNREACH"), "unavailable"],
  [coded("UND_ERR_SOCKET"), "unavailable"],
  [new AggregateError([coded("ECONNREFUSED")]), "unavailable"],
  [{ status: 503 }, "unavailable"],
  [withStatus(408), "unavailable"],
  [withStatus(520), "unavailable"],
  [withStatus(401), "credentials"],
  [withStatus(404), "refused"],
  [withStatus(200), undefined],
  [coded("ENOENT"), undefined],
  [new DOMException("This operation was aborted", "AbortError"), undefined],
  [new Error("APIConnectionError"), undefined],
  ["busy", undefined],
  [null, undefined],
  [undefined, undefined],
])("%o is %s", (thrown, kind) => {
  expect(failureOfThrown(thrown)?.kind).toBe(kind);
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
