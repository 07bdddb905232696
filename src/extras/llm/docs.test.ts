// @module-tag deep
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, test } from "vitest";

const DOCS = readFileSync(new URL("../../../docs/integrations/llm.md", import.meta.url), "utf8");
const OWN: Readonly<Record<string, string>> = {
  veritest: "../../index.ts",
  "veritest/kernel": "../../kernel.ts",
  "veritest/llm": "../../llm.ts",
};

const mock = new LLMock({ port: 0, logLevel: "silent" });
const directory = mkdtempSync(join(tmpdir(), "veritest-llm-docs-"));

beforeAll(async () => {
  const usage = { prompt_tokens: 20, completion_tokens: 10 };
  mock.onMessage("List the claims", { content: '{"claims":[{"id":"c1","text":"The sky is blue."}]}', usage });
  mock.onMessage("A title", { content: "Sky", usage });
  mock.onMessage("Summarize", { content: "It is blue.", usage });
  await mock.start();
});

afterAll(async () => {
  await mock.stop();
  rmSync(directory, { recursive: true });
});

/** The code of the page, with every package named by where it lies. */
function snippets(): string[] {
  const blocks = [...DOCS.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
  return blocks.map((code) => code.replaceAll(/from "([^"]+)"/g, (_import, name: string) => `from "${locate(name)}"`));
}

function locate(name: string): string {
  const own = OWN[name];
  return own === undefined ? import.meta.resolve(name) : new URL(own, import.meta.url).href;
}

function runFile(path: string): Promise<string> {
  const env = { ...process.env, OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_API_KEY: "none", NODE_OPTIONS: "" };
  const child = spawn(process.execPath, ["--experimental-strip-types", "--no-warnings", path], { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
  return new Promise((resolve) => {
    child.on("close", () => resolve(output));
  });
}

test("the page's code runs and prints the documented output", async () => {
  const outputs: string[] = [];
  for (const [index, code] of snippets().entries()) {
    const path = join(directory, `snippet-${index}.mts`);
    writeFileSync(path, code);
    outputs.push(await runFile(path));
  }
  expect(outputs).toStrictEqual([
    '{"claims":[{"id":"c1","text":"The sky is blue."}]} 30\n',
    '{"title":"Sky","summary":"It is blue."}\n',
  ]);
});
