import { expect, test } from "vitest";
import { readVariable } from "../../kernel/environment.ts";
import { type ModeSettings, adapterMode } from "./adapter-mode.ts";

/** A variable that is set and empty. */
const EMPTY = readVariable({ VERITEST_MODE: "" }, "VERITEST_MODE");

test.each<[string, ModeSettings, string, boolean]>([
  ["a replay by default", { hasAdapters: true, isRecording: false }, "replay", false],
  ["live for unrecorded requests under -u", { hasAdapters: true, isRecording: true }, "auto", false],
  ["recorded without adapters", { hasAdapters: false, isRecording: true }, "replay", false],
  [
    "recorded without adapters, whatever the run says",
    { hasAdapters: false, isRecording: true, variable: "live" },
    "replay",
    false,
  ],
  [
    "the run over the test over the project",
    { hasAdapters: true, isRecording: true, variable: "auto", option: "live", project: "replay" },
    "auto",
    true,
  ],
  [
    "the test over the project",
    { hasAdapters: true, isRecording: true, option: "replay", project: "live" },
    "replay",
    true,
  ],
  [
    "the project over the default",
    { hasAdapters: true, isRecording: false, variable: EMPTY, project: "live" },
    "live",
    true,
  ],
])("%s", (_title, wishes, mode, chosen) => {
  expect(adapterMode(wishes)).toStrictEqual({ mode, isExplicit: chosen });
});

test("modes by adapter are live if one of them is, and scripted counts as recorded; the run uses both", () => {
  const each = { llm: "replay", tools: "live" } as const;
  expect(adapterMode({ hasAdapters: true, isRecording: false, option: each })).toStrictEqual({
    mode: "live",
    isExplicit: true,
    perAdapter: each,
  });
  expect(adapterMode({ hasAdapters: false, isRecording: true, option: "scripted" })).toStrictEqual({
    mode: "replay",
    isExplicit: true,
    perAdapter: { "*": "scripted" },
  });
  expect(adapterMode({ hasAdapters: true, isRecording: true, option: each, variable: "replay" })).toStrictEqual({
    mode: "replay",
    isExplicit: true,
  });
});

test.each<[ModeSettings, string]>([
  [{ hasAdapters: true, isRecording: true, variable: "off" }, 'VERITEST_MODE must be replay, live or auto, got "off".'],
  [
    { hasAdapters: true, isRecording: true, option: "of\u202ef" },
    'mode must be replay, live, auto or scripted, or an object with a mode for each adapter, such as { llm: "live" }, got "of\\u202ef".',
  ],
  [
    { hasAdapters: true, isRecording: true, variable: "live", project: "none" },
    'mode in the configuration must be replay, live or auto, got "none".',
  ],
  [
    { hasAdapters: true, isRecording: true, option: JSON.parse('{"llm":"auto"}') },
    'mode.llm must be replay, live or scripted, got "auto".',
  ],
  [
    { hasAdapters: true, isRecording: true, option: { "llm.ask": "live" } },
    'mode: "llm.ask" isn\'t the first part of an adapter\'s path. For "llm.complete", pass mode: { llm: "live" }.',
  ],
  [
    { hasAdapters: false, isRecording: true, option: { tools: "live" } },
    "mode: { … } needs live adapters. Pass { adapters, mode: { … } }.",
  ],
  [
    { hasAdapters: false, isRecording: true, option: "auto" },
    'mode: "auto" needs live adapters. Pass { adapters, mode: "auto" }.',
  ],
])("refuses %o", (wishes, message) => {
  expect(() => adapterMode(wishes)).toThrow(new TypeError(message));
});
