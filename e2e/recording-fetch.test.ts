import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { majors, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/** A step without adapters, whose client keeps the `fetch` it found when it was built. */
const GREETER = `
import { defineStep } from "veritest";
import { z } from "zod";

class Client {
  constructor() { this.fetch = globalThis.fetch; }
  async ask(prompt) {
    const response = await this.fetch("http://127.0.0.1:" + (process.env.PORT ?? 1) + "/v1/ask", { method: "POST", headers: { authorization: "Bearer " + Math.random() }, body: JSON.stringify({ prompt }) });
    if (!response.ok) throw new Error(response.status + " " + (await response.json()).error.code);
    return (await response.json()).text;
  }
}

const client = new Client();

export const greet = defineStep({
  name: "greet",
  input: z.object({ name: z.string() }),
  output: z.object({ text: z.string() }),
  roles: { fetch: "model" },
  run: async ({ name }) => ({ output: { text: await client.ask((process.env.CHANGED ?? "Greet") + " " + name) } }),
});
`;

const TEST = testFile(`
import { createServer } from "node:http";
import { greet } from "./greeter.js";
let server;
test("greets", async () => {
  if (process.env.CI === undefined) {
    server = createServer((request, response) => { request.resume().on("end", () => response.end(JSON.stringify({ text: "Hello" }))); });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    process.env.PORT = String(server.address().port);
  }
  const ignore = ["fetch[0].origin"];
  await expect(greet).toMatchBaseline({ input: { name: "Ada" }, adapters: {}, ignore });
  await expect(greet).toReplay({ ignore });
});
afterAll(() => { server?.close(); });
`);

/** A step that leaves an endless stream at its first event, or, with ALL, reads on. */
const READER = testFile(`
import { createServer } from "node:http";
import { defineStep } from "veritest";
import { z } from "zod";
const read = defineStep({
  name: "read",
  input: z.object({}),
  output: z.object({ text: z.string() }),
  run: async () => {
    const response = await fetch("http://127.0.0.1:" + (process.env.PORT ?? 1) + "/events");
    let text = "";
    for await (const part of response.body) {
      text += Buffer.from(part);
      if (process.env.ALL === undefined) break;
    }
    return { output: { text } };
  },
});
let server;
test("reads", async () => {
  if (process.env.CI === undefined) {
    server = createServer((request, response) => { response.setHeader("content-type", "text/event-stream").write("data: 1\\n\\n"); });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    process.env.PORT = String(server.address().port);
  }
  await expect(read).toMatchBaseline({ input: {}, adapters: {}, ignore: ["fetch[0].origin"] });
}, 60_000);
afterAll(() => { server?.closeAllConnections(); server?.close(); });
`);

const CONFIGS = {
  vitest: {
    "vitest.config.js":
      'import { veritest } from "veritest/plugin";\nimport { defineConfig } from "vitest/config";\nexport default defineConfig({ plugins: [veritest({ fetch: true })] });\n',
  },
  jest: { "jest.config.json": '{ "preset": "veritest/jest", "setupFiles": ["veritest/fetch-setup"] }\n' },
};

describe.each(sampled(majors))("$name", (runner) => {
  test("a step that calls fetch is captured, replayed offline and explained with one line of set-up", async () => {
    const project = createProject(runner);
    project.write({ "greeter.js": GREETER, "greet.test.js": TEST, ...CONFIGS[runner.kind] });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {}, fileTroubles: [] });
    expect(project.cases()).toEqual(["__baselines__/greet/greets"]);
    expect(project.read(project.baselines()[0] ?? "")).not.toContain("Bearer");
    const before = project.tree();
    expect(await project.run([], { env: { CI: "1" } })).toMatchObject({ exitCode: 0, failures: {} });
    const changed = await project.run([], { env: { CI: "1", CHANGED: "Welcome" } });
    expect(changed.failures["greets"]).toContain("    cause: prompt\n");
    expect(changed.failures["greets"]).toContain(
      'adapter "fetch" was called with a request that wasn\'t recorded (1 recorded for it)',
    );
    expect(project.tree()).toEqual(before);
  });

  test("a replay that reads on in a recorded stream fails at its end, and doesn't wait for the test's timeout", async () => {
    const project = createProject(runner);
    project.write({ "read.test.js": READER, ...CONFIGS[runner.kind] });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    expect(await project.run([], { env: { CI: "1" } })).toMatchObject({ exitCode: 0, failures: {} });
    const { failures } = await project.run([], { env: { CI: "1", ALL: "1" } });
    expect(failures["reads"]).toContain("cause: code (it reads past the end of the recorded stream)\n");
  });
});
