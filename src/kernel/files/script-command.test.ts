import { expect, test } from "vitest";
import { startedCommand } from "./script-command.ts";

test.each<[readonly string[], NodeJS.Platform, ReturnType<typeof startedCommand>]>([
  [["npx", "vitest", "run"], "linux", { program: "npx", args: ["vitest", "run"], shell: false }],
  [["node", "a b.js"], "win32", { program: "node", args: ["a b.js"], shell: false }],
  [["npm", "test"], "win32", { program: "npm test", args: [], shell: true }],
  [
    ["npx", "vitest", "-t", 'says "a & b"', "src/a.test.ts", ""],
    "win32",
    { program: 'npx vitest -t "says ""a & b""" src/a.test.ts ""', args: [], shell: true },
  ],
  [
    ["C:\\Program Files\\nodejs\\npm.cmd", "test"],
    "win32",
    { program: String.raw`"C:\Program Files\nodejs\npm.cmd" test`, args: [], shell: true },
  ],
  [["bin\\npx", "a"], "win32", { program: String.raw`bin\npx a`, args: [], shell: true }],
  [["./bin/tsc.cmd", "a/b"], "win32", { program: String.raw`.\bin\tsc.cmd a/b`, args: [], shell: true }],
  [["check.BAT"], "win32", { program: "check.BAT", args: [], shell: true }],
  [["bun.exe", "test"], "win32", { program: "bun.exe", args: ["test"], shell: false }],
  [
    ["npm", String.raw`C:\a b\ `.trim(), String.raw`x\"y`, String.raw`end\"`],
    "win32",
    { program: String.raw`npm "C:\a b\\" "x\\""y" "end\\"""`, args: [], shell: true },
  ],
])("starts %j on %s with a shell only if Node needs one", (command, platform, started) => {
  expect(startedCommand(command, platform)).toStrictEqual(started);
});
