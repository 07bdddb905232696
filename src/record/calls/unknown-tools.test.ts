import { describe, expect, test } from "vitest";
import { checkLines } from "../../explain/check-lines.ts";
import type { AdapterCall } from "../adapter-call.ts";
import { diffCalls } from "./diff-calls.ts";
import { createRoleResolver } from "./infer-role.ts";

const roleOf = createRoleResolver({ "llm.*": "model" });

function model(response: unknown, request: unknown = "prompt"): AdapterCall {
  return { adapter: "llm.chat", occurrence: 0, returns: "promise", request: [request], response };
}

function made(adapter: string, ...request: readonly unknown[]): AdapterCall {
  return { adapter, occurrence: 0, returns: "promise", request, response: 1 };
}

function linesOf(before: readonly AdapterCall[], after: readonly AdapterCall[]): readonly string[] {
  const diff = diffCalls(before, after, { roleOf });
  return checkLines({ verdict: { kind: "calls_changed", changes: [{ part: "calls", diff }] }, findings: {} });
}

const openAi = (name: string): object => ({
  role: "assistant",
  tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: '{"to":"x"}' } }],
});
const text = { role: "assistant", content: "done" };
const http = (body: object): object => ({ status: 200, headers: {}, body });
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

describe("a tool that doesn't exist and that a model asks for", () => {
  test.each<readonly [string, unknown]>([
    ["OpenAI", openAi("wire_money")],
    ["OpenAI by HTTP", http({ json: { choices: [{ message: openAi("wire_money") }] } })],
    [
      "OpenAI as a stream of HTTP",
      http({ chunks: [event({ choices: [{ delta: openAi("wire_money") }] }), "data: [DONE]\n\n"] }),
    ],
    ["OpenAI's responses", { output: [{ type: "function_call", name: "wire_money", arguments: '{"to":"x"}' }] }],
    ["Anthropic", { content: [{ type: "tool_use", id: "t", name: "wire_money", input: { to: "x" } }] }],
    ["the AI SDK", { content: [{ type: "tool-call", toolCallId: "c", toolName: "wire_money", input: '{"to":"x"}' }] }],
    ["Gemini", { candidates: [{ content: { parts: [{ functionCall: { name: "wire_money", args: { to: "x" } } }] } }] }],
    ["Bedrock", { output: { message: { content: [{ toolUse: { name: "wire_money", input: { to: "x" } } }] } } }],
    ["LangChain", { tool_calls: [{ type: "tool_call", name: "wire_money", args: { to: "x" }, id: "c" }] }],
    ["a stream", { chunks: [{ type: "tool-call", toolName: "wire_money", input: { to: "x" } }], done: true }],
  ])("is named: %s", (_shape, response) => {
    const line = 'unknown tool wire_money({"to":"x"})  requested by the model';
    expect(linesOf([model(text)], [model(response), model(text)])).toStrictEqual([`  + ${line}, new`]);
    expect(linesOf([model(response)], [model(text)])).toStrictEqual([`  - ${line}, gone`]);
    expect(linesOf([model(response)], [model(response)])).toStrictEqual([]);
  });

  test("is named although the step read its property", () => {
    const read: AdapterCall = { adapter: "tools.wire_money", occurrence: 0, returns: "property", request: [] };
    expect(linesOf([model(text)], [model(openAi("wire_money")), read])).toHaveLength(1);
  });

  test.each<readonly [string, readonly AdapterCall[]]>([
    ["was called", [model(openAi("find")), made("tools.find", { to: "x" })]],
    ["was called on a server", [model(openAi("shop__find")), made("mcp.find", { to: "x" })]],
    ["was dispatched by its name", [model(openAi("find")), made("tools.call", "find", {})]],
    ["was offered", [model(openAi("find"), { tools: [{ type: "function", function: { name: "find" } }] })]],
    ["was offered by its key", [model(openAi("find"), { tools: { find: {} } })]],
  ])("isn't a tool that %s", (_how, after) => {
    expect(linesOf(after.slice(1), after)).toStrictEqual([]);
    expect(linesOf(after, after.slice(1))).toStrictEqual([]);
  });
});
