import type { IncomingMessage, ServerResponse } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { recordGlobalFetch } from "../record/interceptors/fetch-recorder.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import "../vitest-types.ts";
import { serve } from "../../test-support/serve.ts";

const stage = new MatcherStage(expect);
let hits = 0;
let tries = 0;
let isOff = false;
let uninstall = (): void => undefined;

/** A signed body: JSON that `JSON.stringify(JSON.parse(text))` would change. */
const SIGNED = '{ "id": 12345678901234567890, "rate": 1e400,\n  "zero": -0 }\n';
const BYTES = Buffer.from([137, 80, 255, 0]);
const EVENTS = ["event: start\ndata: 1\n\n", "data: 2\ndata: and more\n\n", "data: [DONE]\n\n"];

function respond({ url: path = "", headers }: IncomingMessage, response: ServerResponse): void {
  hits += 1;
  if (isOff) return void response.destroy();
  response.setHeader("content-type", "application/json");
  if (path.startsWith("/paged")) {
    response.setHeader("etag", '"v7"').setHeader("x-next-page", "3").setHeader("x-ratelimit-remaining", "41");
    response.setHeader("set-cookie", ["theme=dark; Path=/", "lang=de; Path=/"]).end("[1,2]");
  } else if (path.startsWith("/moved")) response.writeHead(302, { location: "/final?from=moved" }).end();
  else if (path.startsWith("/signed")) response.setHeader("x-signature", "sha256=abc").end(SIGNED);
  else if (path.startsWith("/events")) {
    response.setHeader("content-type", "text/event-stream");
    for (const event of EVENTS) response.write(event);
    response.end();
  } else if (path.startsWith("/bytes")) response.setHeader("content-type", "image/png").end(BYTES);
  else if (path.startsWith("/lines"))
    response.setHeader("content-type", "application/x-ndjson").end('{"a":1}\n{"a":2}\n');
  else if (path.startsWith("/empty")) response.writeHead(204, { "x-left": "3" }).end();
  else if (path.startsWith("/missing"))
    response.writeHead(404, { "x-reason": "moved" }).end('{"error":{"code":"gone"}}');
  else if (path.startsWith("/busy") && (tries += 1) === 1) response.writeHead(429, { "retry-after": "0" }).end("{}");
  else response.end(JSON.stringify({ path: path.split("?")[0], tenant: headers["x-tenant"] }));
}

const { url, close } = await serve(
  (request, response) => void request.resume().on("end", () => respond(request, response)),
);
afterAll(close);
beforeEach(() => {
  stage.begin(temporaryProject("client-kinds"));
  [hits, tries, isOff] = [0, 0, false];
  uninstall = recordGlobalFetch();
});
afterEach(() => uninstall());

interface Sent {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a form. */
  readonly body?: object;
}
type Send = (path: string, sent?: Sent) => Promise<Response>;

async function sendByFetch(path: string, { method = "GET", headers = {}, body }: Sent = {}): Promise<Response> {
  const isForm = body instanceof FormData || body instanceof URLSearchParams;
  const text = body === undefined ? null : JSON.stringify(body);
  const send = async (): Promise<Response> => fetch(url + path, { method, headers, body: isForm ? body : text });
  const response = await send();
  return response.status === 429 ? send() : response;
}

const options = { apiKey: "made-up", maxRetries: 1 };

/** Clients that send any request: `fetch`, and SDKs with their own headers, retries and errors. */
const CLIENTS: readonly (readonly [string, Send])[] = [
  ["fetch", sendByFetch],
  [
    "OpenAI",
    async (path, { method = "GET", headers = {}, body } = {}) => {
      const client = new OpenAI({ ...options, baseURL: url });
      return client.request({ method: method === "GET" ? "get" : "post", path, headers, body }).asResponse();
    },
  ],
  [
    "Anthropic",
    async (path, { method = "GET", headers = {}, body } = {}) => {
      const client = new Anthropic({ ...options, baseURL: url });
      return client.request({ method: method === "GET" ? "get" : "post", path, headers, body }).asResponse();
    },
  ],
];

function stepOf(use: () => Promise<unknown>): AnyStep {
  return defineStep({
    name: "call",
    input: z.object({}),
    output: z.object({ result: z.unknown() }),
    run: async () => ({ output: { result: await use() } }),
  });
}

const live = { input: {}, adapters: {} };

/** Uses of a response, and what they return, live and with the server off. */
const READS: readonly (readonly [string, (send: Send) => Promise<unknown>, unknown])[] = [
  [
    "headers, and cookies one by one",
    async (send) => {
      const { headers } = await send("/paged");
      const names = ["etag", "x-next-page", "x-ratelimit-remaining"];
      const cookies = headers.getSetCookie().map((cookie) => cookie.split("=")[0]);
      return [...names.map((name) => headers.get(name)), ...cookies];
    },
    ['"v7"', "3", "41", "theme", "lang"],
  ],
  [
    "a followed redirect",
    async (send) => {
      const response = await send("/moved");
      return [response.redirected, response.url.slice(url.length), response.type, await response.json()];
    },
    [true, "/final?from=moved", "basic", { path: "/final" }],
  ],
  [
    "a signed body",
    async (send) => {
      const response = await send("/signed");
      return [response.headers.get("x-signature"), await response.text()];
    },
    ["sha256=abc", SIGNED],
  ],
  ["a stream of events", async (send) => (await send("/events")).text(), EVENTS.join("")],
  [
    "a stream, chunk by chunk",
    async (send) => {
      const { body } = await send("/events");
      const chunks: Uint8Array[] = [];
      for await (const chunk of body ?? []) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    },
    EVENTS.join(""),
  ],
  ["bytes", async (send) => [...new Uint8Array(await (await send("/bytes")).arrayBuffer())], [...BYTES]],
  ["lines of JSON", async (send) => (await send("/lines")).text(), '{"a":1}\n{"a":2}\n'],
  [
    "an empty response",
    async (send) => {
      const response = await send("/empty");
      return [response.status, response.headers.get("x-left"), await response.text()];
    },
    [204, "3", ""],
  ],
  [
    "an error, which SDKs throw, with its headers",
    async (send) => {
      const { status, headers } = await send("/missing").catch((error: Response) => error);
      return [status, headers.get("x-reason")];
    },
    [404, "moved"],
  ],
  [
    "a response after a retry",
    async (send) => {
      const { status } = await send("/busy");
      return status;
    },
    200,
  ],
];

/** Each row of a table with each client, whose name comes after that of the row. */
const byClient = <Rest extends readonly unknown[]>(
  rows: readonly (readonly [string, ...Rest])[],
): (readonly [kind: string, client: string, send: Send, ...Rest])[] =>
  rows.flatMap(([kind, ...rest]) => CLIENTS.map(([client, send]) => [kind, client, send, ...rest] as const));

test.each(
  byClient(READS),
)("%s by %s is recorded, and replays with the server off", async (_kind, _client, send, use, expected) => {
  const step = stepOf(async () => use(send));
  await expect(step).toMatchBaseline(live);
  expect(JSON.parse(stage.stagedText())).toMatchObject({ output: { result: expected } });
  stage.settle("none");
  const before = hits;
  isOff = true;
  await expect(step).toReplay();
  expect([hits - before, stage.checks.map(({ verdict }) => verdict.kind)]).toStrictEqual([0, ["clean"]]);
});

const form = (nonce: string, note = "late"): FormData => {
  const fields = new FormData();
  fields.set("nonce", nonce);
  fields.set("note", note);
  return fields;
};
const prompt = (day: string, tone = "kind"): Sent => ({
  method: "POST",
  body: { messages: [{ role: "system", content: `Today is ${day}. Be ${tone}.` }] },
});
type Request = readonly [path: string, sent?: Sent];

function withCityAlone(request: unknown): unknown {
  const { body, ...rest } = z.looseObject({ body: z.object({ city: z.string() }) }).parse(request);
  return { ...rest, body: { city: body.city.toLowerCase() } };
}

/** A recorded request, an equal one, and a different one with a part of its message; with the rules of the check. */
const REQUESTS: readonly (readonly [string, Request, Request, Request, string, object])[] = [
  ["order and encoding of a query", ["/a?q=x%20y&n=1"], ["/a?n=1&q=x+y"], ["/a?n=2&q=x+y"], "query.n", {}],
  [
    "an ignored query parameter",
    ["/a?q=x&ts=1"],
    ["/a?ts=2&q=x"],
    ["/a?ts=2&q=y"],
    "query.q",
    { ignore: ["fetch[0].query.ts"] },
  ],
  [
    "an ignored part of a form, and its boundary",
    ["/a", { method: "POST", body: form("1") }],
    ["/a", { method: "POST", body: form("2") }],
    ["/a", { method: "POST", body: form("2", "broken") }],
    "form.note",
    { ignore: ["fetch[0].form.nonce"] },
  ],
  [
    "an ignored part of a prompt",
    ["/a", prompt("Monday")],
    ["/a", prompt("Friday")],
    ["/a", prompt("Friday", "rude")],
    "body.messages[0].content",
    { ignore: [{ path: "fetch[0].body.messages[0].content", match: /Today is .*?\./ }] },
  ],
  [
    "an ignored field of a form as text",
    ["/a", { method: "POST", body: new URLSearchParams({ nonce: "1", note: "late" }) }],
    ["/a", { method: "POST", body: new URLSearchParams({ note: "late", nonce: "2" }) }],
    ["/a", { method: "POST", body: new URLSearchParams({ note: "broken", nonce: "2" }) }],
    "form.note",
    { ignore: ["fetch[0].form.nonce"] },
  ],
  [
    "an ignored field of JSON in a text",
    ["/a", { method: "POST", body: { arguments: '{"id":1,"city":"Oslo"}' } }],
    ["/a", { method: "POST", body: { arguments: '{"id":2,"city":"Oslo"}' } }],
    ["/a", { method: "POST", body: { arguments: '{"id":2,"city":"Rome"}' } }],
    "body.arguments",
    { ignore: ["fetch[0].body.arguments.id"] },
  ],
  [
    "an ignored element of XML",
    ["/a", { method: "POST", body: { order: "<order><id>1</id><city>Oslo</city></order>" } }],
    ["/a", { method: "POST", body: { order: "<order><id>2</id><city>Oslo</city></order>" } }],
    ["/a", { method: "POST", body: { order: "<order><id>2</id><city>Rome</city></order>" } }],
    "body.order",
    { ignore: ["fetch[0].body.order.order.id"] },
  ],
  [
    "a normalized request",
    ["/a", { method: "POST", body: { city: "Oslo", at: 1 } }],
    ["/a", { method: "POST", body: { city: "OSLO", at: 2 } }],
    ["/a", { method: "POST", body: { city: "Rome", at: 2 } }],
    "body.city",
    { normalizeRequest: withCityAlone },
  ],
  [
    "headers in matchHeaders",
    ["/a", { headers: { "x-tenant": "north", "x-trace": "1" } }],
    ["/a", { headers: { "x-tenant": "north", "x-trace": "2" } }],
    ["/a", { headers: { "x-tenant": "south" } }],
    "headers.x-tenant",
    { matchHeaders: ["x-tenant"] },
  ],
  [
    "the largest safe integer of a schema",
    ["/a", { method: "POST", body: { max: Number.MAX_SAFE_INTEGER, n: 1 } }],
    ["/a", { method: "POST", body: { max: Number.MAX_SAFE_INTEGER, n: 1 } }],
    ["/a", { method: "POST", body: { max: Number.MAX_SAFE_INTEGER, n: 2 } }],
    "body.n",
    {},
  ],
];

test.each(byClient(REQUESTS))("%s by %s: only another request is unrecorded", async (_kind, _client, send, ...row) => {
  const [recorded, equal, other, changed, rules] = row;
  const stepThatSends = ([path, sent]: Request): AnyStep =>
    stepOf(async () => send(path, sent).then(async (response) => response.text(), String));
  await expect(stepThatSends(recorded)).toMatchBaseline({ ...live, ...rules });
  stage.settle("none");
  const before = hits;
  isOff = true;
  await expect(stepThatSends(equal)).toMatchBaseline({ input: {}, ...rules });
  const message = await stage.message(() => expect(stepThatSends(other)).toMatchBaseline({ input: {}, ...rules }));
  expect(message).toContain(`request[0].${changed}`);
  expect(hits).toBe(before);
});

test.each(CLIENTS)("another header of %s explains another response", async (_name, send) => {
  let tenant = "north";
  const step = stepOf(async () => (await send("/tenant", { headers: { "x-tenant": tenant } })).text());
  await expect(step).toMatchBaseline(live);
  stage.settle("none");
  tenant = "south";
  const message = await stage.message(() => expect(step).toMatchBaseline({ ...live, mode: "live" }));
  expect(message).toContain("cause: code (request headers differ: x-tenant)");
});

describe("writes", () => {
  interface Adapters {
    readonly shop: { readonly send: (item: string) => Promise<unknown> };
  }
  type Ship = (item: string, adapters: Adapters) => Promise<unknown>;
  const adapters: Adapters = { shop: { send: async (item) => ({ sent: item }) } };
  const ways: readonly (readonly [string, Ship])[] = [
    ...CLIENTS.map(([name, send]): readonly [string, Ship] => [
      name,
      async (item) => (await send(`/ship/${item}`, { method: "POST", body: { item } })).status,
    ]),
    ["an adapter", async (item, { shop }) => shop.send(item)],
  ];
  /** Sends each group of items at once, one group after the other. */
  const shipping = (ship: Ship, groups: string): AnyStep =>
    defineStep({
      name: "ship",
      input: z.object({}),
      output: z.object({ count: z.number() }),
      roles: { shop: "write" },
      run: async (_input, context: StepContext<Adapters>) => {
        for (const group of groups.split(" "))
          await Promise.all(group.split("").map(async (item) => ship(item, context.adapters)));
        return { output: { count: groups.length } };
      },
    });

  test.each(ways)("by %s at once have no order, and one after the other have one", async (_way, ship) => {
    const given = { input: {}, adapters, effects: "run" as const };
    await expect(shipping(ship, "abc de")).toMatchBaseline(given);
    stage.settle("none");
    isOff = true;
    await expect(shipping(ship, "cab ed")).toMatchBaseline({ input: {} });
    await expect(shipping(ship, "cab ed")).toMatchBaseline({ ...given, mode: "replay" });
    expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean", "clean"]);
    for (const groups of ["abd ce", "de abc"])
      expect(await stage.message(() => expect(shipping(ship, groups)).toMatchBaseline({ input: {} }))).toContain(
        "calls_changed",
      );
  });
});
