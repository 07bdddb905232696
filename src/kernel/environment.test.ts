import { expect, test } from "vitest";
import { isOn, readChoice, readFlag, readVariable, setVariable } from "./environment.ts";
import { unknownVariables, variableProblem } from "./variable-problem.ts";

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
    error: 'VERITEST_MODE must be replay, live or auto, got "replay\\u001b[2J".',
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
  ["yes", false, 'VERITEST_VERBOSE must be 1 or 0, got "yes".'],
])("reads a flag as on, off or a problem: %j", (text, expected, problem) => {
  expect(readFlag({ VERITEST_VERBOSE: text }, "VERITEST_VERBOSE")).toBe(expected);
  expect(variableProblem({ VERITEST_VERBOSE: text })).toBe(problem);
});

test("reports an unknown mode, and reads an empty variable as unset", () => {
  const modes = ["replay", "live", "auto", ""];
  expect(modes.map((mode) => variableProblem({ VERITEST_MODE: mode }))).toStrictEqual(modes.map(() => undefined));
  expect(variableProblem({ VERITEST_MODE: "recorded" })).toBe(
    'VERITEST_MODE must be replay, live or auto, got "recorded".',
  );
});

test.each([
  ["VERITEST_MODES", "VERITEST_MODE"],
  ["VERITEST_MOD", "VERITEST_MODE"],
  ["veritest_mode", "VERITEST_MODE"],
  ["VERITST_ACTOR", "VERITEST_ACTOR"],
  ["VERITEST_STATEDIR", "VERITEST_STATE_DIR"],
  ["VERTIEST_REPORT", "VERITEST_REPORT"],
])("refuses the misspelt variable %s", (name, known) => {
  expect(variableProblem({ [name]: "live" })).toBe(`"${name}" isn't a variable of veritest. Did you mean ${known}?`);
});

test("names unknown variables with veritest's prefix, and no others", () => {
  const others = {
    VITEST_MODE: "run",
    VERSION_MODE: "a",
    VITEST_POOL_ID: "1",
    MODE: "live",
    VERSION: "1",
    TEST_REPORT: "html",
  };
  const known = { VERITEST_MODE: "live", VERITEST_RUN: "r", VERITEST_PROPERTIES_RUNS: "9" };
  expect(variableProblem({ ...others, ...known, VERITEST_LIVE: "1", VERITEST_ADAPTERS: "live" })).toBeUndefined();
  expect(unknownVariables({ ...others, ...known })).toBeUndefined();
  expect(unknownVariables({ ...known, VERITEST_LIVE: "1", VERITEST_ADAPTERS: "live" })).toBe(
    'These aren\'t variables of veritest, so they have no effect: "VERITEST_LIVE", "VERITEST_ADAPTERS".',
  );
});
