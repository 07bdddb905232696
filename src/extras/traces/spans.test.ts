import { expect, test } from "vitest";
import { rawSpanOf } from "./spans.ts";

const IDS = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

test.each<[string, object, string | undefined]>([
  ["OTLP", { status: { code: 2, message: "quota" } }, "quota"],
  ["OTLP, without a message", { status: { code: "STATUS_CODE_ERROR" } }, "it failed"],
  [
    "Python's console",
    { status: { status_code: "ERROR", description: "RateLimitError: quota" } },
    "RateLimitError: quota",
  ],
  ["Phoenix", { status_code: "ERROR", status_message: "quota" }, "quota"],
  ["a success", { status: { status_code: "UNSET" } }, undefined],
])("reads whether a span failed as written by %s", (_by, status, error) => {
  expect(rawSpanOf({ ...IDS, name: "ask", ...status })?.error).toBe(error);
});
