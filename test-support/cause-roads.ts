import { createOpenAI } from "@ai-sdk/openai";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { type ModelMessage, Output, generateText } from "ai";
import * as z from "zod";
import { tool } from "../src/record/calls/tool.ts";
import { recordTransport } from "../src/record/interceptors/mcp-recorder.ts";

/** A message of a conversation with a model. */
export interface RoadMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
}

/** A request to a model. */
export interface RoadQuestion {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly RoadMessage[];
  /** Schema of the response. */
  readonly schema?: z.ZodType | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Services behind every road. */
export interface RoadServices {
  readonly host: string;
  /** Path and query of the model, for requests of `fetch`. */
  readonly endpoint?: string;
  complete(model: string): { readonly status: number; readonly text: string };
  find(company: string): string;
  post(order: string): string;
}

/** A way in which a step reaches models and tools. */
export interface CauseRoad {
  ask(question: RoadQuestion, services: RoadServices, adapters: RoadAdapters): Promise<string>;
  find?(company: string, services: RoadServices, adapters: RoadAdapters): Promise<string>;
  post?(order: string, services: RoadServices, adapters: RoadAdapters): Promise<string>;
}

/** Adapters of the road "adapter". */
export interface RoadAdapters {
  readonly llm: { ask(question: object): Promise<string> };
  readonly db: { find(request: object): Promise<string>; post(request: object): Promise<string> };
}

/** An error of a service, as clients throw it. */
class ServiceError extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`${status} from the service`);
    this.status = status;
  }
}

/** Creates the adapters that call services. */
export function roadAdapters(services: RoadServices): RoadAdapters {
  let id = 0;
  return {
    llm: {
      ask: async (question) => {
        const { model } = z.object({ model: z.string() }).parse(question);
        const { status, text } = services.complete(model);
        if (status !== 200) throw new ServiceError(status);
        id += 1;
        return text;
      },
    },
    db: {
      find: async (request) => services.find(z.object({ company: z.string() }).parse(request).company),
      post: async (request) => services.post(z.object({ order: z.string() }).parse(request).order),
    },
  };
}

/** Responds to the requests of `fetch` as the services do. */
export function roadFetch(services: () => RoadServices): typeof fetch {
  let ids = 0;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const body: unknown = JSON.parse(typeof init?.body === "string" ? init.body : "{}");
    const json = (value: unknown, status = 200): Response =>
      new Response(JSON.stringify(value), {
        status,
        headers: { "content-type": "application/json", "retry-after-ms": "1" },
      });
    if (url.pathname === "/find") return json({ rows: services().find(url.searchParams.get("company") ?? "") });
    if (url.pathname === "/orders")
      return json({ id: services().post(z.object({ order: z.string() }).parse(body).order) });
    const { model } = z.object({ model: z.string() }).parse(body);
    const { status, text } = services().complete(model);
    if (status !== 200) return json({ error: { message: "refused", type: "server_error" } }, status);
    ids += 1;
    return json({
      id: `c-${ids}`,
      object: "chat.completion",
      created: 1_700_000_000 + ids,
      model,
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  };
}

const CHAT = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })) });

async function fetchJson(url: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) throw new ServiceError(response.status);
  return response.json();
}

const inTurn: CauseRoad = {
  ask: async ({ schema, messages, headers: _headers, ...question }, _services, { llm }) =>
    llm.ask({ ...question, messages, ...(schema && { schema: z.toJSONSchema(schema) }) }),
};

/** The roads by name. */
export const CAUSE_ROADS: Readonly<Record<"adapter" | "fetch" | "AI SDK" | "tools" | "MCP", CauseRoad>> = {
  adapter: {
    ...inTurn,
    find: async (company, _services, { db }) => db.find({ company }),
    post: async (order, _services, { db }) => db.post({ order }),
  },
  fetch: {
    ask: async ({ model, system, messages, schema, headers = {} }, { host, endpoint }) => {
      const format = schema && {
        response_format: { type: "json_schema", json_schema: { name: "answer", schema: z.toJSONSchema(schema) } },
      };
      const body = { model, messages: [{ role: "system", content: system }, ...messages], ...format };
      const response = await fetchJson(host + (endpoint ?? "/v1/chat/completions"), {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return CHAT.parse(response).choices[0]?.message.content ?? "";
    },
    find: async (company, { host }) =>
      z.object({ rows: z.string() }).parse(await fetchJson(`${host}/find?company=${company}`)).rows,
    post: async (order, { host }) => {
      const init = { method: "POST", body: JSON.stringify({ order }) };
      return z.object({ id: z.string() }).parse(await fetchJson(`${host}/orders`, init)).id;
    },
  },
  "AI SDK": {
    ask: async ({ model, system, messages, schema }, services) => {
      const provider = createOpenAI({
        baseURL: `${services.host}/v1`,
        apiKey: "key",
        fetch: roadFetch(() => services),
      });
      const call = { model: provider.chat(model), system, messages: messages.map(modelMessage), maxRetries: 1 };
      if (schema === undefined) return (await generateText(call)).text;
      return JSON.stringify((await generateText({ ...call, output: Output.object({ schema }) })).output);
    },
  },
  tools: {
    ...inTurn,
    find: async (company, services) => toolsOf(services).find({ company }),
    post: async (order, services) => toolsOf(services).post({ order }),
  },
  MCP: {
    ...inTurn,
    find: async (company, services) => mcpCall(services, { name: "find", arguments: { company } }),
    post: async (order, services) => mcpCall(services, { name: "post", arguments: { order } }),
  },
};

function modelMessage({ role, content }: RoadMessage, index: number): ModelMessage {
  if (role !== "tool") return { role, content };
  const result = { type: "tool-result", toolCallId: `call-${index}`, toolName: "find" } as const;
  return { role, content: [{ ...result, output: { type: "text", value: content } }] };
}

function toolsOf(services: RoadServices) {
  return {
    find: tool({ name: "find", effect: "read", run: ({ company }: { company: string }) => services.find(company) }),
    post: tool({
      name: "post",
      effect: "write",
      stub: ({ order }) => services.post(order),
      run: ({ order }: { order: string }) => services.post(order),
    }),
  };
}

const CONTENT = z.object({ content: z.array(z.object({ text: z.string() })) });

async function mcpCall(
  services: RoadServices,
  call: { readonly name: string; readonly arguments: Record<string, string> },
) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
  server.registerTool(
    "find",
    { description: "Finds.", inputSchema: { company: z.string() }, annotations: { readOnlyHint: true } },
    ({ company }) => text(services.find(company)),
  );
  server.registerTool(
    "post",
    { description: "Orders.", inputSchema: { order: z.string() }, annotations: { destructiveHint: true } },
    ({ order }) => text(services.post(order)),
  );
  await server.connect(theirs);
  const client = new Client({ name: "test", version: "1.0.0" });
  const stubs = { post: ({ order }: { order: string }) => text(services.post(order)) };
  await client.connect(recordTransport(ours, { stubs }));
  const result = await client.callTool(call);
  await client.close();
  return CONTENT.parse(result).content[0]?.text ?? "";
}
