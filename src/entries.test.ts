import { expect, test } from "vitest";
import * as commands from "./commands.ts";
import * as root from "./index.ts";
import * as kernel from "./kernel.ts";
import * as redaction from "./redaction.ts";

test("the entry veritest exports the functions for steps, configurations and comparisons", () => {
  expect(Object.keys(root).sort()).toEqual([
    "anything",
    "clock",
    "configureValues",
    "defineConfig",
    "defineStep",
    "defineWorkflow",
    "diff",
    "fail",
    "ids",
    "matches",
    "oneOf",
    "random",
    "recordAdapters",
    "recordTools",
    "replayAdapters",
    "similar",
    "tool",
    "withReplay",
    "within",
  ]);
});

test("a name has the same value in each entry that exports it", () => {
  const entries: readonly Readonly<Record<string, unknown>>[] = [root, kernel, commands, redaction];
  const values = new Map<string, unknown>();
  for (const [name, value] of entries.flatMap((entry) => Object.entries(entry))) {
    expect(values.get(name) ?? value, name).toBe(value);
    values.set(name, value);
  }
});
