import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acquireLock, breakLock, lockHolder } from "./lock.ts";
import { ownIdentity } from "../../kernel/files/processes.ts";

const ELSEWHERE = JSON.stringify({ ...ownIdentity(), host: "elsewhere" });

function makeState(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "veritest-lock-")));
}

/** Leaves a lock that somebody took so many milliseconds ago. */
function leave(state: string, content: string, age: number): void {
  mkdirSync(join(state, "lock"), { recursive: true });
  writeFileSync(join(state, "lock", "4.lock"), content);
  const made = new Date(Date.now() - age);
  utimesSync(join(state, "lock", "4.lock"), made, made);
}

test("gives each holder the next generation, and keeps only the files of the newest one", () => {
  const state = makeState();
  for (const generation of [1, 2, 3]) {
    const lock = acquireLock(state);
    expect(lock.ok && lock.value.generation).toBe(generation);
    expect(lock.ok && lock.value.isCurrent()).toBe(true);
    if (lock.ok) lock.value.release();
    expect(lock.ok && lock.value.isCurrent()).toBe(false);
  }
  expect(readdirSync(join(state, "lock"))).toStrictEqual(["3.lock", "3.rel"]);
});

test("a lock with an owner isn't taken, and the sentence names who holds it", () => {
  const state = makeState();
  acquireLock(state);
  expect(acquireLock(state, 0)).toStrictEqual({
    ok: false,
    error: `Another run is updating baselines (process ${process.pid} on ${ownIdentity().host} has the lock). Run again when it has finished. If it has already ended, run: npx veritest doctor`,
  });
});

test.each<[string, string, number, boolean]>([
  ["a dead process", JSON.stringify({ ...ownIdentity(), startTicks: "1" }), 0, true],
  ["another host, now", ELSEWHERE, 0, false],
  ["another host, two minutes ago", ELSEWHERE, 120_000, true],
  ["nobody readable, now", "{", 0, false],
  ["nobody readable, two minutes ago", "", 120_000, true],
])("the lock of %s", (_whose, content, age, taken) => {
  const state = makeState();
  leave(state, content, age);
  expect(acquireLock(state, 0).ok).toBe(taken);
});

test("takes a lock that was broken by hand, and its former holder is notified", () => {
  const state = makeState();
  const first = acquireLock(state);
  expect(breakLock(state)?.generation).toBe(1);
  expect(first.ok && first.value.isCurrent()).toBe(false);
  expect(acquireLock(state, 0).ok).toBe(true);
});

test("releases a lock that can't be marked as released, without throwing", () => {
  const state = makeState();
  const lock = acquireLock(state);
  rmSync(join(state, "lock"), { recursive: true });
  if (lock.ok) lock.value.release();
  expect(lockHolder(state)).toBeUndefined();
});

/**
 * Takes the lock again and again in a process of its own; prints how often another process was inside at the same time.
 */
async function sections(state: string, at: number): Promise<number> {
  const script = `Promise.all([import(${JSON.stringify(join(import.meta.dirname, "lock.ts"))}), import("node:fs")]).then(([{ acquireLock }, fs]) => {
    const inside = ${JSON.stringify(join(state, "inside"))};
    let violations = 0;
    while (Date.now() < ${at});
    for (let round = 0; round < 40; round += 1) {
      const lock = acquireLock(${JSON.stringify(state)}, 60_000);
      if (!lock.ok) throw new Error(lock.error);
      try { fs.closeSync(fs.openSync(inside, "wx")); } catch { violations += 1; }
      fs.rmSync(inside, { force: true });
      lock.value.release();
    }
    process.stdout.write(String(violations));
  });`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  for await (const chunk of child.stdout) output += String(chunk);
  return Number(output === "" ? Number.NaN : output);
}

test("lets in one of four competing processes at a time", { tags: "deep" }, async () => {
  const state = makeState();
  const at = Date.now() + 1500;
  expect(await Promise.all(Array.from({ length: 4 }, async () => sections(state, at)))).toStrictEqual([0, 0, 0, 0]);
});
