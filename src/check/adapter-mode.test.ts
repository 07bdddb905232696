import { expect, test } from "vitest";
import { readVariable } from "../kernel/environment.ts";
import { type ModeSettings, adapterMode } from "./adapter-mode.ts";

/** A variable that is set and empty. */
const EMPTY = readVariable({ VERITEST_MODE: "" }, "VERITEST_MODE");

test.each<[string, ModeSettings, string, boolean]>([
  ["a replay by default", { adapters: true, isRecording: false }, "replay", false],
  ["live for unrecorded requests under -u", { adapters: true, isRecording: true }, "auto", false],
  ["recorded without adapters", { adapters: false, isRecording: true }, "replay", false],
  [
    "recorded without adapters, whatever the run says",
    { adapters: false, isRecording: true, variable: "live" },
    "replay",
    false,
  ],
  [
    "the run over the test over the project",
    { adapters: true, isRecording: true, variable: "auto", option: "live", project: "replay" },
    "auto",
    true,
  ],
  [
    "the test over the project",
    { adapters: true, isRecording: true, option: "replay", project: "live" },
    "replay",
    true,
  ],
  [
    "the project over the default",
    { adapters: true, isRecording: false, variable: EMPTY, project: "live" },
    "live",
    true,
  ],
])("%s", (_title, wishes, mode, chosen) => {
  expect(adapterMode(wishes)).toStrictEqual({ mode, isExplicit: chosen });
});

test("modes by adapter are live if one of them is, and scripted counts as recorded; the run uses both", () => {
  const each = { llm: "replay", tools: "live" } as const;
  expect(adapterMode({ adapters: true, isRecording: false, option: each })).toStrictEqual({
    mode: "live",
    isExplicit: true,
    perAdapter: each,
  });
  expect(adapterMode({ adapters: false, isRecording: true, option: "scripted" })).toStrictEqual({
    mode: "replay",
    isExplicit: true,
    perAdapter: { "*": "scripted" },
  });
  expect(adapterMode({ adapters: true, isRecording: true, option: each, variable: "replay" })).toStrictEqual({
    mode: "replay",
    isExplicit: true,
  });
});

test.each<[ModeSettings, string]>([
  [{ adapters: true, isRecording: true, variable: "off" }, 'VERITEST_MODE is "off": it must be replay, live or auto.'],
  [
    { adapters: true, isRecording: true, option: "of\u202ef" },
    'the matcher\'s option mode is "of\\u202ef": it must be replay, live, auto or scripted, or a mode for each adapter.',
  ],
  [
    { adapters: true, isRecording: true, variable: "live", project: "none" },
    'the configuration\'s mode is "none": it must be replay, live or auto.',
  ],
  [
    { adapters: true, isRecording: true, option: JSON.parse('{"llm":"auto"}') },
    'the matcher\'s option mode.llm is "auto": it must be replay, live or scripted.',
  ],
  [
    { adapters: true, isRecording: true, option: { "llm.ask": "live" } },
    "the matcher's option mode names \"llm.ask\": pass the first part of an adapter's path.",
  ],
  [
    { adapters: false, isRecording: true, option: { tools: "live" } },
    "mode: { … } needs live adapters: pass both ({ adapters, mode: { … } }).",
  ],
  [
    { adapters: false, isRecording: true, option: "auto" },
    'mode: "auto" needs live adapters: pass both ({ adapters, mode: "auto" }).',
  ],
])("refuses %o", (wishes, message) => {
  expect(() => adapterMode(wishes)).toThrow(new TypeError(message));
});
