import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import * as two from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { recordTransport } from "../../../record/interceptors/mcp-recorder.ts";
import { withReplay } from "../../../record/with-replay.ts";
import { type AnyStep, defineStep } from "../../../kernel/step/define-step.ts";
import { seenUnder } from "../../../../test-support/fault-service.ts";
import type { FaultName } from "./faults.ts";

/** What the server's tool does when it is called. */
type Conduct = () => Promise<{ content: { type: "text"; text: string }[]; structuredContent?: { cents: unknown } }>;

const says =
  (text: string, cents: unknown = 12): Conduct =>
  async () => ({ content: [{ type: "text", text }], structuredContent: { cents } });
const throws =
  (words: string): Conduct =>
  async () => {
    throw new Error(words);
  };

let conduct: Conduct = says('{"cents":12}');
let hangUp: () => Promise<void> = async () => undefined;

/** A connection to a server of its own. */
async function connection(): Promise<InMemoryTransport> {
  const server = new McpServer({ name: "prices", version: "1.0.0" });
  server.registerTool("price", { description: "A price.", inputSchema: { sku: z.string() } }, async () => conduct());
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  hangUp = async () => server.close();
  return ours;
}

/** What a client shows of a call of the tool. */
async function seen(call: (options: { timeout?: number }) => Promise<unknown>, timeout?: number): Promise<object> {
  try {
    return { value: await call(timeout === undefined ? {} : { timeout }) };
  } catch (thrown) {
    const error: object = Object(thrown);
    const isOfSdk = thrown instanceof McpError || error instanceof two.ProtocolError || error instanceof two.SdkError;
    const { code, message }: Record<string, unknown> = {
      code: Reflect.get(error, "code"),
      message: Reflect.get(error, "message"),
    };
    return { class: error.constructor.name, isOfSdk, code, message };
  }
}

const CALL = { name: "price", arguments: { sku: "A-1" } };

type Ask = (transport: InMemoryTransport, timeout?: number) => Promise<object>;

const CLIENTS: Readonly<Record<string, Ask>> = {
  "the SDK 1": async (transport, timeout) => {
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transport);
    return seen(async (options) => client.callTool(CALL, undefined, options), timeout);
  },
  "the SDK 2": async (transport, timeout) => {
    const client = new two.Client({ name: "test", version: "1.0.0" });
    await client.connect(transport);
    return seen(async (options) => client.callTool(CALL, options), timeout);
  },
};

function watcher(ask: Ask): AnyStep {
  return defineStep({
    name: "watcher",
    input: z.object({}),
    output: z.looseObject({}),
    run: async () => ({ output: { ...(await ask(recordTransport(await connection()))) } }),
  });
}

describe.each(
  Object.entries(CLIENTS),
)("simulated faults of an MCP tool called by %s match what the client returns", (_, ask) => {
  test.each<[fault: FaultName, conduct: Conduct]>([
    ["error-429", throws("Rate limit reached")],
    ["error-500", throws("The server had an error")],
    [
      "error-network",
      async () => {
        await hangUp();
        return { content: [] };
      },
    ],
    ["timeout", async () => new Promise(() => undefined)],
    ["empty", async () => ({ content: [] })],
    ["malformed-cut", says('{"cent')],
    ["malformed-fenced", says('```json\n{"cents":12}\n```')],
    ["malformed-types", says('{"cents":"12"}', "12")],
    ["malformed-nulls", says('{"cents":null}', null)],
    ["slow", says('{"cents":12}')],
  ])("%s", async (fault, ill) => {
    conduct = says('{"cents":12}');
    const step = watcher(ask);
    const { result, calls } = await withReplay(step, {}, { adapters: {} });
    expect(result.ok && result.value.output).toMatchObject({ value: { structuredContent: { cents: 12 } } });
    const served = await seenUnder(fault, step, calls);
    conduct = ill;
    // A client waits for a minute, and slow is half as long again.
    const isLate = fault === "timeout" || fault === "slow";
    if (fault === "slow") conduct = async () => new Promise(() => undefined);
    const real = await ask(await connection(), isLate ? 50 : undefined);
    expect(served).toStrictEqual(JSON.parse(JSON.stringify(real)));
  });
});
