import { describe, expect, test } from "vitest";
import type { RoleEvidence } from "../model-call.ts";
import { containsProse, createRoleResolver } from "./infer-role.ts";

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
    ["fetch", [{ method: "POST", origin: "https://api.example", path: "/ask", body: { prompt: "?" } }], "write"],
    ["fetch", [{ method: "POST", origin: "https://api.example", path: "/users" }], "write"],
    ["fetch", [{ method: "DELETE", origin: "https://api.openai.com", path: "/v1/responses" }], "write"],
    ["fetch", [{ method: "POST", origin: "https://api.openai.com", path: "/v1/responses" }], "model"],
    ["fetch", [{ method: "POST", origin: "https://api.openai.com", path: "/v1/files" }], "write"],
    [
      "fetch",
      [{ method: "POST", origin: "https://api.example", path: "/v1/responses", body: { model: "m", input: "" } }],
      "model",
    ],
    [
      "fetch",
      [{ method: "POST", origin: "https://api.mail.test", path: "/v3/box/messages", body: { to: "b" } }],
      "write",
    ],
    ["fetch", [{ method: "POST", origin: "https://api.anthropic.com", path: "/v1/messages" }], "model"],
    ["fetch", [{ method: "POST", origin: "https://api.cohere.com", path: "/v2/chat" }], "model"],
    ["fetch", [{ method: "POST", origin: "https://chat.test", path: "/v2/chat" }], "write"],
    ["fetch", [{ method: "POST", origin: "https://api.replicate.com", path: "/v1/models/a/b/predictions" }], "model"],
    ["fetch", [{ method: "POST", origin: "https://api.replicate.com", path: "/v1/predictions/7/cancel" }], "write"],
    [
      "fetch",
      [{ method: "POST", origin: "https://api.cloudflare.com", path: "/client/v4/accounts/1/ai/run/@cf/m" }],
      "model",
    ],
    [
      "fetch",
      [{ method: "POST", origin: "https://api.cloudflare.com", path: "/client/v4/zones/1/purge_cache" }],
      "write",
    ],
    [
      "fetch",
      [{ method: "POST", origin: "https://dbc-1.cloud.databricks.com", path: "/serving-endpoints/m/invocations" }],
      "model",
    ],
    [
      "fetch",
      [{ method: "POST", origin: "https://us-south.ml.cloud.ibm.com", path: "/ml/v1/text/chat_stream" }],
      "model",
    ],
    [
      "fetch",
      [
        {
          method: "POST",
          origin: "https://runtime.sagemaker.eu-west-1.amazonaws.com",
          path: "/endpoints/m/invocations",
        },
      ],
      "model",
    ],
    [
      "fetch",
      [{ method: "POST", origin: "https://bedrock-runtime.eu-west-1.amazonaws.com", path: "/model/a.b/converse" }],
      "model",
    ],
    [
      "fetch",
      [{ method: "POST", origin: "https://x.openai.azure.com", path: "/openai/deployments/d/chat/completions" }],
      "model",
    ],
    [
      "fetch",
      [{ method: "POST", origin: "http://localhost:11434", path: "/api/chat", body: { model: "q", messages: [] } }],
      "model",
    ],
    ["fetch", [{ method: "POST", path: "/v1/chat/completions", body: {} }], "model"],
    ["fetch", [{ method: "POST", path: "/v1/messages", body: { model: "m", messages: [] } }], "model"],
    ["fetch", [{ method: "POST", origin: "https://cars.test", path: "/messages", body: { model: "Golf" } }], "write"],
    ["db.model.delete", [{ where: { id: 1 } }], "read"],
    ["fetch", [{ method: "POST", path: "/users" }], "write"],
    ["fetch", [{ method: "GET", path: "/users" }], "read"],
    ["fetch", [{ method: "HEAD", origin: "https://api.example", path: "/users" }], "read"],
    ["fetch", [{ method: "GET", origin: "https://api.example", path: "/messages" }], "read"],
    ["twilio.messages.create", [{ to: "+1", body: "hello" }], "read"],
    ["slack.chat.postMessage", [{ text: "" }], "read"],
    ["tools.lookup", [{ city: "Oslo" }], "read"],
    ["", ["x"], "read"],
  ])("%s called with %j is a %s", (adapter, request, role) => {
    expect(createRoleResolver()(asked(adapter, ...request))).toBe(role);
  });

  test("applies the first declared rule that matches, to everything below its path", () => {
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

  const post = (url: string): RoleEvidence => {
    const { origin, pathname: path } = new URL(url);
    return asked("fetch", { method: "POST", origin, path, query: "a=1" });
  };

  test.each([
    ["fetch POST https://api.shop.test/*", "https://api.shop.test/refunds/1", true],
    ["fetch POST https://api.shop.test/*", "https://api.shop.test.evil.test/refunds", false],
    ["fetch PUT https://api.shop.test/*", "https://api.shop.test/refunds", false],
    ["fetch https://api.shop.test/refunds", "https://api.shop.test/refunds", true],
    ["fetch https://api.shop.test/refunds", "https://api.shop.test/refunds/all", false],
    ["fetch */v1/embeddings", "https://gateway.test/team/v1/embeddings", true],
    ["fetch /graphql", "https://gateway.test/graphql", true],
    ["fetch /graphql", "https://gateway.test/a/graphql", false],
    ["fetch POST", "https://gateway.test/graphql", true],
    ["fetch", "https://gateway.test/graphql", true],
  ])("%s matches a POST to %s: %s", (pattern, url, isCovered) => {
    expect(createRoleResolver({ [pattern]: "read" })(post(url)) === "read").toBe(isCovered);
  });

  test("ignores one recorded role for all requests of fetch", () => {
    expect(createRoleResolver()({ ...post("https://api.shop.test/refunds"), role: "model" })).toBe("write");
  });

  test("prefers the adapter's own role to a guess from its path", () => {
    expect(createRoleResolver()({ ...asked("llm.delete"), role: "write" })).toBe("write");
    expect(createRoleResolver({ llm: "model" })({ ...asked("llm.delete"), role: "write" })).toBe("model");
  });
});

test("detects prose in a prompt, but not in a tool's arguments", () => {
  expect(
    containsProse([
      { messages: [{ content: "List the tasks of these notes, one a line, with their owners and dates." }] },
    ]),
  ).toBe(true);
  expect(containsProse([{ city: "Oslo", note: "a short note of six words" }])).toBe(false);
});
