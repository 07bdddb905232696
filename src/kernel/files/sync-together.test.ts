import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { writeAllDurably } from "./durable.ts";
import { MOST_TOGETHER, type Syncing, syncTogether } from "./sync-together.ts";

function syncing(): Syncing {
  const threads = syncTogether();
  onTestFinished(() => threads.close());
  return threads;
}

function opened(count: number): number[] {
  const directory = mkdtempSync(join(tmpdir(), "veritest-sync-"));
  const descriptors = Array.from({ length: count }, (_, index) => openSync(join(directory, String(index)), "wx"));
  onTestFinished(() => descriptors.forEach((descriptor) => closeSync(descriptor)));
  for (const descriptor of descriptors) writeFileSync(descriptor, "text");
  return descriptors;
}

test("round after round of any size is synced, also more than there is room for at once", () => {
  const { sync } = syncing();
  const descriptors = opened(2 * MOST_TOGETHER + 3);
  for (const count of [1, 0, 7, MOST_TOGETHER, MOST_TOGETHER + 1, descriptors.length, 2])
    sync(descriptors.slice(0, count));
  expect(fstatSync(descriptors[0] ?? -1).size).toBe(4);
});

test("a file that cannot be synced is thrown with the system's code, wherever it stands, and the next round works", async () => {
  const { sync } = syncing();
  const descriptors = opened(100);
  // So that the threads take their share.
  await setTimeout(300);
  for (const at of [0, 50, 99]) {
    const failing = expect.objectContaining({
      code: "EBADF",
      syscall: "fsync",
      message: "EBADF: a file could not be synced, fsync",
    });
    let thrown: unknown;
    try {
      sync(descriptors.with(at, 9999));
    } catch (found) {
      thrown = found;
    }
    expect(thrown).toStrictEqual(failing);
    sync(descriptors);
  }
});

test("files that are written together are whole, each with its own text", () => {
  const { sync } = syncing();
  const directory = mkdtempSync(join(tmpdir(), "veritest-sync-"));
  const files = Array.from({ length: 300 }, (_, index) => ({
    path: join(directory, `${index}`),
    text: `text ${index}`,
  }));
  writeAllDurably(files, sync);
  expect(readdirSync(directory)).toHaveLength(300);
  expect(files.map(({ path }) => readFileSync(path, "utf8"))).toStrictEqual(files.map(({ text }) => text));
});
