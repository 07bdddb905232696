import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { AdapterCall } from "../adapter-call.ts";
import { recordFetch, replayFetch } from "./record-fetch-run.ts";
import { recordGlobalFetch } from "./fetch-recorder.ts";
import { createRedactor } from "../../redact/create-redactor.ts";
import { recordAdapters } from "../proxy/record-adapters.ts";

let server: Server;
let url = "";
let count = 0;
let uninstall = (): void => undefined;

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  uninstall = recordGlobalFetch();
});

afterAll(() => {
  uninstall();
  server.closeAllConnections();
  server.close();
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  const { pathname } = new URL(request.url ?? "", url);
  count += 1;
  switch (pathname) {
    case "/echo":
      response.writeHead(200, {
        "content-type": "application/json",
        "set-cookie": "sid=1",
        date: new Date().toUTCString(),
      });
      response.end(JSON.stringify({ method: request.method, body: Buffer.concat(parts).toString(), count }));
      return;
    case "/text":
      response.writeHead(201, { "content-type": "text/plain" }).end("plain ü");
      return;
    case "/bytes":
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(Buffer.from([0, 255, 128]));
      return;
    case "/deep":
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"a":'.repeat(20_000) + "1" + "}".repeat(20_000));
      return;
    case "/lost":
      request.socket.end();
      return;
    case "/signed":
      response.writeHead(302, { location: "/text?sig=Zm9vYmFyYmF6&a=1" }).end();
      return;
    case "/empty":
      response.writeHead(204).end();
      return;
    case "/events":
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const delta of ["sk-ant-", "api03-a1B2c3D4e5F6g7H8i9J0", " done"]) {
        response.write(`data: ${JSON.stringify({ delta })}\n\n`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      response.end("data: [DONE]\n\n");
      return;
    case "/cut":
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      setTimeout(() => response.destroy(), 10);
      return;
    case "/later":
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      setTimeout(() => response.end("data: 2\n\n"), 50);
      return;
    case "/done":
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\ndata: [DONE]\n\n");
      return;
    case "/done-in-parts":
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\r\n\r\ndata:[DO");
      setTimeout(() => response.write("NE]\r\n\r\n"), 20);
      return;
    case "/endless":
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      return;
    default:
      response.writeHead(429, { "content-type": "application/json", "retry-after": "2" }).end('{"error":"slow down"}');
  }
}

const throughJson = (calls: readonly AdapterCall[]): readonly AdapterCall[] => JSON.parse(JSON.stringify(calls));

async function recordAndServe<T>(
  use: () => Promise<T>,
): Promise<{ readonly live: T; readonly served: T; readonly calls: readonly AdapterCall[] }> {
  const { value: live, calls, problems } = await recordFetch(use);
  expect(problems).toStrictEqual([]);
  const connect = vi.spyOn(Socket.prototype, "connect").mockImplementation(() => {
    throw new Error("a connection was opened");
  });
  const { value: served, unrecorded, uncalled } = await replayFetch(throughJson(calls), use);
  expect([unrecorded, uncalled, connect.mock.calls.length]).toStrictEqual([[], [], 0]);
  connect.mockRestore();
  return { live, served, calls };
}

const post = (body: RequestInit["body"], more: RequestInit = {}): RequestInit => ({
  method: "POST",
  body: body ?? null,
  ...more,
});

test("bodies of every kind are recorded and distinguished: JSON, text, forms, bytes, streams, Request objects", async () => {
  const form = (): FormData => {
    const data = new FormData();
    data.set("a", "1");
    data.set("file", new Blob(["content"], { type: "text/plain" }), "f.txt");
    return data;
  };
  const stream = (): ReadableStream => new Blob(["streamed"]).stream();
  const { live, served, calls } = await recordAndServe(async () => {
    const responses = [
      await fetch(`${url}/echo`, post('{"a":1}')),
      await fetch(new URL(`${url}/echo`), post("text")),
      await fetch(`${url}/echo`, post(new URLSearchParams({ a: "1" }))),
      await fetch(`${url}/echo`, post(form())),
      await fetch(`${url}/echo`, post(new Uint8Array([255, 0]))),
      await fetch(`${url}/echo`, post(stream(), { duplex: "half" })),
      await fetch(new Request(`${url}/echo`, { method: "PUT", body: "requested" })),
      await fetch(`${url}/echo?q=1&api_key=hunter2`),
    ];
    return Promise.all(
      responses.map(async (response) => [
        response.status,
        response.url,
        response.headers.get("content-type"),
        Object.keys(Object(await response.json())),
      ]),
    );
  });
  expect(served).toStrictEqual(live);
  const bodyOf = ({ body, form }: { readonly body?: unknown; readonly form?: unknown }): unknown =>
    form === undefined ? body : { form };
  expect(calls.map(({ request }) => bodyOf(Object(request)[0]))).toStrictEqual([
    { a: 1 },
    "text",
    { form: { a: "1" } },
    {
      form: {
        a: "1",
        file: {
          name: "f.txt",
          type: "text/plain",
          bytes: { $t: "bytes", v: { kind: "Buffer", base64: "Y29udGVudA==" } },
        },
      },
    },
    { $t: "bytes", v: { kind: "Buffer", base64: "/wA=" } },
    "streamed",
    "requested",
    undefined,
  ]);
  expect(calls[0]).toMatchObject({
    adapter: "fetch",
    returns: "promise",
    request: [{ method: "POST", origin: url, path: "/echo", body: { a: 1 } }],
    response: {
      status: 200,
      statusText: "OK",
      headers: { "content-type": "application/json" },
      body: { json: { method: "POST", body: '{"a":1}' } },
    },
  });
  expect(JSON.stringify(calls[7]?.request)).toMatch(/"query":\{"q":"1","api_key":"«redacted:key#\d+»"\}/);
});

test("replays all kinds of responses: text, bytes, empty ones, and errors with their headers", async () => {
  const { live, served } = await recordAndServe(async () => {
    const text = await fetch(`${url}/text`);
    const limited = await fetch(`${url}/other`);
    return [
      [text.status, text.statusText, await text.text()],
      [...new Uint8Array(await (await fetch(`${url}/bytes`)).arrayBuffer())],
      [(await fetch(`${url}/empty`)).status],
      [limited.ok, limited.headers.get("retry-after"), await limited.json()],
    ];
  });
  expect(live).toStrictEqual([[201, "Created", "plain ü"], [0, 255, 128], [204], [false, "2", { error: "slow down" }]]);
  expect(served).toStrictEqual(live);
});

async function chunksOf(response: Response): Promise<string[]> {
  const chunks: string[] = [];
  try {
    for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk).toString());
  } catch (error) {
    chunks.push(error instanceof Error ? error.name : "thrown");
  }
  return chunks;
}

test("keeps the chunks of an event stream, and redacts a key that is split between them", async () => {
  const { live, served, calls } = await recordAndServe(async () => chunksOf(await fetch(`${url}/events`)));
  expect(live.join("")).toContain("a1B2c3D4");
  // A chunk for each event, however many of them came in one packet.
  expect(served).toHaveLength(4);
  expect(served.join("")).toMatch(
    /^data: \{"delta":"«redacted:anthropic-key#\d+»"\}\n\ndata: \{"delta":""\}\n\ndata: \{"delta":" done"\}\n\ndata: \[DONE\]\n\n$/,
  );
  expect(JSON.stringify(calls)).not.toContain("a1B2c3D4");
});

test("replays a cut-off stream as cut off", async () => {
  const { live, served } = await recordAndServe(async () => chunksOf(await fetch(`${url}/cut`)));
  expect(live).toStrictEqual(["data: 1\n\n", "TypeError"]);
  expect(served).toStrictEqual(live);
});

test("replays a failing request as failing", async () => {
  const { live, served } = await recordAndServe(async () =>
    fetch("http://127.0.0.1:1/").then(
      () => "answered",
      (error: unknown) => [error instanceof TypeError, String(error)],
    ),
  );
  expect(live).toStrictEqual([true, "TypeError: fetch failed"]);
  expect(served).toStrictEqual(live);
});

const OPEN_BODIES: readonly (readonly [string, (response: Response) => Promise<unknown>])[] = [
  ["isn't read", async ({ status }) => status],
  [
    "is cancelled after its first part",
    async ({ body }) => {
      const reader = body?.getReader();
      const part = await reader?.read();
      await reader?.cancel();
      return new TextDecoder().decode(part?.value);
    },
  ],
  [
    "is left with break",
    async ({ body }) => {
      const stream: AsyncIterable<Uint8Array> = body ?? new ReadableStream();
      for await (const part of stream) return new TextDecoder().decode(part);
      return "nothing";
    },
  ],
  [
    "is read until a time limit",
    async (response) => {
      const late = new Promise<string>((resolve) => setTimeout(() => resolve("late"), 20));
      return Promise.race([response.text(), late]);
    },
  ],
];

test("a body that goes on after the run can still be read", async () => {
  const { value } = await recordFetch(async () => fetch(`${url}/later`));
  expect(await value.text()).toBe("data: 1\n\ndata: 2\n\n");
});

test.each(OPEN_BODIES)("replays a body that goes on after the run if it %s", async (_use, use) => {
  const { live, served, calls } = await recordAndServe(async () => use(await fetch(`${url}/endless`)));
  expect(served).toStrictEqual(live);
  expect(calls).toMatchObject([{ response: { body: { chunks: [expect.any(String)], open: true } } }]);
});

test.each([
  ["/done", "data: 1\n\ndata: [DONE]\n\n"],
  ["/done-in-parts", "data: 1\r\n\r\ndata:[DONE]\r\n\r\n"],
])("an event stream that the run left at its [DONE] ends there in a replay that reads on: %s", async (path, body) => {
  const { calls } = await recordFetch(async () => {
    const reader = (await fetch(`${url}${path}`)).body?.getReader();
    for (let text = ""; !text.includes("DONE]"); ) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
  });
  expect(calls).toMatchObject([{ response: { body: { open: true } } }]);
  const { value, unrecorded } = await replayFetch(throughJson(calls), async () =>
    (await fetch(`${url}${path}`)).text(),
  );
  expect([value, unrecorded]).toStrictEqual([body, []]);
});

test("an unrecorded request gets status 400 with its name; an aborted signal rejects as usual", async () => {
  const { value, unrecorded } = await replayFetch([], async () => {
    const response = await fetch(`${url}/echo`, post('{"a":1}'));
    return [response.status, response.headers.get("x-should-retry"), await response.json()];
  });
  expect(value).toStrictEqual([
    400,
    "false",
    {
      error: {
        type: "unrecorded_request",
        code: "unrecorded_request",
        message: 'No call of adapter "fetch" was recorded.',
      },
    },
  ]);
  expect(unrecorded).toStrictEqual([
    {
      adapter: "fetch",
      request: [{ method: "POST", origin: url, path: "/echo", body: { a: 1 } }],
      reason: "unknown_adapter",
      recorded: 0,
    },
  ]);
  const aborted = replayFetch([], () => fetch(url, { signal: AbortSignal.abort(new RangeError("no")) }));
  await expect(aborted).rejects.toThrow(new RangeError("no"));
});

const ABORTED: readonly (readonly [string, (to: string) => Promise<Response>])[] = [
  ["an aborted signal", async (to) => fetch(to, { signal: AbortSignal.abort() })],
  [
    "an aborted signal with its own reason",
    async (to) => fetch(to, { signal: AbortSignal.abort(new RangeError("no")) }),
  ],
  // As ky sends it.
  [
    "a Request with an aborted signal",
    async (to) => fetch(new Request(to, post("a", { signal: AbortSignal.abort() }))),
  ],
  [
    "a body of bytes and an aborted signal",
    async (to) => fetch(to, post(Buffer.from("a"), { signal: AbortSignal.abort() })),
  ],
  [
    "a signal that is aborted in the same turn",
    async (to) => {
      const controller = new AbortController();
      const sent = fetch(to, { signal: controller.signal });
      controller.abort();
      return sent;
    },
  ],
];

test.each(ABORTED)("a request with %s isn't sent or recorded, and replays", async (_name, send) => {
  const use = async (): Promise<unknown> => {
    const first = await send(`${url}/echo`).catch((error: unknown) => [error instanceof Error, String(error)]);
    return [first, await (await fetch(`${url}/text`)).text()];
  };
  const before = count;
  const { live, served, calls } = await recordAndServe(use);
  expect(live).toStrictEqual([[true, expect.stringMatching(/^(?:AbortError: .* aborted|RangeError: no)$/)], "plain ü"]);
  expect(served).toStrictEqual(live);
  expect([calls.length, count]).toStrictEqual([1, before + 1]);
});

/** A redactor whose function fails for the responses of two paths. */
const failing = createRedactor({
  custom: [
    (text) => {
      if (/plain ü|DONE/.test(text)) throw new Error("the key store is closed");
      return [];
    },
  ],
});

test.each([
  ["/deep", undefined, "Maximum call stack size exceeded"],
  ["/text", failing, "the key store is closed"],
  ["/events", failing, "the key store is closed"],
])("a response of %s that can't be recorded is a problem of its call", async (at, redact, reason) => {
  const failures: unknown[] = [];
  const listen = (error: unknown): unknown => failures.push(error);
  process.on("unhandledRejection", listen);
  const use = async (): Promise<number> => (await (await fetch(`${url}${at}`)).text()).length;
  const { value, calls, problems } = await recordFetch(use, { ...(redact !== undefined && { redact }) });
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("unhandledRejection", listen);
  expect([value > 0, calls, failures]).toStrictEqual([true, [], []]);
  expect(problems).toStrictEqual([`adapter "fetch" returned a value that can't be recorded: ${reason}`]);
});

test("assigns requests to the run that makes them, and passes others on", async () => {
  const ask = async (n: number): Promise<unknown> =>
    Reflect.get(Object(await (await fetch(`${url}/echo`, post(`{"n":${n}}`))).json()), "body");
  const [first, second, outside] = await Promise.all([
    recordFetch(async () => Promise.all([ask(1), ask(2)])),
    recordFetch(async () => ask(3)),
    ask(4),
  ]);
  expect([first.calls.length, second.calls.length, outside]).toStrictEqual([2, 1, '{"n":4}']);
  const before = count;
  const runs = await Promise.all(
    Array.from({ length: 100 }, (_unused, index) =>
      index % 2 === 0
        ? replayFetch(first.calls, async () => Promise.all([ask(2), ask(1)]))
        : replayFetch(second.calls, () => ask(3)),
    ),
  );
  expect(new Set(runs.map(({ value, unrecorded }) => JSON.stringify([value, unrecorded])))).toStrictEqual(
    new Set(['[["{\\"n\\":2}","{\\"n\\":1}"],[]]', '["{\\"n\\":3}",[]]']),
  );
  expect(count).toBe(before);
});

test("requests in a recorded adapter are part of the adapter's call", async () => {
  const { adapters, calls } = recordAdapters({ ask: async () => (await fetch(`${url}/text`)).text() });
  const recorded = await recordFetch(() => adapters.ask());
  expect([recorded.value, recorded.calls, calls().length]).toStrictEqual(["plain ü", [], 1]);
});

test("removes ignored parts of a request", async () => {
  const options = { ignore: ["fetch[0].origin", "**.requestId"] };
  const { calls } = await recordFetch(() => fetch(`${url}/echo`, post('{"q":1,"requestId":"a"}')), options);
  const { unrecorded } = await replayFetch(
    calls,
    () => fetch("http://elsewhere.test/echo", post('{"requestId":"b","q":1}')),
    options,
  );
  expect(unrecorded).toStrictEqual([]);
});

test("without recordGlobalFetch recording is refused, and fetch is restored", async () => {
  const installed = globalThis.fetch;
  uninstall();
  expect(globalThis.fetch).not.toBe(installed);
  await expect(recordFetch(() => 1)).rejects.toThrow(
    new TypeError("recordFetch needs the recorder of fetch. Call recordGlobalFetch() before you create the clients."),
  );
  await expect(replayFetch([], () => 1)).rejects.toThrow(
    new TypeError("replayFetch needs the recorder of fetch. Call recordGlobalFetch() before you create the clients."),
  );
  const again = recordGlobalFetch();
  uninstall = recordGlobalFetch();
  again();
  again();
  expect((await recordFetch(() => 1)).value).toBe(1);
});

test("replays a recording of an earlier version that has the secrets of a URL", async () => {
  const request = {
    method: "POST",
    origin: "https://hooks.slack.com",
    path: "/services/T024BE7LD/B01AB2CD3EF/aBcDeFgHiJkLmNoPqRsTuVwX",
    query: { sig: "Zm9vYmFyYmF6cXV4" },
    body: { text: "hi" },
  };
  const response = { status: 200, type: "basic", headers: {}, body: { text: "ok" } };
  const calls: readonly AdapterCall[] = [
    { adapter: "fetch", request: [request], occurrence: 0, returns: "promise", response },
  ];
  const sendTo = (path: string) => async (): Promise<string> =>
    (await fetch(`https://hooks.slack.com${path}?sig=Zm9vYmFyYmF6cXV4`, post('{"text":"hi"}'))).text();
  const same = await replayFetch(calls, sendTo(request.path));
  expect([same.value, same.unrecorded, same.uncalled]).toStrictEqual(["ok", [], []]);
  const other = await replayFetch(calls, sendTo("/services/T024BE7LD"));
  expect(other.unrecorded.map(({ reason }) => reason)).toStrictEqual(["unknown_request"]);
});

test("the URL after a redirect is recorded without its secrets", async () => {
  const run = async (): Promise<string> => (await fetch(`${url}/signed`)).url.slice(url.length);
  const { live, served, calls } = await recordAndServe(run);
  expect(live).toBe("/text?sig=Zm9vYmFyYmF6&a=1");
  expect(served).toMatch(/^\/text\?sig=%C2%ABredacted:signature%23\d+%C2%BB&a=1$/);
  expect(calls[0]?.response).toMatchObject({
    url: expect.stringMatching(/^\/text\?sig=«redacted:signature#\d+»&a=1$/),
    redirected: true,
  });
});

test("two lost connections are recorded as the same error, without ports", async () => {
  const run = (): Promise<unknown> => fetch(`${url}/lost`).catch((error: unknown) => String(error));
  const [first, second] = [await recordFetch(run), await recordFetch(run)];
  expect(first.calls[0]?.error).toStrictEqual({
    $t: "error",
    v: {
      class: "TypeError",
      name: "TypeError",
      message: "fetch failed",
      cause: {
        $t: "error",
        v: { class: "Error", name: "SocketError", message: "other side closed", data: { code: "UND_ERR_SOCKET" } },
      },
    },
  });
  expect(second.calls).toStrictEqual(first.calls);
});
