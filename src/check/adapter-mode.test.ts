import { expect, test } from "vitest";
import { readVariable } from "../kernel/environment.ts";
import { type ModeSettings, adapterMode } from "./adapter-mode.ts";

/** A variable that is set and empty. */
const EMPTY = readVariable({ VERITEST_ADAPTERS: "" }, "VERITEST_ADAPTERS");

test.each<[string, ModeSettings, string, boolean]>([
  ["live where baselines may be written", { adapters: true, writes: true }, "live", false],
  ["recorded in CI", { adapters: true, writes: false }, "recorded", false],
  ["recorded without adapters", { adapters: false, writes: true }, "recorded", false],
  [
    "recorded without adapters, whatever the run says",
    { adapters: false, writes: true, variable: "live" },
    "recorded",
    false,
  ],
  [
    "the run over the test over the project",
    { adapters: true, writes: true, variable: "auto", option: "live", project: "recorded" },
    "auto",
    true,
  ],
  [
    "the test over the project",
    { adapters: true, writes: true, option: "recorded", project: "live" },
    "recorded",
    true,
  ],
  ["the project over the default", { adapters: true, writes: false, variable: EMPTY, project: "live" }, "live", true],
])("%s", (_title, wishes, mode, chosen) => {
  expect(adapterMode(wishes)).toStrictEqual({ mode, isExplicit: chosen });
});

test("modes for each adapter are live where one is, and a script is recorded answers; the run is over both", () => {
  const each = { llm: "recorded", tools: "live" } as const;
  expect(adapterMode({ adapters: true, writes: false, option: each })).toStrictEqual({
    mode: "live",
    isExplicit: true,
    each,
  });
  expect(adapterMode({ adapters: false, writes: true, option: "scripted" })).toStrictEqual({
    mode: "recorded",
    isExplicit: true,
    each: { "*": "scripted" },
  });
  expect(adapterMode({ adapters: true, writes: true, option: each, variable: "recorded" })).toStrictEqual({
    mode: "recorded",
    isExplicit: true,
  });
});

test.each<[ModeSettings, string]>([
  [{ adapters: true, writes: true, variable: "off" }, 'VERITEST_ADAPTERS is "off": it must be recorded, live or auto.'],
  [
    { adapters: true, writes: true, option: "of\u202ef" },
    'the matcher\'s option mode is "of\\u202ef": it must be recorded, live, auto or scripted, or one for each adapter.',
  ],
  [
    { adapters: true, writes: true, variable: "live", project: "none" },
    'the configuration\'s adapter mode is "none": it must be recorded, live or auto.',
  ],
  [
    { adapters: true, writes: true, option: JSON.parse('{"llm":"auto"}') },
    'the matcher\'s option mode.llm is "auto": it must be recorded, live, scripted.',
  ],
  [
    { adapters: true, writes: true, option: { "llm.ask": "live" } },
    "the matcher's option mode names \"llm.ask\": give the first part of an adapter's path.",
  ],
  [
    { adapters: false, writes: true, option: { tools: "live" } },
    "mode: { … } needs today's adapters: give both ({ adapters, mode: { … } }).",
  ],
  [
    { adapters: false, writes: true, option: "auto" },
    'mode: "auto" needs today\'s adapters: give both ({ adapters, mode: "auto" }).',
  ],
])("refuses %o", (wishes, message) => {
  expect(() => adapterMode(wishes)).toThrow(new TypeError(message));
});
