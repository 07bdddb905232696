import { expect, test } from "vitest";
import type { LoggedCheck } from "./append-run-log.ts";
import { testFileLines } from "./test-file-lines.ts";

const check = (path: string, outcome: string, more: Partial<LoggedCheck> = {}): LoggedCheck => ({
  test: "t",
  path,
  outcome,
  ...more,
});

test("without the reporter, a test file says what it wrote and its live calls", () => {
  const checks = [
    check("/a.json", "captured", { liveCalls: 2, ms: 1200 }),
    check("/a.json", "clean"),
    check("/b.json", "updated"),
    check("/c.json", "pending"),
    check("/d.json", "value_changed"),
  ];
  expect(testFileLines({ testPath: "/steps/a.test.ts", checks })).toEqual([
    "veritest: a.test.ts: 1 captured, 1 updated, 1 pending, live: 2 calls, no tokens reported, 1.2 s in total",
  ]);
});

test("a test file that only compared recordings prints nothing", () => {
  expect(testFileLines({ testPath: "/a.test.ts", checks: [check("/a.json", "clean", { ms: 3 })] })).toEqual([]);
});
