import { expect, test } from "vitest";
import { DEFAULT_POLICY } from "../updates/policy.ts";
import { parseConfig } from "./config-schema.ts";

test("passes the tolerance of numbers to the workers, and refuses a negative one", () => {
  expect(parseConfig({ tolerance: 1e-9 })).toMatchObject({ worker: { tolerance: 1e-9 } });
  expect(parseConfig({})).not.toHaveProperty("worker.tolerance");
  expect(parseConfig({ tolerance: -1 })).toMatchObject({ issues: [{ path: ["tolerance"] }] });
});

test.each<[unknown, readonly (string | number)[]]>([
  [{ "gpt-5": { input: -1, output: 1 } }, ["prices", "gpt-5", "input"]],
  [{ "gpt-5": { input: 1 } }, ["prices", "gpt-5", "output"]],
  [{ "gpt-5": { input: 1, output: 2, cached: 1 } }, ["prices", "gpt-5"]],
  [{ "": { input: 1, output: 2 } }, ["prices", ""]],
])("passes prices of models to the workers, but not %j", (wrong, path) => {
  const prices = { "gpt-5*": { input: 1.25, output: 10 } };
  expect(parseConfig({ prices })).toMatchObject({ worker: { prices } });
  expect(parseConfig({ prices: wrong })).toMatchObject({ issues: [{ path }] });
});

test("passes redaction and ignore rules to the workers together", () => {
  const parsed = parseConfig({
    redact: { fields: ["memberNumber"], hashOnly: ["document"] },
    recording: { ignore: ["**.requestId"] },
  });
  expect("worker" in parsed && parsed.worker).toStrictEqual({
    fields: ["memberNumber"],
    paths: [],
    keep: [],
    hashOnly: ["document"],
    ignore: ["**.requestId"],
  });
});

test("passes strictRequests to the workers only if it is on", () => {
  const strict = parseConfig({ strictRequests: true });
  expect("worker" in strict && strict.worker).toStrictEqual({
    ...DEFAULT_POLICY.redact,
    strictRequests: true,
  });
  const loose = parseConfig({ strictRequests: false });
  expect("worker" in loose && loose.worker).toStrictEqual(DEFAULT_POLICY.redact);
  expect(parseConfig({ strictRequests: "yes" })).toMatchObject({ issues: [{ path: ["strictRequests"] }] });
});

test("an empty configuration passes the defaults", () => {
  const parsed = parseConfig({});
  expect("worker" in parsed && parsed.worker).toStrictEqual(DEFAULT_POLICY.redact);
});

test.each([
  { recording: { ignored: [] } },
  { recording: { ignore: "id" } },
  { redact: { hashOnly: [1] } },
])("refuses %j", (config) => {
  expect(parseConfig(config)).toMatchObject({ issues: [{ path: expect.any(Array) }] });
});
