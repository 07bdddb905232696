/**
 * The oldest and the newest versions of the SDKs whose requests `veritest({ fetch: true })` records, each generation in
 * a project of its own, adopted from the packed tarball.
 */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { must } from "./harness/install.ts";
import { runChild } from "./harness/run-child.ts";
import { isFull } from "./harness/runners.ts";

const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
const CHAT = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-5",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello" } }],
  usage,
};
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 1 },
};

let server: Server;
let url = "";
let asked = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked += 1;
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(request.url?.includes("messages") === true ? MESSAGE : CHAT));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});
afterAll(() => server.close());

const GREETINGS: Readonly<Record<string, string>> = {
  openai: `import OpenAI from "openai";
const client = new OpenAI({ baseURL: process.env.SERVER_URL + "/v1", maxRetries: 0 });
const greet = async (content) =>
  (await client.chat.completions.create({ model: "gpt-5", messages: [{ role: "user", content }] })).choices[0].message.content;
`,
  anthropic: `import Anthropic from "@anthropic-ai/sdk";
const client = new Anthropic({ baseURL: process.env.SERVER_URL, maxRetries: 0 });
const greet = async (content) =>
  (await client.messages.create({ model: "claude", max_tokens: 9, messages: [{ role: "user", content }] })).content[0].text;
`,
  ai: `import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
const openai = createOpenAI({ baseURL: process.env.SERVER_URL + "/v1" });
const greet = async (prompt) => (await generateText({ model: openai.chat("gpt-4o"), prompt, maxRetries: 0 })).text;
`,
};

function testOf(name: string): string {
  return `import { defineStep } from "veritest";
import { expect, test } from "vitest";
import { z } from "zod";
${GREETINGS[name] ?? ""}
const step = defineStep({
  name: "${name}",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  run: async ({ text }) => ({ output: { text: await greet(text) } }),
});

test("a greeting", async () => {
  await expect(step).toMatchBaseline({ input: { text: "Hi" }, adapters: {} });
});
`;
}

/** The oldest and the newest generations, and those between them with `VERITEST_E2E=full`. */
const GENERATIONS: readonly (readonly string[])[] = [
  ["openai@4.12.4", "@anthropic-ai/sdk@0.27.0", "ai@4", "@ai-sdk/openai@1", "zod@3.25.76"],
  ["openai@4", "@anthropic-ai/sdk@0", "ai@5", "@ai-sdk/openai@2", "zod@4.0.0"],
  ["openai@5", "@anthropic-ai/sdk@1", "ai@6", "@ai-sdk/openai@3", "zod@4"],
  ["openai@6", "@anthropic-ai/sdk@latest", "ai@latest", "@ai-sdk/openai@latest", "zod@latest"],
];
const tried = GENERATIONS.filter((_, index) => isFull || index === 0 || index === GENERATIONS.length - 1);

test.for(tried)("%s: init sets up what records each SDK, and CI replays without a key", async (packages) => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "veritest-peers-")));
  onTestFinished(async () => rm(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, "tests"));
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "peers", private: true, type: "module" }));
  for (const name of Object.keys(GREETINGS)) writeFileSync(join(cwd, "tests", `${name}.test.js`), testOf(name));
  // The optional peers of each SDK don't matter here.
  const install = ["install", "--save-dev", "--no-audit", "--no-fund", "--prefer-offline", "--legacy-peer-deps"];
  await must("npm", [...install, inject("tarball"), "vitest@5", "vite@8", ...packages], cwd);
  await must(process.execPath, ["node_modules/veritest/dist/cli.js", "init", "--yes"], cwd);
  const vitest = ["node_modules/vitest/vitest.mjs", "run"];
  asked = 0;
  const keys = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" };
  const captured = await runChild(process.execPath, vitest, { cwd, env: { SERVER_URL: url, ...keys } });
  const output = captured.stdout + captured.stderr;
  expect(output).toMatch(/Baselines {2}3 captured\n(?: {13}.*\n)*  Live {7}3 calls, 12 tokens, /);
  expect([captured.exitCode, asked]).toEqual([0, 3]);
  const replayed = await runChild(process.execPath, vitest, { cwd, env: { SERVER_URL: url, CI: "1" } });
  expect(replayed.stdout + replayed.stderr).toContain("Baselines  3 clean\n");
  expect([replayed.exitCode, asked]).toEqual([0, 3]);
});
