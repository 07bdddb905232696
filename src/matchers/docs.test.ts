// @module-tag deep
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type Server, createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startChatServer } from "../../fixtures/chat-server.ts";

const SOURCES = fileURLToPath(new URL("../", import.meta.url));
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-docs-")));

let server: Server;
let url = "";
let asked = 0;

beforeAll(async () => {
  symlinkSync(MODULES, join(directory, "node_modules"), "junction");
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(directory, "vitest.config.ts"), CONFIG);
  server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(201).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});

afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

const CONFIG = `export default {
  resolve: { alias: [{ find: /^veritest$/, replacement: "${SOURCES}index.ts" }, { find: /^veritest\\/(.*)$/, replacement: "${SOURCES}$1.ts" }] },
  test: {
    include: ["**/*.test.ts"],
    setupFiles: ["${SOURCES}fetch-setup.ts", "${SOURCES}vitest.ts"],
    // A busy machine takes seconds to transform the sources.
    testTimeout: 60_000,
  },
};
`;

/** The blocks of a page, which together are a whole test file: all of them, or those that say that they are. */
function testFileOf(page: string, block: RegExp = /```ts\n(.*?)```/gs): string {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(block)].map(([, code = ""]) => code);
  if (blocks.length === 0) throw new Error(`docs/${page} shows no test file`);
  return blocks.join("\n");
}

function runVitest(
  testsIn: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    NO_COLOR: "1",
    VERITEST_STATE_DIR: join(directory, "state"),
    SERVER_URL: url,
    ...more,
  };
  const run = [join(MODULES, "vitest/vitest.mjs"), "run", "--dir", testsIn];
  const child = spawn(process.execPath, run, { cwd: directory, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, output }));
  });
}

test("the test files on the pages about comparing and recording pass, twice", async () => {
  mkdirSync(join(directory, "pages"));
  writeFileSync(join(directory, "pages/comparing.test.ts"), testFileOf("comparing.md"));
  const modes = namedBlocks("recording.md").get("modes.test.ts") ?? "";
  writeFileSync(join(directory, "pages/modes.test.ts"), modes);
  writeFileSync(join(directory, "pages/recording.test.ts"), testFileOf("recording.md", /```ts test\n(.*?)```/gs));
  for (const time of ["captures", "compares"]) {
    const { code, output } = await runVitest("pages");
    expect(code, `${time}: ${output}`).toBe(0);
    expect(output).toContain("Tests  7 passed (7)");
  }
  // The first run sent the request once. The second one replayed its response.
  expect(asked).toBe(1);
});

/** The blocks of a page that have the name of a file. */
function namedBlocks(page: string): Map<string, string> {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const blocks = text.matchAll(/```(?:ts|txt) (\S+)\n(.*?)```/gs);
  return new Map(
    [...blocks].flatMap(([, name, code]) => (name === undefined || code === undefined ? [] : [[name, code]])),
  );
}

/** The model of the page on agents: it refunds an order more where the environment says so. */
const LLM = `
const refundsMore = process.env.REFUNDS_MORE === "1";
export const llm = {
  chat: async (messages: string[]) => {
    const calls = messages.filter((_, at) => at % 2 === 1).length;
    if (!messages[0].includes("7")) return { text: "You are welcome." };
    if (calls === 0) return { tool: "find" as const, order: 7 };
    if (refundsMore && calls === 1 && messages[2].includes("paid")) return { tool: "refund" as const, order: 8 };
    return { text: "I am sorry to hear that." };
  },
};
export const user = {
  say: async (goal: string, turns: number) => (turns < 2 ? ["Hello, order 7.", goal][turns] : "Thank you for order 7."),
};
`;

test("the agent that the page on agents shows is captured, and is reported where it does more", async () => {
  const at = join(directory, "agents");
  mkdirSync(at);
  const blocks = namedBlocks("agents.md");
  const regression = blocks.get("regression") ?? "";
  blocks.delete("regression");
  expect([...blocks.keys()]).toStrictEqual(["desk.ts", "desk.test.ts", "fault.test.ts", "conversation.test.ts"]);
  for (const [name, code] of [...blocks, ["llm.ts", LLM] as const]) writeFileSync(join(at, name), code);
  const captured = await runVitest("agents");
  expect(captured.code, captured.output).toBe(0);
  expect(captured.output).toContain("Tests  3 passed (3)");
  // One for each test: whichever comes first, none is compared with the case of another.
  expect(readdirSync(join(at, "__baselines__"), { recursive: true }).map(String).toSorted()).toStrictEqual([
    "conversation",
    expect.stringMatching(/^conversation\/a-conversation-about-a-refund-[0-9a-f]{8}\.json$/),
    "desk",
    expect.stringMatching(/^desk\/a-broken-order-[0-9a-f]{8}\.json$/),
    expect.stringMatching(/^desk\/orders-are-down-[0-9a-f]{8}\.json$/),
  ]);
  const more = await runVitest("agents", { REFUNDS_MORE: "1", VERITEST_MODE: "live" });
  expect(more.code, more.output).toBe(1);
  const flat = (lines: string): string =>
    lines.replaceAll(/\s+/g, " ").replaceAll("agents/__baselines__", "__baselines__").trim();
  expect(flat(more.output)).toContain(flat(regression));
  expect(more.output).toContain('+ turns.3.calls[1]: "refund 8"');
  expect(more.output).toContain("Tests  2 failed | 1 passed (3)");
});

/** What a question to the Claude Agent SDK gives, and a test of the step that asks. */
const CLAUDE = `
import { expect, test } from "vitest";
import { desk } from "./claude-agent.ts";

const uses = ["lookup", ...(process.env.DELETES === "1" ? ["deleteUser"] : [])];

async function* query() {
  for (const name of uses)
    yield { type: "assistant", message: { content: [{ type: "text" }, { type: "tool_use", name, input: { id: 7 } }] } };
  yield { type: "result", result: "Done." };
}

test("closes", async () => {
  await expect(desk).toMatchBaseline({ input: { prompt: "Close account 7." }, adapters: { claude: { query } } });
});
`;

test("an agent of the Claude Agent SDK that also deletes a user is reported, though it says the same", async () => {
  const at = join(directory, "claude");
  mkdirSync(at);
  for (const [name, code] of [...namedBlocks("integrations/claude-agent-sdk.md"), ["desk.test.ts", CLAUDE] as const])
    writeFileSync(join(at, name), code);
  for (const _time of ["captures", "compares"])
    expect((await runVitest("claude")).output).toContain("Tests  1 passed (1)");
  const more = await runVitest("claude", { DELETES: "1", VERITEST_MODE: "live" });
  expect(more.output).toContain('+ calls[1]: {"input":{"id":7},"tool":"deleteUser"}');
  expect(more.output).toContain("cause: model");
});

test("the LangGraph agent of its page replays, and a booking in another city fails with its call", async () => {
  const model = await startChatServer();
  onTestFinished(model.close);
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "sk-test" };
  const at = join(directory, "langchain");
  mkdirSync(at);
  for (const [name, code] of namedBlocks("integrations/langchain.md")) writeFileSync(join(at, name), code);
  model.plan = [
    ["lookup", { city: "Oslo" }],
    ["book", { city: "Oslo" }],
  ];
  for (const _time of ["captures", "compares"])
    expect((await runVitest("langchain", env)).output).toContain("Tests  1 passed (1)");
  expect(model.asked.length).toBe(3);
  model.plan = [...model.plan.slice(0, 1), ["book", { city: "Bergen" }]];
  const changed = await runVitest("langchain", { ...env, VERITEST_MODE: "live" });
  expect(changed.output).toContain("calls_changed");
  expect(changed.output).toContain('tools.book: city: "Oslo" → "Bergen"');
});

test.each([
  ["openai", "", 1],
  ["anthropic", "", 1],
  // The recorder of the configuration, and a model that talks to the chat server.
  ["ai-sdk", 'import "veritest/ai-sdk-setup";\n', 3],
])("the code on the page of %s is captured once, and replays", async (page, recorder, requests) => {
  const model = await startChatServer();
  onTestFinished(model.close);
  model.plan =
    page === "ai-sdk"
      ? [
          ["lookup", { id: 7 }],
          ["deleteUser", { id: 7 }],
        ]
      : [];
  const env = {
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: "sk-test",
    ANTHROPIC_BASE_URL: model.url.replace("/v1", ""),
    ANTHROPIC_API_KEY: "sk-test",
  };
  const at = join(directory, page);
  mkdirSync(at);
  const blocks = namedBlocks(`integrations/${page}.md`);
  expect(blocks.delete("vitest.config.ts")).toBe(true);
  for (const [name, code] of blocks)
    writeFileSync(join(at, name), recorder + code.replace('openai("', 'openai.chat("'));
  for (const _time of ["captures", "compares"]) {
    const { output } = await runVitest(page, env);
    expect(output).toContain("Tests  1 passed (1)");
  }
  expect(model.asked.length).toBe(requests);
});

test("the MCP client on its page is captured without its write, and replays without the server", async () => {
  const at = join(directory, "mcp");
  mkdirSync(at);
  const log = join(at, "calls.log");
  const server = JSON.stringify([join(SOURCES, "../fixtures/mcp-server.ts"), "stdio", log]);
  for (const [name, code] of namedBlocks("integrations/mcp.md"))
    writeFileSync(
      join(at, name),
      code.replace('{ command: "crm-server" }', `{ command: process.execPath, args: ${server} }`),
    );
  for (const _time of ["captures", "compares"])
    expect((await runVitest("mcp")).output).toContain("Tests  1 passed (1)");
  expect(readFileSync(log, "utf8")).toBe("lookup Oslo\n");
});

test("the agent on the page of OpenAI Agents is captured without its write, and replays", async () => {
  const model = await startChatServer();
  onTestFinished(model.close);
  model.plan = [
    ["lookup", { order: 7 }],
    ["refund", { order: 7 }],
  ];
  const at = join(directory, "openai-agents");
  mkdirSync(at);
  for (const [name, code] of namedBlocks("integrations/openai-agents.md"))
    writeFileSync(
      join(at, name),
      name === "refunds.test.ts"
        ? `import "./setup.ts";\n${code}`
        : code.replace("new OpenAIProvider()", "new OpenAIProvider({ useResponses: false })"),
    );
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "sk-test", OPENAI_AGENTS_DISABLE_TRACING: "1" };
  for (const _time of ["captures", "compares"])
    expect((await runVitest("openai-agents", env)).output).toContain("Tests  1 passed (1)");
  expect(model.asked.length).toBe(3);
});

test("the extraction service of its page stays clean in any order, and an upgrade of its model is reported by name", async () => {
  const service = spawn(process.execPath, [join(SOURCES, "../examples/extraction-service/service.ts")]);
  onTestFinished(() => void service.kill());
  const [address]: readonly unknown[] = await once(createInterface(service.stdout), "line");
  const env = { EXTRACT_URL: String(address) };
  const at = join(directory, "extraction");
  mkdirSync(at);
  const blocks = namedBlocks("integrations/http-service.md");
  const upgrade = blocks.get("upgrade") ?? "";
  blocks.delete("upgrade");
  for (const [name, code] of blocks) writeFileSync(join(at, name), code);
  for (const _time of ["captures", "compares", "compares"])
    expect((await runVitest("extraction", env)).output).toContain("Tests  1 passed (1)");
  const upgraded = await runVitest("extraction", { ...env, EXTRACT_MODEL: "extract-2", VERITEST_MODE: "live" });
  expect(upgraded.code, upgraded.output).toBe(1);
  for (const line of upgrade.trim().split("\n")) expect(upgraded.output).toContain(line.trim());
  service.kill();
  const served = await runVitest("extraction", { ...env, CI: "1" });
  expect(served.code, served.output).toBe(0);
});
