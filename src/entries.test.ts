import { expect, test } from "vitest";
import * as commands from "./commands.ts";
import * as root from "./index.ts";
import * as kernel from "./kernel.ts";
import * as redaction from "./redaction.ts";

test("the entry veritest exports what steps, configurations and comparisons are written with", () => {
  expect(Object.keys(root).sort()).toEqual([
    "clock",
    "defineConfig",
    "defineStep",
    "defineWorkflow",
    "fail",
    "ids",
    "ignore",
    "matches",
    "oneOf",
    "random",
    "recordAdapters",
    "recordTools",
    "replayAdapters",
    "similar",
    "tool",
    "within",
  ]);
});

test("each name is in one entry", () => {
  const names = [root, kernel, commands, redaction].flatMap((entry) => Object.keys(entry));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
