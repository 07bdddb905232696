import { expect, test } from "vitest";
import { recordingRules } from "./recording-rules.ts";
import { comparedHeaders, sentHeaders } from "./request-headers.ts";

const rules = recordingRules({ matchHeaders: ["X-Tenant", "authorization"] });

test("compares headers in matchHeaders, ignoring case, and secrets by 16 bits of their hash", () => {
  const compared = comparedHeaders(new Headers({ "x-TENANT": "north", authorization: "Bearer made-up-ana" }), rules);
  expect(compared).toStrictEqual({
    "x-tenant": "north",
    authorization: { hash: expect.stringMatching(/^[0-9a-f]{4}$/) },
  });
  expect(comparedHeaders(new Headers({ authorization: "Bearer made-up-ben" }), rules)).not.toStrictEqual({
    authorization: compared?.["authorization"],
  });
  expect(comparedHeaders(new Headers({ "x-other": "1" }), rules)).toBe(undefined);
});

test.each([
  ["x-amz-target", "DynamoDB_20120810.GetItem", "DynamoDB_20120810.DeleteItem"],
  ["soapaction", "urn:orders#Read", "urn:orders#Cancel"],
  ["x-http-method-override", "GET", "DELETE"],
])("compares %s, which names the operation, without matchHeaders", (name, read, write) => {
  const compared = [read, write].map((value) => comparedHeaders(new Headers({ [name]: value }), recordingRules()));
  expect(compared).toStrictEqual([{ [name]: read }, { [name]: write }]);
});

test("keeps the hash of a compared secret when the request is stored and read", () => {
  const request = [{ headers: comparedHeaders(new Headers({ authorization: "Bearer made-up-ana" }), rules) }];
  expect(rules.request("fetch", request)).toStrictEqual(request);
});

test("notes headers that may explain a response, without secrets, ids and headers of clients", () => {
  const headers = new Headers({
    "x-tenant": "north",
    "accept-language": "de",
    "anthropic-beta": "long-context",
    accept: "application/json",
    authorization: "Bearer made-up-ana",
    cookie: "sid=abcdefgh",
    "user-agent": "OpenAI/JS 6.1",
    "x-stainless-os": "Linux",
    "x-api-key": "made-up-key",
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "x-conversation": "0f8b9c1e-8f1a-4b7e-9d6a-3f2b1c0d9e8f",
    "x-signed-at": "1795269729",
  });
  expect(sentHeaders(headers, rules)).toStrictEqual({
    "accept-language": "de",
    "anthropic-beta": "long-context",
    "x-tenant": "north",
  });
  expect(sentHeaders(new Headers({ accept: "*/*" }), rules)).toBe(undefined);
});
