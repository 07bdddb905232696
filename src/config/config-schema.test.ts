import { expect, test } from "vitest";
import { DEFAULT_POLICY } from "../updates/policy.ts";
import { parseConfig } from "./config-schema.ts";

test("a tolerance of numbers reaches the workers, and is a distance", () => {
  expect(parseConfig({ tolerance: 1e-9 })).toMatchObject({ policy: { redact: { tolerance: 1e-9 } } });
  expect(parseConfig({})).not.toHaveProperty("policy.redact.tolerance");
  expect(parseConfig({ tolerance: -1 })).toMatchObject({ issues: [{ path: ["tolerance"] }] });
});

test.each<[unknown, readonly (string | number)[]]>([
  [{ "gpt-5": { input: -1, output: 1 } }, ["prices", "gpt-5", "input"]],
  [{ "gpt-5": { input: 1 } }, ["prices", "gpt-5", "output"]],
  [{ "gpt-5": { input: 1, output: 2, cached: 1 } }, ["prices", "gpt-5"]],
  [{ "": { input: 1, output: 2 } }, ["prices", ""]],
])("prices of models reach the workers, but not %j", (wrong, path) => {
  const prices = { "gpt-5*": { input: 1.25, output: 10 } };
  expect(parseConfig({ prices })).toMatchObject({ policy: { redact: { prices } } });
  expect(parseConfig({ prices: wrong })).toMatchObject({ issues: [{ path }] });
});

test("what is hidden and what is left out go to the workers together", () => {
  const parsed = parseConfig({
    redact: { fields: ["memberNumber"], hashOnly: ["document"] },
    recording: { ignore: ["**.requestId"] },
  });
  expect("policy" in parsed && parsed.policy.redact).toStrictEqual({
    fields: ["memberNumber"],
    paths: [],
    keep: [],
    hashOnly: ["document"],
    ignore: ["**.requestId"],
  });
});

test("strict requests go to the workers, and are nothing where they are not wanted", () => {
  const strict = parseConfig({ strictRequests: true });
  expect("policy" in strict && strict.policy.redact).toStrictEqual({
    ...DEFAULT_POLICY.redact,
    strictRequests: true,
  });
  const loose = parseConfig({ strictRequests: false });
  expect("policy" in loose && loose.policy.redact).toStrictEqual(DEFAULT_POLICY.redact);
  expect(parseConfig({ strictRequests: "yes" })).toMatchObject({ issues: [{ path: ["strictRequests"] }] });
});

test("nothing is added where nothing is said", () => {
  const parsed = parseConfig({});
  expect("policy" in parsed && parsed.policy.redact).toStrictEqual(DEFAULT_POLICY.redact);
});

test.each([
  { recording: { ignored: [] } },
  { recording: { ignore: "id" } },
  { redact: { hashOnly: [1] } },
])("%j is refused", (config) => {
  expect(parseConfig(config)).toMatchObject({ issues: [{ path: expect.any(Array) }] });
});
