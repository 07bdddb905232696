import { expect, test } from "vitest";
import type { AdapterCall } from "./adapter-call.ts";
import { lastAttempts, withoutRetries } from "./retries.ts";

const call = (response: object, { path = "/a", occurrence = 0 } = {}): AdapterCall => ({
  adapter: "fetch",
  occurrence,
  returns: "promise",
  request: [{ method: "GET", origin: "http://a.test", path }],
  response: { status: 200, type: "basic", headers: {}, ...response },
});

test("a lost connection that was tried again is left out, and the last of failed attempts stays", () => {
  const { response: _response, ...lost } = call({});
  const failed: AdapterCall = { ...lost, error: { $t: "error", v: { name: "TypeError" } } };
  expect(withoutRetries([failed, call({})])).toHaveLength(1);
  expect(withoutRetries([failed, failed])).toHaveLength(2);
  expect(withoutRetries([call({ status: 429 }), call({}, { path: "/b" })])).toHaveLength(2);
  expect(withoutRetries([call({}), call({ status: 429 })])).toHaveLength(2);
  expect(withoutRetries([call({ status: 404 }), call({})])).toHaveLength(2);
});

test("an attempt stays that the baseline has too, because its step reads the failure", () => {
  const attempts = [call({ status: 503 }), call({}, { occurrence: 1 })];
  expect(withoutRetries(attempts, attempts)).toHaveLength(2);
  expect(withoutRetries(attempts, [call({ status: 503 }, { path: "/b" })])).toHaveLength(1);
});

test("of equal requests one after the other only the last attempt is compared", () => {
  const calls = [call({ status: 503 }), call({}), call({ status: 503 }), call({}, { path: "/b" }), call({})];
  const attempts = calls.map((each, index) => ({ call: each, index, identity: JSON.stringify(each.request) }));
  expect(lastAttempts(attempts, calls).map(({ index }) => index)).toStrictEqual([1, 2, 3, 4]);
});
