import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { majors, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/** A step that asks several adapters at once, in streams and by errors; what it asks goes over real connections. */
const WORLD = `
import { createServer } from "node:http";
import { connect } from "node:net";
import { defineStep } from "veritest";
import { z } from "zod";

export async function openWorld() {
  const server = createServer((request, response) => {
    if (request.url === "/missing") { response.statusCode = 404; response.end("no such page"); return; }
    setTimeout(() => response.end("page " + request.url), 3);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  const read = (path) => new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("GET " + path + " HTTP/1.0\\r\\n\\r\\n"));
    let text = "";
    socket.on("data", (data) => { text += data; });
    socket.on("error", reject);
    socket.on("close", () => (text.includes(" 404 ") ? reject(new TypeError("404 " + path)) : resolve({ text: text.split("\\r\\n\\r\\n")[1], at: new Date(0) })));
  });
  async function* words(path) { for (const word of (await read(path)).text.split(" ")) yield { word }; }
  return { adapters: { web: { read, words }, log: { size: 7n } }, close: () => new Promise((resolve) => server.close(resolve)) };
}

export const survey = defineStep({
  name: "survey",
  input: z.object({ paths: z.array(z.string()) }),
  output: z.object({ pages: z.array(z.string()), words: z.array(z.string()), failure: z.string(), size: z.string() }),
  run: async ({ paths }, { adapters: { web, log } }) => {
    const pages = await Promise.all([...paths, ...paths].map(async (path) => { const { text, at } = await web.read(path); return text + at.toISOString(); }));
    const words = [];
    for await (const { word } of web.words(paths[0])) words.push(word);
    const failure = await web.read("/missing").then(() => "none", (error) => error.name + ": " + error.message);
    return { output: { pages, words, failure, size: String(log.size) } };
  },
});
`;

const CAPTURE = testFile(
  `
import { openWorld, survey } from "./world.js";
test("captured", async () => {
  const { adapters, close } = await openWorld();
  for (const name of ["a", "b"]) await expect(survey).toMatchBaseline({ input: { paths: ["/" + name, "/c", "/d"] }, adapters, name });
  await close();
});
`,
);

const REPLAY = testFile(
  `
import { Socket } from "node:net";
import { survey } from "./world.js";
let connections = 0;
Socket.prototype.connect = () => { connections += 1; throw new Error("a connection was opened"); };
afterAll(() => { if (connections > 0) throw new Error(connections + " connections were opened"); });
test("a hundred at once", async () => {
  await Promise.all(Array.from({ length: 100 }, async () => { await expect(survey).toReplay(); }));
  await Promise.all(Array.from({ length: 10 }, async () => { await expect(survey).toRecomputeClean({ concurrency: 2 }); }));
  expect(connections).toBe(0);
});
for (let index = 0; index < 10; index += 1) test.concurrent("concurrent " + index, async () => { await expect(survey).toReplay(); });
`,
);

/** A step that asks a machine by itself, as a module's own client does, and one that asks nothing. */
const READER = `
import { get } from "node:http";
import { defineStep } from "veritest";
import { z } from "zod";

const ask = (port) => new Promise((resolve, reject) => {
  get({ host: "127.0.0.1", port }, (response) => { let text = ""; response.on("data", (part) => { text += part; }).on("end", () => resolve(text)); }).on("error", reject);
});

export const reader = defineStep({
  name: "reader",
  input: z.object({ by: z.string() }),
  output: z.object({ text: z.string() }),
  run: async ({ by }) => ({
    output: { text: by === "fetch" ? await (await fetch("http://127.0.0.1:" + process.env.PORT)).text() : await ask(process.env.PORT) },
  }),
});
`;

const READ = testFile(`
import { createServer } from "node:http";
import { reader } from "./reader.js";
let server; let asked = 0;
afterAll(() => { server.closeAllConnections(); server.close(); });
test("reads by NAME", async () => {
  server = createServer((request, response) => { asked += 1; response.end(process.env.ANSWER ?? "one"); });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.env.PORT = String(server.address().port);
  const own = async () => (await fetch("http://127.0.0.1:" + process.env.PORT)).text();
  const check = async (by) => { await expect(reader).toMatchBaseline({ input: { by }, name: "NAME-" + by }); };
  const [first, second, text] = await Promise.allSettled([check("fetch"), check("http"), own()]);
  expect(text).toMatchObject({ status: "fulfilled" });
  if (process.env.SHUT === "1") expect(asked).toBe(1);
  for (const one of [first, second]) if (one.status === "rejected") throw one.reason;
});
`);

/** The files each runner captured. */
const captured = new Map<string, Readonly<Record<string, string>>>();

describe.each(sampled(majors))("$name", (runner) => {
  test("a recorded run replays a hundred times at once, byte by byte, and opens no connection", async () => {
    const project = createProject(runner);
    project.write({ "world.js": WORLD, "world.test.js": CAPTURE });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    captured.set(runner.name, Object.fromEntries(project.baselines().map((path) => [path, project.read(path)])));
    const before = project.tree();
    project.write({ "world.test.js": REPLAY });
    expect(await project.run([], { env: { CI: "1" } })).toMatchObject({ exitCode: 0, failures: {}, fileTroubles: [] });
    const { "world.test.js": _replaced, ...after } = project.tree();
    const { "world.test.js": _captured, ...expected } = before;
    expect(after).toEqual(expected);
  });
});

describe.each(sampled(majors))("$name", (runner) => {
  test("a request outside the recorder is reported at capture, is never explained as code, and is refused in replay", async () => {
    const project = createProject(runner);
    project.write({ "reader.js": READER, "a.test.js": READ, "b.test.js": READ.replaceAll("NAME", "other") });
    const captured = await project.run();
    expect(captured).toMatchObject({ exitCode: 0, failures: {} });
    expect(captured.summary).toMatch(
      /captured with 0 calls, but the step also called 127\.0\.0\.1:\d+ \(reader\.js:\d+:\d+\) directly/,
    );
    const drifted = await project.run([], { env: { ANSWER: "two", CI: "1" } });
    const told = Object.values(drifted.failures).join("\n");
    expect(told).toContain("directly, so veritest didn't record the responses");
    expect(told).not.toMatch(/cause|code/);
    // One file after the other in one process, each with globals of its own.
    project.write({ "veritest.config.mjs": "export default { network: { local: false } };" });
    const shut = await project.run([], { env: { CI: "1", SHUT: "1" } });
    expect(Object.keys(shut.failures)).toHaveLength(2);
    for (const message of Object.values(shut.failures))
      expect(message).toMatch(
        /network_refused: veritest blocked a connection to 127\.0\.0\.1:\d+ \(reader\.js:\d+:\d+\)/,
      );
  });
});

test("all runners capture the same bytes", () => {
  const [first, ...others] = [...captured.values()];
  expect(Object.keys(first ?? {})).toHaveLength(2);
  for (const other of others) expect(other).toEqual(first);
});
