// @module-tag deep
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const directory = mkdtempSync(join(tmpdir(), "veritest-record-docs-"));
const src = (path: string): string => new URL(`../${path}`, import.meta.url).href;

/** The package's entries, as sources. */
const ENTRIES: Readonly<Record<string, string>> = {
  veritest: "index.ts",
  "veritest/kernel": "kernel.ts",
  "veritest/redaction": "redaction.ts",
  "veritest/fetch": "fetch.ts",
  "veritest/llm": "llm.ts",
};

let server: Server;
let url = "";

beforeAll(async () => {
  server = createServer((_request, response) => response.writeHead(202).end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});

afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

function locate(name: string): string {
  const entry = ENTRIES[name];
  return entry === undefined ? import.meta.resolve(name) : src(entry);
}

function runFile(path: string): Promise<string> {
  const env = { ...process.env, SERVER_URL: url, NODE_OPTIONS: "", NO_COLOR: "1", FORCE_COLOR: "0" };
  const child = spawn(process.execPath, ["--experimental-strip-types", "--no-warnings", path], { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
  return new Promise((resolve) => {
    child.on("close", () => resolve(output));
  });
}

async function outputsOf(page: string): Promise<string[]> {
  const text = readFileSync(fileURLToPath(new URL(`../../docs/${page}.md`, import.meta.url)), "utf8");
  const blocks = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
  const outputs: string[] = [];
  for (const [index, code] of blocks.entries()) {
    const path = join(directory, `${page}-${index}.mts`);
    writeFileSync(
      path,
      code.replaceAll(/from "([^"]+)"/g, (_import, name: string) => `from "${locate(name)}"`),
    );
    outputs.push(await runFile(path));
  }
  return outputs;
}

test("the code of docs/recording.md runs and prints the documented output", async () => {
  expect(await outputsOf("recording")).toStrictEqual([
    "3\n",
    // A configuration, and a setup file.
    "",
    "",
    expect.stringMatching(/^1767225600000 2026-01-01T00:00:01\.000Z [1-6] [0-9a-f-]{36}\n$/),
  ]);
});

test("the code of docs/concepts.md that records adapters runs and prints the documented output", async () => {
  expect(await outputsOf("concepts")).toStrictEqual([
    '[{"adapter":"llm.complete","request":["hello"],"occurrence":0,"returns":"promise","response":{"text":"HELLO"}}]\nHELLO 1 0\n',
  ]);
});

test("the code of docs/redaction.md runs and prints the documented output", async () => {
  expect(await outputsOf("redaction")).toStrictEqual([
    // A configuration.
    "",
    `{"user":"ada","password":"«redacted:password#1»","usage":{"total_tokens":12}} [ { kind: 'password', path: 'password' } ]\n` +
      "curl -H 'Authorization: Bearer «redacted:bearer#2»'\n" +
      "[\n  {\n    kind: 'password',\n    index: 13,\n    length: 13,\n    shown: '… (13 characters)'\n  }\n]\n",
    "[\n  'path at input.patient.name',\n  'field at input.memberNumber',\n  'custom at input.note',\n  'env-db-password at input.note'\n]\n",
    '{"letter":"«sha256:294e9eb17bdee413a4e37d1d6cf8a9c632bd2b5447216afa4b44630d34376ea5»","to":"Ada"}\n',
  ]);
});
