import { expect, test } from "vitest";
import { checkWithoutUpdate } from "../check/check.ts";
import { type OtherAddress, addressVariable, otherAddress } from "./other-address.ts";

type Fields = Readonly<Record<string, string>>;

/** The address of a request to a model that differs from its recording by these fields. */
function addressOf(before: Fields, after: Fields): OtherAddress | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  const entries = names.map((name) => ({
    path: name === "query" ? ["request", 0, "query", "api-version"] : ["request", 0, name],
    kind: "changed" as const,
    before: before[name],
    after: after[name],
  }));
  const requests = [{ kind: "changed", adapter: "fetch", entries } as const];
  return otherAddress(
    checkWithoutUpdate(
      { file: "a.json", path: "/a.json" },
      {
        kind: "request_changed",
        unrecorded: {
          adapter: "fetch",
          request: [{ method: "POST", path: "/v1/chat/completions", ...after }],
          reason: "unknown_request",
          recorded: 1,
        },
        recordedCount: 1,
        cause: { kind: "environment", evidence: [{ kind: "environment", requests }] },
      },
    ),
  );
}

const PROXY = { origin: "https://proxy.acme.test", path: "/openai/v1/chat/completions" };
const OPENAI = { origin: "https://api.openai.com", path: "/v1/chat/completions" };
const BOTH = String.raw`"fetch[0].origin", { path: "fetch[0].path", match: /^(?:\/openai)(?=\/)/ }`;

test.each<[string, before: Fields, after: Fields, OtherAddress | undefined]>([
  [
    "another host",
    { origin: "http://localhost:9" },
    { origin: "https://api.mistral.ai" },
    { part: "host", variable: undefined, ignore: '"fetch[0].origin"' },
  ],
  ["a proxy with a prefix", OPENAI, PROXY, { part: "host and path", variable: "OPENAI_BASE_URL", ignore: BOTH }],
  ["no proxy", PROXY, OPENAI, { part: "host and path", variable: "OPENAI_BASE_URL", ignore: BOTH }],
  [
    "another prefix, with an ignored host",
    { path: "/v1/deployments/a/chat/completions" },
    { path: "/openai/deployments/a/chat/completions" },
    {
      part: "path",
      variable: "AZURE_OPENAI_ENDPOINT and OPENAI_BASE_URL",
      ignore: String.raw`{ path: "fetch[0].path", match: /^(?:\/v1|\/openai)(?=\/)/ }`,
    },
  ],
  ["another host and query", { ...OPENAI, query: "1" }, { ...PROXY, query: "2" }, undefined],
  ["another query", { query: "1" }, { query: "2" }, undefined],
  ["another path", { path: "/v1/chat" }, { path: "/v1/messages" }, undefined],
])("the address of a request to %s", (_what, before, after, expected) => {
  expect(addressOf(before, after)).toStrictEqual(expected);
});

test.each<[origin: string, variable: string | undefined]>([
  ["https://eu.api.openai.com", "OPENAI_BASE_URL"],
  ["https://shop.openai.azure.com", "AZURE_OPENAI_ENDPOINT and OPENAI_BASE_URL"],
  ["https://api.anthropic.com", "ANTHROPIC_BASE_URL"],
  ["https://generativelanguage.googleapis.com", "GOOGLE_GEMINI_BASE_URL"],
  ["https://europe-west1-aiplatform.googleapis.com", "GOOGLE_VERTEX_BASE_URL"],
  ["https://notopenai.com", undefined],
  ["http://localhost:8080", undefined],
  ["", undefined],
])("the variable with the address %s is %s", (origin, variable) => {
  expect(addressVariable([origin])).toBe(variable);
});
