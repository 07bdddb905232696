import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { majors } from "./harness/runners.ts";
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

/** The files each runner captured. */
const captured = new Map<string, Readonly<Record<string, string>>>();

describe.each(majors)("$name", (runner) => {
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

test("what the runners capture are the same bytes", () => {
  const [first, ...others] = [...captured.values()];
  expect(Object.keys(first ?? {})).toHaveLength(2);
  for (const other of others) expect(other).toEqual(first);
});
