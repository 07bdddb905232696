import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { makeLogDirectory, removeDeadLogs } from "./log-directory.ts";
import { numberedWith } from "./processes.ts";

afterEach(() => vi.unstubAllEnvs());

const MINUTE = 60_000;

function temporary(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "veritest-litter-")));
}

/** The number of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

function leave(parent: string, name: string, minutesAgo: number): string {
  const path = join(parent, name);
  mkdirSync(path);
  writeFileSync(join(path, "1.jsonl"), "{}\n");
  const then = new Date(Date.now() - minutesAgo * MINUTE);
  utimesSync(path, then, then);
  return path;
}

test("the next run removes leftovers of killed runs, and no other files", () => {
  const parent = temporary();
  const [dead, here] = [deadPid(), numberedWith()];
  const left = leave(parent, `veritest-log-${dead}-${here}-aaaaaa`, 0);
  const veryOld = leave(parent, `veritest-log-${process.pid}-${here}-bbbbbb`, 25 * 60);
  const oldElsewhere = leave(parent, `veritest-log-${process.pid}-${here + 1}-bbbbbb`, 25 * 60);
  const kept = [
    leave(parent, `veritest-log-${dead}-${here + 1}-cccccc`, 2),
    leave(parent, `veritest-log-${process.pid}-${here}-dddddd`, 2),
    leave(parent, "veritest-mine", 2),
    leave(parent, `veritest-log-${dead}-${here}-toolong`, 2),
  ];
  const link = join(parent, `veritest-log-${dead}-${here}-eeeeee`);
  symlinkSync(leave(parent, "target", 2), link);
  vi.stubEnv("TMPDIR", parent);
  const own = makeLogDirectory();
  expect([left, veryOld, oldElsewhere].filter((path) => existsSync(path))).toStrictEqual([]);
  expect([...kept, link, own].filter((path) => !existsSync(path))).toStrictEqual([]);
});

test.runIf(process.getuid?.() === 0)("keeps files of another user", async () => {
  const { chownSync } = await import("node:fs");
  const parent = temporary();
  const path = leave(parent, `veritest-log-${deadPid()}-${numberedWith()}-aaaaaa`, 2);
  chownSync(path, 12_345, 12_345);
  removeDeadLogs(parent, Date.now());
  expect(existsSync(path)).toBe(true);
});

test("removes leftovers of a killed run on Windows, where users have no ids", () => {
  const path = leave(temporary(), `veritest-log-${deadPid()}-${numberedWith()}-aaaaaa`, 2);
  vi.stubGlobal("process", { ...process, platform: process.platform, getuid: undefined });
  try {
    removeDeadLogs(dirname(path), Date.now());
  } finally {
    vi.unstubAllGlobals();
  }
  expect(existsSync(path)).toBe(false);
});

test("recreates a removed temporary folder", () => {
  const parent = join(temporary(), "gone", "tmp");
  vi.stubEnv("TMPDIR", parent);
  const directory = makeLogDirectory();
  expect(existsSync(directory)).toBe(true);
  rmSync(parent, { recursive: true });
});
