import { expect, test } from "vitest";
import { schemaProperties, sortRequestChanges } from "./request-changes.ts";

test.each([
  ["https://a.test/orders?id=7", "https://b.test/orders?id=7", "environment"],
  ["http://localhost:3000/orders", "https://shop.test/orders", "environment"],
  ["redis://cache-1:6379/0", "redis://cache-2:6379/0", "environment"],
  ["postgres://db-1/shop", "postgres://db-2:5433/shop", "environment"],
  ["redis://cache-1:6379/0", "redis://cache-1:6379/1", "code"],
  ["https://a.test/orders?id=7", "https://b.test/orders?id=8", "code"],
  ["http://127.0.0.1:3000", "https://[::1]:3000", "environment"],
  ["Summarize: the invoice", "Translate: the invoice", "code"],
  ["status:open", "label:open", "code"],
  ["user:7", "admin:7", "code"],
  ["mailto:ada@a.test", "tel:ada@a.test", "code"],
  ["urn:order:7", "isbn:order:7", "code"],
  ["file:///orders", "data:///orders", "code"],
  ["https://a.test/orders of ada", "https://b.test/orders of ada", "code"],
  ["https://a.test\n", "https://b.test\n", "code"],
] as const)("from %s to %s is a change of the %s", (before, after, part) => {
  const entry = { kind: "changed", path: ["request", 0], before, after } as const;
  const call = { adapter: "db.find", occurrence: 0, request: [after], returns: "value", response: 1 } as const;
  const change = { kind: "changed", adapter: "db.find", entries: [entry], call } as const;
  const sorted = sortRequestChanges([change], { recorded: [], roleOf: () => "read" });
  expect(sorted[part].map(({ entries }) => entries)).toStrictEqual([[entry]]);
});

const SCHEMA = ["response_format", "json_schema", "schema"];

test.each<[string, readonly (string | number)[], "prompt" | "schema" | "model"]>([
  ["a field of the schema", [...SCHEMA, "properties", "total"], "schema"],
  ["a field named description", [...SCHEMA, "properties", "description"], "schema"],
  ["the type of a field named description", [...SCHEMA, "properties", "description", "type"], "schema"],
  ["a field named model", [...SCHEMA, "properties", "model"], "schema"],
  ["a field named messages", [...SCHEMA, "properties", "messages", "items"], "schema"],
  ["the description of a field", [...SCHEMA, "properties", "total", "description"], "prompt"],
  ["the description of a field named description", [...SCHEMA, "properties", "description", "description"], "prompt"],
  ["the schema of a tool", ["tools", 0, "function", "parameters", "type"], "schema"],
  ["the schema of a tool named prompt", ["tools", "prompt", "parameters", "properties", "q"], "schema"],
  ["the schema of a declared function", ["functionDeclarations", 0, "parameters", "type"], "schema"],
  ["the schema of a tool of Bedrock", ["toolConfig", "tools", 0, "toolSpec", "inputSchema", "json", "type"], "schema"],
  ["a schema as parameters", ["parameters", "properties", "total"], "schema"],
  ["a setting as one of the parameters", ["parameters", "temperature"], "prompt"],
  ["a schema in the body", ["body", "generationConfig", "responseSchema", "type"], "schema"],
  ["parameters in a message", ["messages", 0, "content", 0, "parameters", "city"], "prompt"],
  ["a schema in a message", ["messages", 0, "content", "schema", "properties", "total"], "prompt"],
  ["a tool call in a message", ["messages", 1, "tool_calls", 0, "function", "parameters", "city"], "prompt"],
  ["a model in a message", ["messages", 0, "content", "model"], "prompt"],
  ["an engine in the prompt", ["prompt", "car", "engine"], "prompt"],
  ["a model in the input", ["input", 0, "model", "name"], "prompt"],
  ["a model in the inputs", ["inputs", "model"], "prompt"],
  ["a model in the contents", ["contents", 0, "parts", 0, "model"], "prompt"],
  ["the response's schema in Ollama", ["format", "properties", "total"], "schema"],
  ["the response's schema in vLLM", ["guided_json", "properties", "total"], "schema"],
  ["a schema in any field that ends in schema", ["outputSchema", "properties", "total"], "schema"],
  ["the schema of Mistral", ["response_format", "json_schema", "schema_definition", "required", 0], "schema"],
  ["a format that isn't a schema", ["format", "type"], "prompt"],
  ["one of several models", ["models", 0], "model"],
  ["the model", ["model"], "model"],
  ["the model in the body", ["body", "model"], "model"],
  ["the model's id", ["settings", "model", "id"], "model"],
  ["the model of an agent", ["agent", "settings", "model"], "model"],
  ["the model of a car", ["car", "model"], "prompt"],
  ["the model of an element", ["cars", 0, "model", "name"], "prompt"],
  ["the engine of a table", ["context", "rows", 1, "engine"], "prompt"],
])("another value of %s", (_what, keys, part) => {
  const entry = { path: ["request", 0, ...keys], before: "golf", after: "polo" };
  const call = { adapter: "llm.ask", occurrence: 0, request: [{}], returns: "value", response: 1 } as const;
  const change = { kind: "changed", adapter: "llm.ask", entries: [entry], call } as const;
  const sorted = sortRequestChanges([change], { recorded: [], roleOf: () => "model" });
  expect(sorted[part].map(({ entries }) => entries)).toStrictEqual([[entry]]);
});

test.each<[string, readonly unknown[]]>([
  ["a positional argument", ["prompt", { type: "object", properties: { total: { type: "string" } } }]],
  ["any field", [{ response_model: { type: "object", properties: { total: { type: "string" } } } }]],
])("another type in a schema as %s is the schema", (_name, request) => {
  const at = request.length > 1 ? [1] : [0, "response_model"];
  const entry = { path: ["request", ...at, "properties", "total", "type"], before: "number", after: "string" };
  const call = { adapter: "llm.ask", occurrence: 0, request, returns: "value", response: 1 } as const;
  const change = { kind: "changed", adapter: "llm.ask", entries: [entry], call } as const;
  const sorted = sortRequestChanges([change], { recorded: [], roleOf: () => "model" });
  expect(sorted.schema.map(({ entries }) => entries)).toStrictEqual([[entry]]);
});

test.each<[string, object]>([
  ["Gemini", { role: "user", parts: [{ functionResponse: { name: "find", response: { a: 1 } } }] }],
  ["Bedrock", { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ json: { a: 1 } }] } }] }],
  ["OpenAI Agents", { type: "function_call_result", callId: "c1", name: "find", output: { type: "text", text: "a" } }],
  ["a custom tool of OpenAI", { type: "custom_tool_call_output", call_id: "c", output: "a" }],
  ["a shell of OpenAI", { type: "local_shell_call_output", id: "c", output: "a" }],
  ["MCP", { role: "user", content: [{ type: "mcp_tool_result", content: "a" }] }],
  ["LangChain", { lc: 1, type: "constructor", id: ["langchain_core", "messages", "ToolMessage"], kwargs: {} }],
])("code that leaves out the result of a tool of %s is the code", (_name, before) => {
  const entry = { path: ["request", 0, "messages", 2], before, after: undefined, edit: "removed" } as const;
  const call = {
    adapter: "llm.ask",
    occurrence: 0,
    request: [{ messages: [] }],
    returns: "value",
    response: 1,
  } as const;
  const change = { kind: "changed", adapter: "llm.ask", entries: [entry], call } as const;
  const sorted = sortRequestChanges([change], { recorded: [], roleOf: () => "model" });
  expect(sorted.code.map(({ entries }) => entries)).toStrictEqual([[entry]]);
});

const AZURE = "/openai/deployments/small/chat/completions";

test.each<[at: readonly string[], before: string, after: string, part: "model" | "environment" | "prompt"]>([
  [["path"], AZURE, "/openai/deployments/large/chat/completions", "model"],
  [["path"], AZURE, `/eu${AZURE}`, "environment"],
  [["path"], "/v1/chat/completions", "/v2/chat/completions", "environment"],
  [["path"], "/v1/chat/completions", "/v1/responses", "prompt"],
  [["path"], "/v1/chat/completions", "/v1/completions", "prompt"],
  [["path"], "/v1/models/m:generateContent", "/v1/models/m:streamGenerateContent", "prompt"],
  [["query", "api-version"], "2024-10-21", "2025-01-01", "environment"],
])("the %s of a model's URL from %s to %s", (at, before, after, part) => {
  const entry = { path: ["request", 0, ...at], before, after };
  const request = [{ method: "POST", origin: "https://a.test", path: AZURE, body: {} }];
  const call = { adapter: "fetch", occurrence: 0, request, returns: "promise", response: 1 } as const;
  const change = { kind: "changed", adapter: "fetch", entries: [entry], call } as const;
  const sorted = sortRequestChanges([change], { recorded: [], roleOf: () => "model" });
  expect(sorted[part].map(({ entries }) => entries)).toStrictEqual([[entry]]);
});

test.each<[what: string, others: readonly ("changed" | "added" | "dropped")[], part: "code" | "prompt"]>([
  ["alone", [], "code"],
  ["like others", ["dropped"], "code"],
  ["while another one changed", ["changed"], "prompt"],
  ["while another one is new", ["added"], "prompt"],
])("a request to a model that isn't sent %s", (_what, others, part) => {
  const call = { adapter: "llm.ask", occurrence: 0, request: ["a"], returns: "value", response: 1 } as const;
  const entry = { path: ["request", 0], before: "a", after: "b" };
  const changes = (["dropped", ...others] as const).map((kind, index) => ({
    kind,
    adapter: "llm.ask",
    entries: kind === "changed" ? [entry] : [],
    call: { ...call, request: [`${kind} ${index}`] },
  }));
  const sorted = sortRequestChanges(changes, { recorded: [], roleOf: () => "model" });
  expect(sorted[part]).toHaveLength(changes.length);
});

const ROWS = [
  { id: 1, name: "Ada" },
  { id: 2, name: "Bob" },
  { id: 3, name: "the customer of Berlin" },
];

test.each<[what: string, before: unknown, after: unknown, part: "code" | "prompt"]>([
  ["a row less", ROWS[1], undefined, "code"],
  ["a row more", undefined, ROWS[1], "code"],
  ["a text less", "Rows: the customer of Berlin, and", "Rows: and", "code"],
  ["a field of a row more", undefined, { text: "the customer of Berlin" }, "code"],
  ["a row that isn't of a response", { id: 9, name: "the customer of Paris" }, undefined, "prompt"],
  ["a row with an instruction", "Say it.", "Say it. the customer of Berlin, in rhymes and song", "prompt"],
  ["a word that a response has", "Read the order.", "Read the customer order.", "prompt"],
  ["another row", ROWS[1], ROWS[2], "prompt"],
  ["another order of rows", "Rank: Ada,Bob,Berlin", "Rank: Bob,Berlin,Ada", "code"],
  ["another order of rows as JSON", JSON.stringify(ROWS), JSON.stringify(ROWS.toReversed()), "code"],
  ["another order of the names of fields", "Rank by: name, id", "Rank by: id, name", "prompt"],
  ["another order of instructions", "Be kind. Be brief.", "Be brief. Be kind.", "prompt"],
  ["a missing value", "Greet Ada Lovelace, please.", "Greet undefined, please.", "code"],
  ["an object as text", "Greet Ada.", "Greet [object Object].", "code"],
  ["a word about missing values", "Greet Ada.", "Greet Ada. If it's undefined, greet all.", "prompt"],
])("%s of a response in a request to a model", (_what, before, after, part) => {
  const entry = { path: ["request", 0, "context", 1], before, after };
  const request = [{ context: [] }];
  const call = { adapter: "llm.ask", occurrence: 0, request, returns: "value", response: 1 } as const;
  const recorded = [{ ...call, adapter: "db.find", response: ROWS }];
  const change = { kind: "changed", adapter: "llm.ask", entries: [entry], call } as const;
  const roleOf = ({ adapter }: { readonly adapter: string }) => (adapter === "llm.ask" ? "model" : "read");
  const sorted = sortRequestChanges([change], { recorded, roleOf });
  expect(sorted[part].map(({ entries }) => entries)).toStrictEqual([[entry]]);
});

test.each([
  [["total"], ["total"]],
  [["total", "type"], ["total"]],
  [["total", "maximum"], []],
  [["name", "minLength"], []],
  [["lines", "items", "properties", "sku", "pattern"], []],
  [
    ["lines", "items", "properties", "sku"],
    ["lines", "sku"],
  ],
])("a change of the schema at %j can explain the fields %j", (at, names) => {
  const path = ["request", 0, "schema", "properties", ...at];
  const request = { kind: "changed", adapter: "llm.ask", entries: [{ path, before: 1, after: 2 }] } as const;
  expect([...schemaProperties([request])]).toStrictEqual(names);
});
