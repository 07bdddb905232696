import { expect, test } from "vitest";
import type { TestFileLog } from "../../explain/append-run-log.ts";
import { locationKey } from "../run-report.ts";
import { type RanModule, type RanTest, failingLines, logsInMeta } from "./read-vitest-modules.ts";

const FILE = "/app/a.test.ts";

function module(tests: readonly RanTest[], meta?: object): RanModule {
  return {
    moduleId: FILE,
    state: () => "failed",
    children: { allTests: () => tests },
    ...(meta === undefined ? {} : { meta: () => meta }),
  };
}

function failing(name: string, parent: RanTest["parent"], stacks: readonly { file: string; line: number }[]): RanTest {
  return { name, parent, result: () => ({ state: "failed", errors: [{ stacks }] }) };
}

test("locates a failing test by its first frame in the test file, with its titles joined by spaces", () => {
  const file = { type: "module" };
  const suite = { type: "suite", name: "inner", parent: { type: "suite", name: "outer", parent: file } };
  const lines = failingLines([
    module([
      failing("deep", suite, [
        { file: "/app/helper.ts", line: 3 },
        { file: FILE, line: 12 },
        { file: FILE, line: 99 },
      ]),
      failing("flat", file, [{ file: FILE, line: 7 }]),
      failing("elsewhere", file, [{ file: "/app/helper.ts", line: 3 }]),
      { name: "passed", parent: file, result: () => ({ state: "passed" }) },
    ]),
  ]);
  expect([...lines]).toStrictEqual([
    [locationKey(FILE, "outer inner deep"), 12],
    [locationKey(FILE, "flat"), 7],
  ]);
});

test("a stack that is still a text reports the line too", () => {
  const test3 = {
    name: "t",
    parent: { type: "module" },
    result: () => ({
      state: "failed",
      errors: [{ stack: `Error: no\n    at helper (/app/helper.ts:1:1)\n    at ${FILE}:31:9` }],
    }),
  };
  expect([...failingLines([module([test3])]).values()]).toStrictEqual([31]);
});

test("reads the log that a test file carries, and counts invalid ones as lost", () => {
  const log: TestFileLog = {
    testPath: FILE,
    root: "/app/__baselines__",
    checks: [{ test: "t", path: "/b.json", outcome: "clean" }],
    staged: [],
  };
  expect(
    logsInMeta([module([], { veritest: JSON.stringify(log) }), module([], { other: 1 }), module([])]),
  ).toStrictEqual({ logs: [log], lost: 0 });
  expect(logsInMeta([{ ...module([]), task: { meta: { veritest: JSON.stringify(log) } } }])).toStrictEqual({
    logs: [log],
    lost: 0,
  });
  expect(logsInMeta([module([], { veritest: "{" }), module([], { veritest: 7 })])).toStrictEqual({
    logs: [],
    lost: 1,
  });
});
