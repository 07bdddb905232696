import { expect, test } from "vitest";
import { variableProblem, isOn, readChoice, readFlag, readVariable, setVariable } from "./environment.ts";

test("reads an empty variable as unset", () => {
  expect(readVariable({}, "VERITEST_REASON")).toBeUndefined();
  expect(readVariable({ VERITEST_REASON: "" }, "VERITEST_REASON")).toBeUndefined();
  expect(readVariable({ VERITEST_REASON: "why" }, "VERITEST_REASON")).toBe("why");
});

test("sets and removes a variable of this process", () => {
  const environment: NodeJS.ProcessEnv = {};
  setVariable(environment, "VERITEST_META", "1");
  expect(environment).toStrictEqual({ VERITEST_META: "1" });
  setVariable(environment, "VERITEST_META", undefined);
  expect(environment).toStrictEqual({});
});

test("reports a value that isn't in the list with the list, on one line", () => {
  const read = (text: string) => readChoice({ VERITEST_MODE: text }, "VERITEST_MODE", ["replay", "live", "auto"]);
  expect(read("auto")).toStrictEqual({ ok: true, value: "auto" });
  expect(read("")).toStrictEqual({ ok: true, value: undefined });
  expect(read("replay\u001b[2J")).toStrictEqual({
    ok: false,
    error: 'VERITEST_MODE is "replay\\u001b[2J": it must be replay, live or auto.',
  });
});

test.each([
  ["1", true],
  ["TRUE", true],
  ["yes", true],
  ["0", false],
  ["False", false],
  ["", false],
  [undefined, false],
])("a variable of another tool is on unless it is empty, 0 or false: %j", (text, expected) => {
  expect(isOn({ CI: text }, "CI")).toBe(expected);
});

test.each([
  ["1", true, undefined],
  ["true", true, undefined],
  ["0", false, undefined],
  ["false", false, undefined],
  ["", false, undefined],
  ["yes", false, 'VERITEST_VERBOSE is "yes": it must be 1 or 0.'],
])("reads a flag as on, off or a problem: %j", (text, expected, problem) => {
  expect(readFlag({ VERITEST_VERBOSE: text }, "VERITEST_VERBOSE")).toBe(expected);
  expect(variableProblem({ VERITEST_VERBOSE: text })).toBe(problem);
});

test("reports an unknown mode, and reads an empty variable as unset", () => {
  const modes = ["replay", "live", "auto", ""];
  expect(modes.map((mode) => variableProblem({ VERITEST_MODE: mode }))).toStrictEqual(modes.map(() => undefined));
  expect(variableProblem({ VERITEST_MODE: "recorded" })).toBe(
    'VERITEST_MODE is "recorded": it must be replay, live or auto.',
  );
});
