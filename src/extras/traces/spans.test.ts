import { execFileSync } from "node:child_process";
import { join } from "node:path";
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

const NOON = Date.UTC(2026, 0, 1, 12);

/** Times as tracers write them, and their milliseconds since 1970. */
const WRITTEN: readonly (readonly [string, number])[] = [
  ["2026-01-01T12:00:00Z", NOON],
  ["2026-01-01T13:00:00+01:00", NOON],
  // LangSmith writes no zone.
  ["2026-01-01T12:00:00.123456", NOON + 123],
  ["2026-01-01T12:00", NOON],
  ["2026-01-01 12:00:00.5", NOON + 500],
  ["2026-01-01", Date.UTC(2026, 0, 1)],
  ["Thu, 01 Jan 2026 12:00:00 GMT", NOON],
  ["soon", 0],
];

test("reads the time of a text in UTC, whatever the local time zone is", { tags: "deep" }, () => {
  // Only a new process takes another zone.
  const code = `import(${JSON.stringify(join(import.meta.dirname, "spans.ts"))}).then(({ traceTime }) =>
    console.log(JSON.stringify(${JSON.stringify(WRITTEN)}.map(([text]) => [text, traceTime(text)]))))`;
  for (const TZ of ["America/New_York", "Asia/Kolkata"]) {
    const read = execFileSync(process.execPath, ["-e", code], { encoding: "utf8", env: { ...process.env, TZ } });
    expect(JSON.parse(read)).toEqual(WRITTEN);
  }
});

const NANO = `${NOON}000000`;

test.each<[string, object, number, boolean]>([
  ["a span", { startTimeUnixNano: NANO }, NOON, false],
  ["a span of JavaScript's console", { timestamp: NOON * 1000, duration: 5 }, NOON, false],
  ["a log record", { timeUnixNano: NANO, observedTimeUnixNano: `${NOON + 5}000000`, body: {} }, NOON, true],
  ["a log record without its own time", { observedTimeUnixNano: NANO }, NOON, true],
  ["a log record with an unknown time as 0", { timeUnixNano: "0", observedTimeUnixNano: NANO }, NOON, true],
  ["a log record of Python", { timestamp: null, observed_timestamp: "2026-01-01T12:00:00Z", body: "x" }, NOON, true],
  ["a span without a time", { startTimeUnixNano: "0" }, 0, false],
])("reads the time of %s", (_what, record, start, isLog) => {
  expect(rawSpanOf({ ...IDS, name: "ask", ...record })).toMatchObject({ start, isLog });
});
