// @module-tag deep
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as two from "@modelcontextprotocol/client";
import { StdioClientTransport as TwoStdio } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { type RecordTransportOptions, recordTransport } from "../record/interceptors/mcp-recorder.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
const SERVER = fileURLToPath(new URL("../../fixtures/mcp-server.ts", import.meta.url));
let log = "";
let url = "";
let stop = (): void => undefined;

/** What the server's tools did. */
function done(): string[] {
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
}

beforeEach(() => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-stage-")));
  log = join(root, "done.log");
  stage.begin(root);
});

afterEach(() => {
  vi.restoreAllMocks();
  stop();
  stop = () => undefined;
});

async function serveHttp(): Promise<void> {
  const child = spawn(process.execPath, [SERVER, "http", log], { stdio: ["ignore", "pipe", "inherit"] });
  stop = () => void child.kill();
  const [port]: unknown[] = await once(child.stdout, "data");
  url = `http://127.0.0.1:${String(port).trim()}/mcp`;
}

/** From here on nothing outside can be reached, and no process started that would answer. */
function cutTheWire(): () => number {
  const connect = vi.spyOn(Socket.prototype, "connect").mockImplementation(() => {
    throw new Error("a connection was opened");
  });
  stop();
  return () => connect.mock.calls.length;
}

/** As much of a client as both versions of the SDK have. */
interface AnyClient {
  connect(): Promise<void>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  readResource(which: { uri: string }): Promise<unknown>;
  close(): Promise<void>;
}

const command = { command: process.execPath, args: [SERVER, "stdio"] };
const KINDS = {
  "the SDK 1 over stdio": (options: RecordTransportOptions) => {
    const client = new Client({ name: "test", version: "1.0.0" });
    const transport = new StdioClientTransport({ ...command, args: [...command.args, log] });
    return withConnect(client, async () => client.connect(recordTransport(transport, options)));
  },
  "the SDK 1 over HTTP": (options: RecordTransportOptions) => {
    const client = new Client({ name: "test", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(new URL(url));
    return withConnect(client, async () => client.connect(recordTransport(transport, options)));
  },
  "the SDK 2 over stdio": (options: RecordTransportOptions) => {
    const client = new two.Client({ name: "test", version: "1.0.0" });
    const transport = new TwoStdio({ ...command, args: [...command.args, log] });
    return withConnect(client, async () => client.connect(recordTransport(transport, options)));
  },
  "the SDK 2 over HTTP": (options: RecordTransportOptions) => {
    const client = new two.Client({ name: "test", version: "1.0.0" });
    const transport = new two.StreamableHTTPClientTransport(new URL(url));
    return withConnect(client, async () => client.connect(recordTransport(transport, options)));
  },
};

function withConnect(client: Omit<AnyClient, "connect">, connect: () => Promise<void>): AnyClient {
  return {
    connect,
    callTool: async (call) => client.callTool(call),
    listTools: async () => client.listTools(),
    readResource: async (which) => client.readResource(which),
    close: async () => client.close(),
  };
}

type Does = (client: AnyClient) => Promise<unknown>;

/** A step that connects, does something and says so. */
function using(
  make: (options: RecordTransportOptions) => AnyClient,
  does: Does,
  options: RecordTransportOptions = {},
): AnyStep {
  return defineStep({
    name: "crm",
    input: z.object({}),
    output: z.object({ said: z.string() }),
    run: async () => {
      const client = make(options);
      await client.connect();
      try {
        return { output: { said: JSON.stringify(await does(client)) } };
      } finally {
        await client.close();
      }
    },
  });
}

const live = { input: {}, adapters: {} };
const tidy: Does = async (client) => {
  const { tools } = await client.listTools();
  const found = await client.callTool({ name: "lookup", arguments: { city: "Oslo" } });
  const note = await client.readResource({ uri: "note://one" });
  const failed = await client.callTool({ name: "fail" });
  return [tools.map(({ name }) => name), found, note, failed];
};

describe.each(Object.entries(KINDS))("an MCP client of %s", (kind, make) => {
  beforeEach(async () => {
    if (kind.endsWith("HTTP")) await serveHttp();
  });

  test("is captured once, and replays without its server", async () => {
    await expect(using(make, tidy)).toMatchBaseline(live);
    const { calls } = z
      .object({ calls: z.array(z.object({ adapter: z.string(), returns: z.string(), role: z.string().optional() })) })
      .parse(JSON.parse(stage.stagedText()));
    expect(calls.filter(({ returns }) => returns !== "property")).toStrictEqual([
      { adapter: "tools.lookup", returns: "promise", role: "read" },
      { adapter: "tools.resources/read", returns: "promise", role: "read" },
      { adapter: "tools.fail", returns: "promise", role: "read" },
    ]);
    stage.settle("none");
    expect(done()).toStrictEqual(["lookup Oslo", "read note://one", "fail"]);
    const connections = cutTheWire();
    for (let round = 0; round < 5; round += 1)
      await Promise.all(Array.from({ length: 10 }, async () => expect(using(make, tidy)).toReplay()));
    await expect(using(make, tidy)).toRecomputeClean();
    expect([done().length, connections()]).toStrictEqual([3, 0]);
  });

  test("another write is reported and does not run, though nobody requested the list of tools", async () => {
    const look: Does = async (client) => client.callTool({ name: "lookup", arguments: { city: "Oslo" } });
    await expect(using(make, look)).toMatchBaseline(live);
    stage.settle("none");
    const and: Does = async (client) => {
      const found = await look(client);
      await client.callTool({ name: "remove", arguments: { id: 7 } });
      return found;
    };
    const stubs = { remove: () => ({ content: [] }) };
    const told = await stage.message(() =>
      expect(using(make, and, { stubs })).toMatchBaseline({ ...live, mode: "live" }),
    );
    expect(told).toContain(`calls_changed
    cause: code (with the same responses, it sends different requests: 1 more call to tools.remove)
  + tools.remove({"id":7})  write, new
`);
    const unanswered = await stage.message(() => expect(using(make, and)).toMatchBaseline({ ...live, mode: "live" }));
    expect(unanswered).toContain('effect_unanswered: Tests don\'t run the write adapter "tools.remove"');
    expect(done()).toStrictEqual(["lookup Oslo", "lookup Oslo", "lookup Oslo"]);
    await expect(using(make, look)).toRecomputeClean();
  });
});

test("one connection records many cases, and each replays alone", async () => {
  const transport = new StdioClientTransport({ ...command, args: [...command.args, log] });
  const client = new Client({ name: "test", version: "1.0.0" });
  let connected: Promise<void> | undefined;
  const shared = defineStep({
    name: "crm",
    input: z.object({ city: z.string() }),
    output: z.object({ tools: z.number() }),
    run: async ({ city }) => {
      await (connected ??= client.connect(recordTransport(transport, { name: "crm" })));
      const { tools } = await client.listTools();
      await client.callTool({ name: "lookup", arguments: { city } });
      return { output: { tools: tools.length } };
    },
  });
  await expect(shared).toMatchBaseline({ input: { city: "Oslo" }, adapters: {}, name: "first" });
  await expect(shared).toMatchBaseline({ input: { city: "Bergen" }, adapters: {}, name: "second" });
  stage.settle("none");
  expect(done()).toStrictEqual(["lookup Oslo", "lookup Bergen"]);
  await client.close();
  connected = undefined;
  const again = new Client({ name: "test", version: "1.0.0" });
  const alone = defineStep({
    name: "crm",
    input: z.object({ city: z.string() }),
    output: z.object({ tools: z.number() }),
    run: async ({ city }: { city: string }) => {
      await (connected ??= again.connect(
        recordTransport(new StdioClientTransport({ command: "no-such-program" }), { name: "crm" }),
      ));
      const { tools } = await again.listTools();
      await again.callTool({ name: "lookup", arguments: { city } });
      return { output: { tools: tools.length } };
    },
  });
  await expect(alone).toMatchBaseline({ input: { city: "Bergen" }, name: "second" });
  await expect(alone).toRecomputeClean();
  await again.close();
});

test("a change of a server's tools is one line of their baseline", async () => {
  const client = KINDS["the SDK 1 over stdio"]({});
  await client.connect();
  const { tools } = await client.listTools();
  await client.close();
  await expect({ tools }).toMatchBaseline({ name: "tools", keyBy: { tools: "name" } });
  stage.settle("none");
  const changed = tools.map((tool) => (tool.name === "remove" ? { ...tool, description: "Removes it all." } : tool));
  expect(
    await stage.message(() => expect({ tools: changed }).toMatchBaseline({ name: "tools", keyBy: { tools: "name" } })),
  ).toContain('tools.remove.description: "Removes a customer." → "Removes it all."');
});

test.each([
  ["ends", { command: process.execPath, args: ["--eval", ""] }, "MCP error -32000: Connection closed"],
  ["is missing", { command: "no-such-program" }, "MCP error -32603: spawn no-such-program ENOENT"],
])("a connect outside of a step whose server %s is advised to move into the step", async (_, server, message) => {
  const advice =
    "veritest can't replay a connect that runs outside of a step. Connect inside the step. Then a replay doesn't " +
    "need the server.";
  const connect = async (): Promise<void> =>
    new Client({ name: "test", version: "1.0.0" }).connect(recordTransport(new StdioClientTransport(server)));
  await expect(connect()).rejects.toMatchObject({ message: `${message}. ${advice}` });
  const second = new two.Client({ name: "test", version: "1.0.0" }).connect(recordTransport(new TwoStdio(server)));
  await expect(second).rejects.toThrow(advice);
  vi.stubEnv("VITEST_POOL_ID", undefined);
  vi.stubEnv("JEST_WORKER_ID", undefined);
  await expect(connect()).rejects.toMatchObject({ message });
  vi.unstubAllEnvs();
});

test("outside of recorded runs everything passes through, and an invalid transport is refused", async () => {
  const client = KINDS["the SDK 1 over stdio"]({});
  await client.connect();
  await client.callTool({ name: "remove", arguments: { id: 7 } });
  await client.close();
  expect(done()).toStrictEqual(["remove 7"]);
  expect(() => recordTransport({})).toThrow(
    "recordTransport needs the transport of an MCP client, with start, send, close and onmessage.",
  );
});
