import { expect, test } from "vitest";
import type { Cause } from "../check/cause/cause.ts";
import { type Check, checkWithoutUpdate } from "../check/check.ts";
import { testToRerun } from "./recording-advice.ts";

function checkOf(adapter: string, request: unknown, cause?: Cause): Check {
  return checkWithoutUpdate(
    { file: "a.json", path: "/a.json" },
    {
      kind: "request_changed",
      unrecorded: { adapter, request, reason: "unknown_request", recorded: 1 },
      recordedCount: 1,
      ...(cause !== undefined && { cause }),
    },
  );
}

test.each([
  ["the recorder of fetch", "fetch", [{ method: "POST", origin: "https://api.openai.com", path: "/v1" }], true],
  ["a recorder whose requests have no origin, by ignore", "fetch", [{ method: "POST", path: "/v1" }], false],
  ["an adapter", "llm.complete", [{ origin: "https://api.openai.com" }], false],
])("an unrecorded request of %s is recorded by its test", (_what, adapter, request, hasOrigin) => {
  expect(testToRerun(checkOf(adapter, request), "a test")).toStrictEqual({
    rerun: "a test",
    ...(hasOrigin && { origin: "https://api.openai.com" }),
  });
});

test("a request to another host has only the host", () => {
  const origin = "https://api.openai.com";
  const entry = {
    path: ["request", 0, "origin"],
    kind: "changed",
    before: "http://localhost:9",
    after: origin,
  } as const;
  const requests = [{ kind: "changed", adapter: "fetch", entries: [entry] } as const];
  const check = checkOf("fetch", [{ method: "POST", origin, path: "/v1" }], {
    kind: "environment",
    evidence: [{ kind: "environment", requests }],
  });
  expect(testToRerun(check, "a test")).toStrictEqual({ origin });
});

test("a check without an unrecorded request has no test to run again", () => {
  expect(testToRerun(checkWithoutUpdate({ file: "a.json", path: "/a.json" }, { kind: "clean" }), "a test")).toBe(
    undefined,
  );
});
