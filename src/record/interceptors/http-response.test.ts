import { type Server, createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AdapterCall } from "../adapter-call.ts";
import { recordGlobalFetch } from "./fetch-recorder.ts";
import { decode } from "../encode/decode.ts";
import { encode } from "../encode/encode.ts";
import { recordingRules } from "../recording-rules.ts";
import { recordedResponse, responseFrom } from "./http-response.ts";
import { recordFetch, replayFetch } from "./record-fetch-run.ts";
import { WatchedBody } from "./watched-body.ts";

/** Responses of the server by path. */
const BODIES: Readonly<Record<string, { readonly type: string; readonly parts: readonly string[] }>> = {
  "/signed": { type: "application/json", parts: ['{ "event" : "paid", "order" : 31 }'] },
  "/pretty": { type: "application/json", parts: ['{\n  "a": 1\n}\n'] },
  "/python": { type: "application/json", parts: ['{"price": 1.0, "id": 12345678901234567890}'] },
  "/events": {
    type: "text/event-stream",
    parts: ["event: a\nda", "ta: 1\n\ndata: 2\n\n", "data: ü", "\n\ndata: [DONE]\n\n"],
  },
  "/crlf": { type: "text/event-stream; charset=utf-8", parts: ["data: 1\r\n\r\ndata: 2\r\n\r\ndata: 3"] },
  "/lines": { type: "application/x-ndjson", parts: ['{"a":1}\n{"a"', ":2}\n"] },
};

const NUMBERS = Buffer.from([1, 2, 0, 255]);

let server: Server;
let url = "";
let uninstall = (): void => undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    const at = request.url ?? "";
    const body = BODIES[at];
    if (at === "/echo") return void response.end(JSON.stringify({ message: `hello ${request.headers.authorization}` }));
    if (at === "/odd") return void response.writeHead(999, "Odd").end("odd");
    if (at === "/numbers") return void response.writeHead(200, { "content-type": "image/png" }).end(NUMBERS);
    if (at === "/old") return void response.writeHead(302, { location: "/signed" }).end();
    if (body === undefined) {
      response.setHeader("set-cookie", ["theme=dark; Path=/", "lang=en; Path=/"]);
      return void response.writeHead(200, { etag: '"v7"', "x-next-page": "2", link: "</a>; rel=next" }).end("ok");
    }
    response.writeHead(200, { "content-type": body.type });
    // One packet for each part.
    Readable.from(
      (async function* () {
        for (const part of body.parts) {
          yield part;
          await new Promise((resolve) => setTimeout(resolve, 3));
        }
      })(),
    ).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  uninstall = recordGlobalFetch();
});

afterAll(() => {
  uninstall();
  server.close();
});

async function recordAndReplay<T>(
  use: () => Promise<T>,
): Promise<{ readonly live: T; readonly replayed: T; readonly calls: readonly AdapterCall[] }> {
  const { value: live, calls, problems } = await recordFetch(use);
  expect(problems).toStrictEqual([]);
  const stored: readonly AdapterCall[] = JSON.parse(JSON.stringify(calls));
  const { value: replayed, unrecorded, uncalled } = await replayFetch(stored, use);
  expect([unrecorded, uncalled]).toStrictEqual([[], []]);
  return { live, replayed, calls: stored };
}

const bodyOf = (calls: readonly AdapterCall[]): unknown => Reflect.get(Object(calls[0]?.response), "body");

test("replays all headers, separate cookies and the type, on copies too", async () => {
  const { live, replayed } = await recordAndReplay(async () => {
    const response = await fetch(`${url}/any`);
    const copy = response.clone();
    await response.text();
    return [response, copy].map(({ headers, type, redirected, url: at }) => [
      ["etag", "x-next-page", "link"].map((name) => headers.get(name)),
      headers.getSetCookie().length,
      headers.has("date"),
      [type, redirected, at],
    ]);
  });
  expect(live[0]).toStrictEqual([['"v7"', "2", "</a>; rel=next"], 2, true, ["basic", false, `${url}/any`]]);
  expect(replayed).toStrictEqual(live);
});

test("redacts values of cookies", async () => {
  const { calls } = await recordAndReplay(async () => (await fetch(`${url}/any`)).text());
  expect(JSON.stringify(calls)).not.toMatch(/theme=dark|lang=en/);
  expect(Reflect.get(Object(Reflect.get(Object(calls[0]?.response), "headers")), "set-cookie")).toStrictEqual([
    expect.stringMatching(/^theme=«redacted:cookie#\d+»; Path=\/$/),
    expect.stringMatching(/^lang=«redacted:cookie#\d+»; Path=\/$/),
  ]);
});

test("replays a followed redirect with its final URL, as a path of the same server", async () => {
  const { live, replayed, calls } = await recordAndReplay(async () => {
    const response = await fetch(`${url}/old`);
    const { url: at, redirected, status } = response;
    await response.text();
    return [at, redirected, status];
  });
  expect(live).toStrictEqual([`${url}/signed`, true, 200]);
  expect(replayed).toStrictEqual(live);
  expect(calls[0]?.response).toMatchObject({ url: "/signed", redirected: true, type: "basic" });
});

test.each(["/signed", "/pretty", "/python"])("text() of the JSON at %s returns the original text", async (at) => {
  const { live, replayed } = await recordAndReplay(async () => {
    const text = await (await fetch(`${url}${at}`)).text();
    return [text, createHash("sha256").update(text).digest("hex")];
  });
  expect(live[0]).toBe(BODIES[at]?.parts.join(""));
  expect(replayed).toStrictEqual(live);
});

test("a redaction path in JSON also applies to JSON that would be kept as text", async () => {
  const { createRedactor } = await import("../../redact/create-redactor.ts");
  const redact = createRedactor({ paths: ["fetch.response.body.json.event"] });
  const { calls } = await recordFetch(async () => (await fetch(`${url}/signed`)).text(), { redact });
  expect(bodyOf(calls)).toStrictEqual({
    json: { event: expect.stringMatching(/^«redacted:path#\d+»$/), order: 31 },
  });
});

async function packetsOf(at: string): Promise<readonly string[]> {
  const packets: string[] = [];
  for await (const packet of (await fetch(`${url}${at}`)).body ?? []) packets.push(Buffer.from(packet).toString());
  return packets;
}

test("records a stream by event, and replays the original packets to a client that reads bytes", async () => {
  const { live, replayed, calls } = await recordAndReplay(async () => packetsOf("/events"));
  expect(bodyOf(calls)).toStrictEqual({
    chunks: ["event: a\ndata: 1\n\n", "data: 2\n\n", "data: ü\n\n", "data: [DONE]\n\n"],
    packets: live.map((packet) => Buffer.byteLength(packet)),
  });
  expect(replayed).toStrictEqual(live);
});

test.each([
  ["/crlf", ["data: 1\r\n\r\n", "data: 2\r\n\r\n", "data: 3"]],
  ["/lines", ['{"a":1}\n', '{"a":2}\n']],
])("splits the stream at %s at the ends of its events", async (at, chunks) => {
  const { calls } = await recordAndReplay(async () => packetsOf(at));
  expect(bodyOf(calls)).toMatchObject({ chunks });
});

/** Answers each request with a reason phrase that isn't ASCII, which Node's server refuses to send. */
async function listenOddly(): Promise<{ readonly at: string; readonly close: () => void }> {
  const odd = createSocketServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end("HTTP/1.1 400 不正\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno"));
  });
  await new Promise<void>((resolve) => odd.listen(0, "127.0.0.1", resolve));
  const address = odd.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { at: `http://127.0.0.1:${port}`, close: () => odd.close() };
}

test("statuses and reason phrases that no constructor takes come as without the recorder, on copies too", async () => {
  const { at, close } = await listenOddly();
  const use = async (): Promise<unknown> =>
    Promise.all(
      [`${url}/odd`, at].map(async (to) => {
        const response = await fetch(to);
        const copy = response.clone();
        return [response, copy].map(({ status, statusText, ok }) => [status, statusText, ok]);
      }),
    );
  const bare = await use();
  const { live, replayed } = await recordAndReplay(use);
  close();
  expect(bare).toMatchObject([
    [[999, "Odd", false], {}],
    [[400, expect.stringMatching(/[^\u0000-\u00FF]/), false], {}],
  ]);
  expect([live, replayed]).toStrictEqual([bare, bare]);
});

/** Reads a body into buffers of the reader. The last read, at the end, gets its buffer back. */
async function readIntoBuffers({ body }: Response, size: number): Promise<unknown> {
  const reader = body?.getReader({ mode: "byob" });
  const reads: unknown[] = [];
  for (let isDone = false; !isDone; ) {
    const read = await reader?.read(new Uint8Array(size));
    reads.push(read?.value);
    isDone = read?.done ?? true;
  }
  return Buffer.concat(reads.map((part) => Buffer.from(part instanceof Uint8Array ? part : []))).toString("hex");
}

test.each(["/numbers", "/signed", "/events", "/lines"])("readers may bring their own buffers for %s", async (at) => {
  const use = async (): Promise<unknown> => readIntoBuffers(await fetch(`${url}${at}`), 5);
  const bare = await use();
  const { live, replayed } = await recordAndReplay(use);
  expect(bare).toBe((BODIES[at] === undefined ? NUMBERS : Buffer.from(BODIES[at].parts.join(""))).toString("hex"));
  expect([live, replayed]).toStrictEqual([bare, bare]);
});

test("replays recordings of streams with empty parts", async () => {
  const recorded = { status: 200, headers: {}, body: { chunks: ["", "a", "", "b", ""] } };
  expect(await responseFrom(recorded, url).text()).toBe("ab");
});

const rules = recordingRules();

/** Bodies that don't end as they should, each by the way in which a step or server ends it. */
const ENDS = {
  "connection loss": (stream: ReadableStreamDefaultController): unknown => stream.error(new TypeError("terminated")),
  "a cancelled read": (_stream: ReadableStreamDefaultController, client: ReadableStream) => client.cancel(),
};

/** Reads packets, one each turn, and records what was read. */
async function recordParts(parts: readonly Uint8Array[], end: (typeof ENDS)[keyof typeof ENDS]): Promise<unknown> {
  let source: ReadableStreamDefaultController | undefined;
  const body = new ReadableStream({ start: (controller) => void (source = controller) });
  const response = new Response(body, { headers: { "content-type": "text/plain" } });
  const watched = new WatchedBody(body);
  const client = watched.responseLike(response).body ?? new ReadableStream();
  const reader = client.getReader();
  for (const part of parts) {
    source?.enqueue(part);
    await reader.read();
  }
  reader.releaseLock();
  if (source !== undefined) await end(source, client);
  const rest = client.getReader();
  await rest.read().catch(() => undefined);
  return JSON.parse(JSON.stringify(encode(await recordedResponse(response, watched, { href: url, rules }))));
}

async function partsOf(stored: unknown, count: number): Promise<readonly Buffer[]> {
  const reader = responseFrom(decode(stored), url).body?.getReader();
  const parts: Buffer[] = [];
  while (parts.length < count) parts.push(Buffer.from((await reader?.read())?.value ?? []));
  return parts;
}

describe.each(Object.entries(ENDS))("a body that ends by %s", (_name, end) => {
  test("keeps characters that two packets share, and the packets", async () => {
    const bytes = Buffer.from("\uFEFFgröße €uro 😀");
    const parts = [0, 7, 8, 13, 14, 15, 20].map((start, at, starts) => bytes.subarray(start, starts[at + 1]));
    const stored = await recordParts(parts, end);
    expect(stored).toMatchObject({ body: { packets: parts.map(({ length }) => length) } });
    const { chunks } = Object(Reflect.get(Object(stored), "body"));
    expect(chunks.join("")).toBe(String(bytes));
    expect(chunks).not.toContain("");
    expect(await partsOf(stored, parts.length)).toStrictEqual(parts);
  });

  test("keeps the bytes if the last character is incomplete", async () => {
    const bytes = Buffer.from("größe €");
    const parts = [bytes.subarray(0, 3), bytes.subarray(3, -1)];
    expect(await partsOf(await recordParts(parts, end), 2)).toStrictEqual(parts);
  });
});

test.each([
  "k7Qz2mXw9L",
  "k7Qz2mXw9Lk7Qz2mXw9Lk7Qz2mXw9L",
  "9c8e5a1e-41f5-4c0e-9a50-2f6a1c0de111",
  "q728463xMw",
])("a token that the response repeats is stored without it: %s", async (token) => {
  const use = async (): Promise<string> =>
    (await fetch(`${url}/echo`, { headers: { authorization: `Bearer ${token}` } })).text();
  const { calls } = await recordFetch(use);
  expect(JSON.stringify(calls)).not.toContain(token);
});
