// @module-tag deep
import { type ChildProcess, spawn } from "node:child_process";
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
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type ChatServer, startChatServer } from "../../fixtures/chat-server.ts";

const SOURCES = fileURLToPath(new URL("../", import.meta.url));
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-docs-")));

const VITEST = join(MODULES, "vitest/vitest.mjs");
const SERVICE = join(SOURCES, "../examples/extraction-service/service.ts");
const OPENAI = "sk-test";

/** A project's test files, in a folder of its own, and the variables that its tests read. */
interface Pages {
  readonly files: ReadonlyMap<string, string>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Result of a run of the tests of some projects. */
interface Run {
  readonly code: number | null;
  readonly output: string;
  /** Number of tests by project and status, such as `agents passed`. */
  readonly tests: Readonly<Record<string, number>>;
}

const servers: { readonly close: () => unknown }[] = [];
const models = new Map<string, ChatServer>();
let requests = 0;
/** Requests that each model had got once the first two runs were over. */
let asked: Readonly<Record<string, number>> = {};
let pagesRequests = 0;
const runs = new Map<"captures" | "compares" | "changes", Run>();
/** The extraction service, without which the last run works. */
let service: ChildProcess;

// Each start of the runner loads all sources, so all pages share three runs.
beforeAll(async () => {
  symlinkSync(MODULES, join(directory, "node_modules"), "junction");
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }\n');
  const projects = await allPages();
  for (const [name, { files }] of projects)
    for (const [path, text] of files) {
      mkdirSync(join(directory, name), { recursive: true });
      writeFileSync(join(directory, name, path), text);
    }
  writeFileSync(join(directory, "vitest.config.ts"), configOf(projects));
  runs.set("captures", await runVitest([...projects.keys()]));
  runs.set("compares", await runVitest([...projects.keys()]));
  asked = Object.fromEntries([...models].map(([name, model]) => [name, model.asked.length]));
  pagesRequests = requests;
  const langchain = models.get("langchain");
  if (langchain !== undefined) langchain.plan = [...langchain.plan.slice(0, 1), ["book", { city: "Bergen" }]];
  const changes = { REFUNDS_MORE: "1", DELETES: "1", EXTRACT_MODEL: "extract-2", VERITEST_MODE: "live" };
  runs.set("changes", await runVitest(["agents", "claude", "langchain", "extraction"], changes));
});

afterAll(async () => {
  service?.kill();
  await Promise.all(servers.map(async (server) => server.close()));
  rmSync(directory, { recursive: true });
});

function configOf(projects: ReadonlyMap<string, Pages>): string {
  const alias = [
    { find: "/^veritest$/", replacement: `${SOURCES}index.ts` },
    { find: "/^veritest\\/(.*)$/", replacement: `${SOURCES}$1.ts` },
  ].map(({ find, replacement }) => `{ find: ${find}, replacement: ${JSON.stringify(replacement)} }`);
  const settings = [...projects].map(([name, { env = {} }]) => ({
    extends: true,
    test: { name, include: [`${name}/**/*.test.ts`], env },
  }));
  return `export default {
  resolve: { alias: [${alias.join(", ")}] },
  test: {
    setupFiles: ${JSON.stringify([`${SOURCES}fetch-setup.ts`, `${SOURCES}vitest.ts`])},
    pool: "threads",
    maxWorkers: 2,
    // For tests that hang: a busy machine takes a minute to transform the sources.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    projects: ${JSON.stringify(settings)},
  },
};
`;
}

/** The test files of all pages by the names of their projects. */
async function allPages(): Promise<ReadonlyMap<string, Pages>> {
  const agents = namedBlocks("agents.md");
  agents.delete("regression");
  const extraction = namedBlocks("integrations/http-service.md");
  extraction.delete("upgrade");
  return new Map<string, Pages>([
    ["pages", { files: recordingPages(), env: { SERVER_URL: await startServer() } }],
    ["agents", { files: new Map([...agents, ["llm.ts", LLM]]) }],
    ["claude", { files: new Map([...namedBlocks("integrations/claude-agent-sdk.md"), ["desk.test.ts", CLAUDE]]) }],
    ["langchain", { files: namedBlocks("integrations/langchain.md"), env: await startModel("langchain", BOOKING) }],
    ["openai", { files: clientPage("openai"), env: await startModel("openai", []) }],
    ["anthropic", { files: clientPage("anthropic"), env: await startModel("anthropic", []) }],
    // The recorder of the configuration, and a model that talks to the chat server.
    [
      "ai-sdk",
      { files: clientPage("ai-sdk", 'import "veritest/ai-sdk-setup";\n'), env: await startModel("ai-sdk", DELETION) },
    ],
    ["mcp", { files: mcpPage() }],
    ["openai-agents", { files: openaiAgentsPage(), env: await startModel("openai-agents", REFUND) }],
    ["extraction", { files: extraction, env: { EXTRACT_URL: await startService() } }],
  ]);
}

const BOOKING: ChatServer["plan"] = [
  ["lookup", { city: "Oslo" }],
  ["book", { city: "Oslo" }],
];
const DELETION: ChatServer["plan"] = [
  ["lookup", { id: 7 }],
  ["deleteUser", { id: 7 }],
];
const REFUND: ChatServer["plan"] = [
  ["lookup", { order: 7 }],
  ["refund", { order: 7 }],
];

/** Starts a server that counts requests; its address. */
async function startServer(): Promise<string> {
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(201).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

/** Starts the model of a project; the variables by which its client finds it. */
async function startModel(project: string, plan: ChatServer["plan"]): Promise<Readonly<Record<string, string>>> {
  const model = await startChatServer();
  model.plan = plan;
  models.set(project, model);
  servers.push(model);
  return {
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: OPENAI,
    OPENAI_AGENTS_DISABLE_TRACING: "1",
    ANTHROPIC_BASE_URL: model.url.replace("/v1", ""),
    ANTHROPIC_API_KEY: OPENAI,
  };
}

async function startService(): Promise<string> {
  const started = spawn(process.execPath, [SERVICE]);
  service = started;
  const [address]: readonly unknown[] = await once(createInterface(started.stdout), "line");
  return String(address);
}

/** The blocks of a page, which together are a whole test file: all of them, or those that say that they are. */
function testFileOf(page: string, block: RegExp = /```ts\n(.*?)```/gs): string {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(block)].map(([, code = ""]) => code);
  if (blocks.length === 0) throw new Error(`docs/${page} shows no test file`);
  return blocks.join("\n");
}

/** The blocks of a page that have the name of a file. */
function namedBlocks(page: string): Map<string, string> {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const blocks = text.matchAll(/```(?:ts|txt) (\S+)\n(.*?)```/gs);
  return new Map(
    [...blocks].flatMap(([, name, code]) => (name === undefined || code === undefined ? [] : [[name, code]])),
  );
}

function recordingPages(): ReadonlyMap<string, string> {
  return new Map([
    ["comparing.test.ts", testFileOf("comparing.md")],
    ["modes.test.ts", namedBlocks("recording.md").get("modes.test.ts") ?? ""],
    ["recording.test.ts", testFileOf("recording.md", /```ts test\n(.*?)```/gs)],
  ]);
}

/** The files on the page of a client but its configuration, each with a recorder. */
function clientPage(page: string, recorder: string = ""): ReadonlyMap<string, string> {
  const blocks = namedBlocks(`integrations/${page}.md`);
  if (!blocks.delete("vitest.config.ts")) throw new Error(`docs/integrations/${page}.md shows no configuration`);
  return new Map([...blocks].map(([name, code]) => [name, recorder + code.replace('openai("', 'openai.chat("')]));
}

function mcpPage(): ReadonlyMap<string, string> {
  const args = JSON.stringify([join(SOURCES, "../fixtures/mcp-server.ts"), "stdio", join(directory, "mcp/calls.log")]);
  return new Map(
    [...namedBlocks("integrations/mcp.md")].map(([name, code]) => [
      name,
      code.replace('{ command: "crm-server" }', `{ command: process.execPath, args: ${args} }`),
    ]),
  );
}

function openaiAgentsPage(): ReadonlyMap<string, string> {
  return new Map(
    [...namedBlocks("integrations/openai-agents.md")].map(([name, code]) => [
      name,
      name === "refunds.test.ts"
        ? `import "./setup.ts";\n${code}`
        : code.replace("new OpenAIProvider()", "new OpenAIProvider({ useResponses: false })"),
    ]),
  );
}

const REPORT = z.object({
  testResults: z.array(z.object({ name: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
});

async function runVitest(projects: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Run> {
  const report = join(directory, "report.json");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    NO_COLOR: "1",
    VERITEST_STATE_DIR: join(directory, "state"),
    ...more,
  };
  const run = [VITEST, "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const only = projects.map((name) => `--project=${name}`);
  const child = spawn(process.execPath, [...run, ...only], { cwd: directory, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
  const [code]: readonly unknown[] = await once(child, "close");
  const tests: Record<string, number> = {};
  for (const { name, assertionResults } of REPORT.parse(JSON.parse(readFileSync(report, "utf8"))).testResults)
    for (const { status } of assertionResults) {
      const key = `${relative(directory, name).split(sep)[0] ?? ""} ${status}`;
      tests[key] = (tests[key] ?? 0) + 1;
    }
  return { code: typeof code === "number" ? code : null, output, tests };
}

function runOf(name: "captures" | "compares" | "changes"): Run {
  const run = runs.get(name);
  if (run === undefined) throw new Error(`There was no run that ${name}.`);
  return run;
}

/** Expects this number of passed tests of a project, and no other tests, in the first two runs. */
function expectPassedTwice(project: string, count: number): void {
  for (const name of ["captures", "compares"] as const) {
    const { tests, output } = runOf(name);
    const own = Object.entries(tests).filter(([key]) => key.startsWith(`${project} `));
    expect(Object.fromEntries(own), `${name}: ${output}`).toStrictEqual({ [`${project} passed`]: count });
  }
}

test("the test files on the pages about comparing and recording pass, twice", () => {
  expectPassedTwice("pages", 6);
  // The first run sent the request once. The second one replayed its response.
  expect(pagesRequests).toBe(1);
});

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

test("the agent that the page on agents shows is captured, and is reported where it does more", () => {
  const regression = namedBlocks("agents.md").get("regression") ?? "";
  expect([...namedBlocks("agents.md").keys()].filter((name) => name !== "regression")).toStrictEqual([
    "desk.ts",
    "desk.test.ts",
    "fault.test.ts",
    "conversation.test.ts",
  ]);
  expectPassedTwice("agents", 3);
  // One for each test: whichever comes first, none is compared with the case of another.
  const baselines = readdirSync(join(directory, "agents/__baselines__"), { recursive: true });
  expect(baselines.map(String).toSorted()).toStrictEqual([
    "conversation",
    expect.stringMatching(/^conversation\/a-conversation-about-a-refund-[0-9a-f]{8}\.json$/),
    "desk",
    expect.stringMatching(/^desk\/a-broken-order-[0-9a-f]{8}\.json$/),
    expect.stringMatching(/^desk\/orders-are-down-[0-9a-f]{8}\.json$/),
  ]);
  const { code, output, tests } = runOf("changes");
  const flat = (lines: string): string =>
    lines.replaceAll(/\s+/g, " ").replaceAll("agents/__baselines__", "__baselines__").trim();
  expect(code, output).toBe(1);
  expect(flat(output)).toContain(flat(regression));
  expect(output).toContain('+ turns.3.calls[1]: "refund 8"');
  expect(tests).toMatchObject({ "agents failed": 2, "agents passed": 1 });
});

test("an agent of the Claude Agent SDK that also deletes a user is reported, though it says the same", () => {
  expectPassedTwice("claude", 1);
  const { output } = runOf("changes");
  expect(output).toContain('+ calls[1]: {"input":{"id":7},"tool":"deleteUser"}');
  expect(output).toContain("cause: model");
});

test("the LangGraph agent of its page replays, and a booking in another city fails with its call", () => {
  expectPassedTwice("langchain", 1);
  expect(asked["langchain"]).toBe(3);
  const { output } = runOf("changes");
  expect(output).toContain("calls_changed");
  expect(output).toContain('tools.book: city: "Oslo" → "Bergen"');
});

test.each([
  ["openai", 1],
  ["anthropic", 1],
  ["ai-sdk", 3],
  ["openai-agents", 3],
])("the code on the page of %s is captured once, without a write, and replays", (project, count) => {
  expectPassedTwice(project, 1);
  expect(asked[project]).toBe(count);
});

test("the MCP client on its page is captured without its write, and replays without the server", async () => {
  expectPassedTwice("mcp", 1);
  expect(readFileSync(join(directory, "mcp/calls.log"), "utf8")).toBe("lookup Oslo\n");
  const page = join(directory, "mcp/crm.ts");
  writeFileSync(page, readFileSync(page, "utf8").replace("process.execPath", '"no-such-program"'));
  const replayed = await runVitest(["mcp"], { CI: "1" });
  expect(replayed.code, replayed.output).toBe(0);
});

test("the extraction service of its page stays clean in any order, and an upgrade of its model is reported by name", async () => {
  expectPassedTwice("extraction", 1);
  const { output, tests } = runOf("changes");
  expect(tests).toMatchObject({ "extraction failed": 1 });
  const upgrade = namedBlocks("integrations/http-service.md").get("upgrade") ?? "";
  for (const line of upgrade.trim().split("\n")) expect(output).toContain(line.trim());
  service.kill();
  const replayed = await runVitest(["extraction"], { CI: "1" });
  expect(replayed.code, replayed.output).toBe(0);
});
