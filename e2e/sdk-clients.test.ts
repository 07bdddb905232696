import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { readBlocks } from "../scripts/readme/read-blocks.ts";
import { createProject } from "./harness/project.ts";
import { testFile } from "./harness/test-file.ts";

/** Uses of clients that send by the global `fetch`, and of others behind adapters. */
const TEST = testFile(`
import { GoogleGenAI } from "@google/genai";
import axios from "axios";
import got from "got";
import ky from "ky";
import { fetch as undiciFetch, request } from "undici";
import { defineStep } from "veritest";
import { z } from "zod";

const url = process.env.SERVER_URL;
const genai = new GoogleGenAI({ apiKey: "made-up", httpOptions: { baseUrl: url } });
const model = "gemini-9";
const byFetch = { adapter: "fetch" };
const form = () => { const data = new FormData(); data.set("name", "Ada"); return data; };

const BY_FETCH = {
  "genai content": async () => (await genai.models.generateContent({ model, contents: "Hours?" })).text,
  "genai stream": async () => {
    const texts = [];
    for await (const { text } of await genai.models.generateContentStream({ model, contents: "Hours?" })) texts.push(text);
    return texts;
  },
  "genai chat": async () => {
    const chat = genai.chats.create({ model });
    await chat.sendMessage({ message: "One?" });
    return (await chat.sendMessage({ message: "Two?" })).text;
  },
  "genai upload": async () => (await genai.files.upload({ file: new Blob(["hello"], { type: "text/plain" }) })).uri,
  "ky query": async () => ky.get(url + "/json", { searchParams: { page: 2 } }).json(),
  "ky post": async () => ky.post(url + "/json", { json: { name: "Ada" } }).json(),
  "ky form": async () => ky.post(url + "/json", { body: form() }).json(),
  "ky retry": async () => ky.get(url + "/flaky", { retry: { limit: 2, delay: () => 1 } }).json(),
  "axios query": async () => (await axios.get(url + "/json", { ...byFetch, params: { page: 2 } })).data,
  "axios post": async () => (await axios.post(url + "/json", { name: "Ada" }, byFetch)).data,
  "axios form": async () => (await axios.post(url + "/json", form(), byFetch)).data,
  "axios error": async () => axios.get(url + "/missing", byFetch).catch(({ code, response }) => [code, response.status, response.data]),
};

test.each(Object.entries(BY_FETCH))("%s", async (name, use) => {
  const step = defineStep({ name: name.replace(" ", "-"), input: z.object({}), output: z.object({ result: z.unknown() }), run: async () => ({ output: { result: await use() } }) });
  await expect(step).toMatchBaseline({ input: {}, adapters: {} });
  await expect(step).toReplay();
});

const CLIENTS = {
  axios: { get: async (path) => (await axios.get(url + path)).data, post: async (path, data) => (await axios.post(url + path, data)).data },
  got: { get: async (path) => got.get(url + path).json(), post: async (path, json) => got.post(url + path, { json }).json() },
  undici: { get: async (path) => (await request(url + path)).body.json(), post: async (path, data) => (await undiciFetch(url + path, { method: "POST", body: JSON.stringify(data) })).json() },
};

test.each(Object.entries(CLIENTS))("%s as an adapter", async (name, http) => {
  const step = defineStep({
    name: name + "-adapter",
    input: z.object({}),
    output: z.object({ results: z.array(z.unknown()) }),
    roles: { "http.*": "read" },
    run: async (_input, { adapters }) => ({ output: { results: [await adapters.http.get("/json"), await adapters.http.get("/json?page=2"), await adapters.http.post("/json", { name: "Ada" })] } }),
  });
  await expect(step).toMatchBaseline({ input: {}, adapters: { http } });
  await expect(step).toReplay();
});
`);

/**
 * Requests with a part that the check ignores and one that counts (from the environment), and values of every kind that
 * steps and adapters make of responses.
 */
const KINDS = testFile(`
import { GoogleGenAI } from "@google/genai";
import axios from "axios";
import got from "got";
import ky from "ky";
import { request } from "undici";
import { defineStep } from "veritest";
import { z } from "zod";

const url = process.env.SERVER_URL;
const [at, city] = [process.env.IGNORED ?? "1", process.env.COUNTED ?? "Oslo"];
const genai = new GoogleGenAI({ apiKey: "made-up", httpOptions: { baseUrl: url } });
const model = "gemini-9";
const ask = async (contents, headers = {}) => (await genai.models.generateContent({ model, contents, config: { httpOptions: { headers } } })).text;
const send = {
  ky: async (path, body, headers) => ky.post(url + path, { body, headers }).json(),
  axios: async (path, body, headers) => (await axios.post(url + path, body, { adapter: "fetch", headers })).data,
};
const http = {
  axios: async (path, body) => (await axios.post(url + path, body)).data,
  got: async (path, body) => got.post(url + path, { body }).json(),
  undici: async (path, body) => (await request(url + path, { method: "POST", body })).body.json(),
};
const json = { "content-type": "application/json" };
const inText = JSON.stringify({ at, city });
const xml = "<order><at>" + at + "</at><city>" + city + "</city></order>";
const form = () => { const data = new FormData(); data.set("at", at); data.set("city", city); return data; };
const prompt = "Today is " + at + ". Where is " + city + "?";
const withoutTime = (data) => JSON.parse(JSON.stringify(data).replace(/today is \\d+/i, ""));
const text = "fetch[0].body.contents[0].parts[0].text";

function defined(name, use) {
  return defineStep({ name: name.replaceAll(" ", "-"), input: z.object({}), output: z.object({ result: z.unknown() }), run: async (_input, { adapters }) => ({ output: { result: await use(adapters) } }) });
}

const REQUESTS = [
  ["genai part of a prompt", () => ask(prompt), { ignore: [{ path: text, match: /Today is \\d+/ }] }],
  ["genai JSON in text", () => ask(inText), { ignore: [text + ".at"] }],
  ["genai XML", () => ask(xml), { ignore: [text + ".order.at"] }],
  ["genai header", () => ask("Hours?", { "x-tenant": city, "x-trace": at }), { matchHeaders: ["x-tenant"] }],
  ["genai normalized", () => ask(prompt), { normalizeRequest: withoutTime }],
  ...Object.entries(send).flatMap(([name, post]) => [
    [name + " part of a query", () => post("/json?city=" + city + "&at=" + at, ""), { ignore: ["fetch[0].query.at"] }],
    [name + " part of a form", () => post("/json", new URLSearchParams({ at, city })), { ignore: ["fetch[0].form.at"] }],
    [name + " multipart", () => post("/json", form()), { ignore: ["fetch[0].form.at"] }],
    [name + " JSON in text", () => post("/json", JSON.stringify({ order: inText }), json), { ignore: ["fetch[0].body.order.at"] }],
    [name + " XML", () => post("/json", xml, { "content-type": "application/xml" }), { ignore: ["fetch[0].body.order.at"] }],
    [name + " header", () => post("/json", "", { "x-tenant": city, "x-trace": at }), { matchHeaders: ["x-tenant"] }],
    [name + " normalized", () => post("/json", JSON.stringify({ prompt }), json), { normalizeRequest: withoutTime }],
  ]),
  ...Object.keys(http).flatMap((name) => [
    [name + " adapter query", ({ http }) => http[name]("/json?city=" + city + "&at=" + at, ""), { ignore: [{ path: "http." + name + "[0]", match: /at=\\d+/ }] }],
    [name + " adapter JSON in text", ({ http }) => http[name]("/json", inText), { ignore: ["http." + name + "[1].at"] }],
    [name + " adapter XML", ({ http }) => http[name]("/json", xml), { ignore: ["http." + name + "[1].order.at"] }],
    [name + " adapter normalized", ({ http }) => http[name]("/json", prompt), { normalizeRequest: withoutTime }],
  ]),
];

test.each(REQUESTS)("%s", async (name, use, rules) => {
  await expect(defined(name, use)).toMatchBaseline({ input: {}, adapters: process.env.CI ? undefined : { http }, ...rules });
});

const VALUES = {
  BigInt: ({ method }) => BigInt(method.length),
  Map: (data) => new Map(Object.entries(data)),
  Set: ({ method }) => new Set([method]),
  Date: ({ method }) => new Date(method.length),
  URL: ({ url: path }) => new URL(path, "http://shop.test"),
  "typed array": ({ method }) => Float64Array.of(method.length, 0.5),
  Buffer: ({ method }) => Buffer.from(method),
  Infinity: ({ method }) => [method.length / 0, NaN],
  Error: ({ method }) => new Error(method, { cause: new RangeError("gone") }),
};
const READS = {
  genai: async () => { await ask("Hours?"); return { method: "POST", url: "/json" }; },
  ky: () => send.ky("/json", ""),
  axios: () => send.axios("/json", ""),
};
const refused = Object.entries(READS).flatMap(([name, read]) => [Headers, FormData].map((Class) => ["refused " + name + " " + Class.name, async () => { await read(); return new Class(); }]));
const rows = process.env.REFUSED ? refused : Object.entries(VALUES).flatMap(([kind, made]) => [
  ...Object.entries(READS).map(([name, read]) => ["value " + name + " " + kind, async () => made(await read())]),
  ...Object.keys(http).map((name) => ["value " + name + " adapter " + kind, ({ http }) => http[name]("/json", kind)]),
]);
const makes = Object.fromEntries(Object.entries(http).map(([name, post]) => [name, async (path, kind) => VALUES[kind](await post(path, ""))]));

test.each(rows)("%s", async (name, use) => {
  await expect(defined(name, use)).toMatchBaseline({ input: {}, adapters: process.env.CI ? undefined : { http: makes } });
});

`);

const CONFIG = `
import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";
export default defineConfig({ plugins: [veritest({ fetch: true })] });
`;

let hits = 0;
let flaky = 0;

function respond({ method, url = "", headers }: IncomingMessage, response: ServerResponse): void {
  hits += 1;
  const json = (data: unknown, status = 200): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(data));
  };
  const content = (text: string): object => ({ candidates: [{ content: { role: "model", parts: [{ text }] } }] });
  if (url.includes(":streamGenerateContent")) {
    response.setHeader("content-type", "text/event-stream");
    for (const text of ["At ", "nine."]) response.write(`data: ${JSON.stringify(content(text))}\r\n\r\n`);
    response.end();
  } else if (url.includes(":generateContent")) json(content("At nine."));
  else if (headers["x-goog-upload-command"] === "start") {
    response.setHeader("x-goog-upload-url", `http://${headers.host ?? ""}/upload/session`);
    json({});
  } else if (url.startsWith("/upload/")) {
    response.setHeader("x-goog-upload-status", "final");
    json({ file: { name: "files/a", uri: "https://files.test/a", state: "ACTIVE" } });
  } else if (url.startsWith("/flaky") && (flaky += 1) === 1) json({}, 503);
  else if (url.startsWith("/missing")) json({ error: "none" }, 404);
  else json({ method, url });
}

test("SDKs and HTTP clients are recorded once, and replay with the server off", async () => {
  const server = createServer((request, response) => void request.resume().on("end", () => respond(request, response)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const project = createProject({ name: "vitest-5", kind: "vitest" });
  const page = readFileSync(new URL("../docs/integrations/gemini.md", import.meta.url), "utf8");
  const shown = readBlocks(page).find(({ attributes }) => attributes.get("file") === "hours.test.js")?.text ?? "";
  project.write({ "sdk.test.js": TEST, "kinds.test.js": KINDS, "hours.test.js": shown, "vitest.config.js": CONFIG });
  const url = `http://127.0.0.1:${port}`;
  const env = { SERVER_URL: url, GOOGLE_GEMINI_BASE_URL: url };
  const captured = await project.run([], { env });
  expect(captured).toMatchObject({ exitCode: 0, failures: {} });
  expect([project.baselines().length, hits > 20]).toStrictEqual([101, true]);
  const refused = await project.run(["kinds", "-t", "refused"], { env: { ...env, REFUSED: "1" } });
  expect(Object.keys(refused.failures)).toHaveLength(6);
  for (const message of Object.values(refused.failures))
    expect(message).toMatch(
      /a baseline can't store a (?:Headers|FormData) at "output\.result"\. Convert it to plain data/,
    );
  const tree = project.tree();
  await new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  hits = 0;
  const replayed = await project.run([], { env: { ...env, CI: "1", IGNORED: "2" } });
  expect([replayed.exitCode, replayed.failures, hits]).toStrictEqual([0, {}, 0]);
  const changed = await project.run(["kinds"], { env: { ...env, CI: "1", IGNORED: "2", COUNTED: "Rome" } });
  expect([Object.keys(changed.failures).length, hits]).toStrictEqual([31, 0]);
  for (const message of Object.values(changed.failures))
    expect(message).toMatch(/request\[[01]\].*: ".*Oslo.*" → ".*Rome.*"/);
  expect(project.tree()).toStrictEqual(tree);
});
