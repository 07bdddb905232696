import { describe, expect, test } from "vitest";
import type { RoleEvidence } from "../model-call.ts";
import { containsProse, createRoleResolver } from "./role.ts";

const asked = (adapter: string, ...request: readonly unknown[]): RoleEvidence => ({
  adapter,
  request,
});

describe("createRoleResolver", () => {
  test.each([
    ["llm.complete", ["?"], "model"],
    ["model", ["?"], "model"],
    ["openai.chat.completions.create", [{ model: "gpt-4o", messages: [] }], "model"],
    ["openai.responses.create", [{ model: "gpt-4o", input: "" }], "model"],
    ["client.beta.messages.stream", [{ model: "claude", messages: [] }], "model"],
    ["client.messages.stream(9f31c2d8#0).finalMessage", [], "model"],
    ["ai.models.generateContentStream", [{ contents: [] }], "model"],
    ["fetch", [{ method: "POST", origin: "https://api.example", path: "/v1/chat/completions" }], "model"],
    ["fetch", [{ method: "POST", origin: "https://api.example", path: "/v1/models/m:generateContent" }], "model"],
    ["fetch", [{ method: "POST", origin: "https://api.example", path: "/ask", body: { prompt: "?" } }], "model"],
    ["fetch", [{ method: "POST", origin: "https://api.example", path: "/users" }], "read"],
    ["fetch", [{ method: "GET", origin: "https://api.example", path: "/messages" }], "read"],
    ["twilio.messages.create", [{ to: "+1", body: "hello" }], "read"],
    ["slack.chat.postMessage", [{ text: "" }], "read"],
    ["tools.lookup", [{ city: "Oslo" }], "read"],
    ["", ["x"], "read"],
  ])("%s asked for %j is a %s", (adapter, request, role) => {
    expect(createRoleResolver()(asked(adapter, ...request))).toBe(role);
  });

  test("what is declared comes first, the first rule that fits, and covers what lies below", () => {
    const judge = createRoleResolver(
      { "crm.read*": "read", "crm.*": "write", gpt: "model", llm: "read" },
      { "crm.*": "read", "*.send": "write" },
    );
    expect(judge(asked("crm.update"))).toBe("write");
    expect(judge(asked("crm.notes.add"))).toBe("write");
    expect(judge(asked("gpt.chat.ask"))).toBe("model");
    expect(judge(asked("mail.send"))).toBe("write");
    expect(judge(asked("llm.complete"))).toBe("read");
  });

  test("what the adapter said of itself comes before what its path looks like", () => {
    expect(createRoleResolver()({ ...asked("llm.delete"), role: "write" })).toBe("write");
    expect(createRoleResolver({ llm: "model" })({ ...asked("llm.delete"), role: "write" })).toBe("model");
  });
});

test("prose is what a prompt looks like, and no tool's arguments", () => {
  expect(
    containsProse([
      { messages: [{ content: "List the tasks of these notes, one a line, with their owners and dates." }] },
    ]),
  ).toBe(true);
  expect(containsProse([{ city: "Oslo", note: "a short note of six words" }])).toBe(false);
});
