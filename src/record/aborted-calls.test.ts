import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";
import { pbkdf2 } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, get } from "node:http";
import { type Server, type Socket, connect, createServer } from "node:net";
import { ReadableStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalServer, serve } from "../../test-support/serve.ts";
import { recordGlobalFetch } from "./interceptors/fetch-recorder.ts";
import { recordAdapters } from "./proxy/record-adapters.ts";
import { CallReplayer } from "./replay/replay-adapters.ts";

/** Longer than an idle run waits before it's stuck. */
const LONG_MS = 1300;

let server: LocalServer;
let echo: Server;
let pool: Socket;
let uninstall = (): void => undefined;

beforeAll(async () => {
  server = await serve((request, response) => {
    if (request.url === "/body") return void response.write("one");
    if (request.url === "/parts") {
      response.write("one");
      return void setTimeout(() => response.end("two"), LONG_MS);
    }
    if (request.url?.endsWith("/chat/completions") !== true || request.headers["x-hang"] !== undefined) return;
    response.setHeader("content-type", "text/event-stream");
    for (const content of ["a", "b", "c"]) {
      const chunk = { id: "x", object: "chat.completion.chunk", created: 1, model: "m" };
      response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { content } }] })}\n\n`);
      if (request.url.startsWith("/slow/")) return;
    }
    response.end("data: [DONE]\n\n");
  });
  echo = createServer((socket) => socket.on("data", (ms) => setTimeout(() => socket.write("."), Number(ms))));
  await once(echo.listen(0, "127.0.0.1"), "listening");
  pool = await connection();
  uninstall = recordGlobalFetch();
});

afterAll(() => {
  uninstall();
  server.close();
  pool.destroy();
  echo.close();
});

async function connection(): Promise<Socket> {
  const address = echo.address();
  const socket = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

/** Records a use of adapters, then replays it as a check does. Returns both results and the recorded calls. */
async function recordAndReplay<A extends object>(
  adapters: A,
  use: (adapters: A) => Promise<unknown>,
): Promise<{ readonly live: unknown; readonly replayed: unknown; readonly aborted: readonly unknown[] }> {
  const recorder = recordAdapters(adapters);
  const live = await recorder.runInScope(() => use(recorder.adapters));
  expect(recorder.problems()).toStrictEqual([]);
  const calls = JSON.parse(JSON.stringify(recorder.calls()));
  const replayer = new CallReplayer(calls);
  const replayed = await replayer.untilUnrecorded(() => use(Object.assign({}, adapters, replayer.adapters)));
  expect(replayer.unrecorded()).toStrictEqual([]);
  return { live, replayed, aborted: recorder.calls().map((call) => call.aborted) };
}

/** Returns what a step can see of an abort after some milliseconds. */
async function seen(start: (signal: AbortSignal) => Promise<unknown>, reason?: unknown): Promise<unknown> {
  const controller = new AbortController();
  let flag = false;
  setTimeout(() => {
    flag = true;
    controller.abort(reason);
  }, 60);
  try {
    return await start(controller.signal);
  } catch (error) {
    return [flag, controller.signal.aborted, error === controller.signal.reason, String(error)];
  }
}

const never = async (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

const ADAPTERS = {
  ask: async (_text: string, { signal }: { readonly signal: AbortSignal }) => never(signal),
  async *stream(_text: string, { signal }: { readonly signal: AbortSignal }) {
    yield "one";
    await never(signal);
  },
};

test.each<readonly [string, (signal: AbortSignal) => Promise<unknown>]>([
  ["a request of fetch", async (signal) => fetch(server.url, { signal })],
  ["a Request object", async (signal) => fetch(new Request(server.url, { signal }))],
  ["a body", async (signal) => (await fetch(`${server.url}/body`, { signal })).text()],
  ["one of two signals", async (signal) => fetch(server.url, { signal: AbortSignal.any([signal]) })],
])("the caller's timer aborts %s in the replay before it rejects, with the signal's reason", async (_name, start) => {
  const { live, replayed } = await recordAndReplay({}, async () => [
    await seen(start),
    await seen(start, new RangeError("the user left")),
  ]);
  expect(live).toStrictEqual([
    [true, true, true, "AbortError: This operation was aborted"],
    [true, true, true, "RangeError: the user left"],
  ]);
  expect(replayed).toStrictEqual(live);
});

test("the caller's timer aborts a call and a stream of an adapter in the replay before they reject", async () => {
  const { live, replayed, aborted } = await recordAndReplay(ADAPTERS, async ({ ask, stream }) => [
    await seen((signal) => ask("x", { signal })),
    await seen(async (signal) => {
      for await (const chunk of stream("x", { signal })) expect(chunk).toBe("one");
    }),
  ]);
  expect(live).toStrictEqual([
    [true, true, true, "AbortError: This operation was aborted"],
    [true, true, true, "AbortError: This operation was aborted"],
  ]);
  expect(replayed).toStrictEqual(live);
  expect(aborted).toStrictEqual([true, true]);
});

test("a replay calls the timers of the run early, in their order", async () => {
  const use = async ({ ask }: typeof ADAPTERS): Promise<unknown> => {
    const events: string[] = [];
    setTimeout(() => events.push("slow"), 200);
    const interval = setInterval(() => events.length < 2 && events.push("interval"), 60);
    const signal = AbortSignal.timeout(250);
    const error = await ask("x", { signal }).catch((thrown: unknown) => thrown);
    clearInterval(interval);
    return [...events, String(error), signal.aborted];
  };
  const { live, replayed } = await recordAndReplay(ADAPTERS, use);
  expect(live).toStrictEqual([
    "interval",
    "interval",
    "slow",
    "TimeoutError: The operation was aborted due to timeout",
    true,
  ]);
  expect(replayed).toStrictEqual(live);
});

test("a signal that isn't aborted in the replay rejects its call as recorded", async () => {
  const controller = new AbortController();
  const recorder = recordAdapters(ADAPTERS);
  setTimeout(() => controller.abort(new RangeError("no")), 5);
  await expect(recorder.adapters.ask("x", { signal: controller.signal })).rejects.toThrow(new RangeError("no"));
  const replayer = new CallReplayer(recorder.calls());
  const { signal } = new AbortController();
  const again = replayer.untilUnrecorded(() => Object.assign({}, ADAPTERS, replayer.adapters).ask("x", { signal }));
  await expect(again).rejects.toThrow(new RangeError("no"));
});

test("the OpenAI client throws its own error when the step's timer aborts a request, as an adapter and by fetch", async () => {
  const client = (): OpenAI =>
    new OpenAI({ baseURL: server.url, apiKey: "none", maxRetries: 0, defaultHeaders: { "x-hang": "1" } });
  const use = async (openai: OpenAI): Promise<unknown> =>
    seen(async (signal) =>
      openai.chat.completions.create({ model: "m", messages: [{ role: "user", content: "x" }] }, { signal }),
    );
  const expected = [true, true, false, "Error: Request was aborted."];
  const adapter = await recordAndReplay({ openai: client() }, async ({ openai }) => use(openai));
  expect([adapter.live, adapter.replayed]).toStrictEqual([expected, expected]);
  const byFetch = await recordAndReplay({}, async () => use(client()));
  expect([byFetch.live, byFetch.replayed]).toStrictEqual([expected, expected]);
});

test("a stream of the AI SDK that is aborted while it is read ends the same way in the replay", async () => {
  const { live, replayed } = await recordAndReplay(
    { model: createOpenAI({ apiKey: "none", baseURL: server.url }).chat("m") },
    async ({ model }) => {
      const controller = new AbortController();
      const types: string[] = [];
      const { stream } = streamText({ model, prompt: "x", abortSignal: controller.signal });
      for await (const { type } of stream) {
        types.push(type);
        if (type === "text-delta") controller.abort();
      }
      return types;
    },
  );
  expect(live).toContain("abort");
  expect(replayed).toStrictEqual(live);
});

test("a step that leaves a stream of the AI SDK with break is recorded and replayed", async () => {
  const { live, replayed } = await recordAndReplay(
    { model: createOpenAI({ apiKey: "none", baseURL: server.url }).chat("m") },
    async ({ model }) => {
      const texts: string[] = [];
      for await (const text of streamText({ model, prompt: "x" }).textStream) {
        texts.push(text);
        break;
      }
      return texts;
    },
  );
  expect([live, replayed]).toStrictEqual([["a"], ["a"]]);
});

type Use = (adapters: ReturnType<typeof streams>) => Promise<unknown>;

const streams = () => ({
  pages: (): AsyncIterable<string> => ReadableStream.from(["one", "two"]),
  model: createOpenAI({ apiKey: "none", baseURL: `${server.url}/slow` }).chat("m"),
});

const textOf =
  (limit: number): Use =>
  async ({ model }) => {
    let text = "";
    for await (const part of streamText({ model, prompt: "x" }).textStream) {
      text += part;
      if (text.length === limit) break;
    }
    return text;
  };

const pagesOf =
  (limit: number): Use =>
  async ({ pages }) => {
    const read: string[] = [];
    const iterator = pages()[Symbol.asyncIterator]();
    for (let page = await iterator.next(); page.done !== true; page = await iterator.next()) {
      read.push(page.value);
      if (read.length === limit) break;
    }
    return read;
  };

test.concurrent.each<readonly [string, Use, Use, string]>([
  [
    "a stream of an adapter",
    pagesOf(1),
    pagesOf(2),
    'The recorded stream of adapter "pages" has no more chunks (1 recorded), because the recorded run stopped reading there.',
  ],
  [
    "a stream of the AI SDK",
    textOf(1),
    textOf(3),
    'The recorded stream of adapter "model.doStream" has no more chunks (4 recorded), because the recorded run stopped reading there.',
  ],
  [
    "the body of a response",
    async () => {
      for await (const part of (await fetch(`${server.url}/body`)).body ?? []) return part.length;
      return 0;
    },
    async () => (await fetch(`${server.url}/body`)).text(),
    'The recorded stream of adapter "fetch" has no more chunks (1 recorded), because the recorded run stopped reading there.',
  ],
  [
    "a response",
    async () => void fetch(server.url).catch(() => undefined),
    async () => fetch(server.url),
    "The recorded run didn't wait for the response of adapter \"fetch\", so it can't be replayed.",
  ],
])("code that waits for the rest of %s, which the recorded run left, ends with an error", { tags: "deep" }, async (...[
  ,
  leave,
  on,
  message,
]) => {
  const recorder = recordAdapters(streams());
  await recorder.runInScope(() => leave(recorder.adapters));
  expect(recorder.problems()).toStrictEqual([]);
  const replayer = new CallReplayer(JSON.parse(JSON.stringify(recorder.calls())));
  await expect(replayer.untilUnrecorded(() => on(Object.assign(streams(), replayer.adapters)))).rejects.toThrow(
    message,
  );
  expect(replayer.unrecorded()).toHaveLength(1);
});

/** Gets an answer on a connection after a number of milliseconds. */
const answerAfter = async (ms: number, socket: Socket): Promise<unknown> => {
  const answer = once(socket, "data");
  socket.write(String(ms));
  return answer;
};

test.concurrent.each<readonly [string, () => Promise<unknown>]>([
  ["a timer", async () => sleep(LONG_MS)],
  ["a thread", async () => promisify(pbkdf2)("", "", 500_000, 8, "sha512")],
  ["the rest of a local response", async () => restOf(await once(get(`${server.url}/parts`), "response"))],
  [
    "several answers on a connection",
    async () => {
      const socket = await connection();
      await answerAfter(1, socket);
      await answerAfter(LONG_MS, socket);
      socket.destroy();
    },
  ],
  ["half a second on a connection that was open before", async () => answerAfter(500, pool)],
])("a step that left a stream and a request can wait for %s in a replay", { tags: "deep" }, async (_name, wait) => {
  const { live, replayed } = await recordAndReplay(streams(), async (adapters) => {
    void fetch(server.url).catch(() => undefined);
    const read = [await textOf(1)(adapters), await pagesOf(1)(adapters)];
    await wait();
    return read;
  });
  expect([live, replayed]).toStrictEqual([
    ["a", ["one"]],
    ["a", ["one"]],
  ]);
});

async function restOf([response]: readonly IncomingMessage[]): Promise<unknown> {
  return response?.toArray();
}
