import { setTimeout as after } from "node:timers/promises";
import { expect, test } from "vitest";
import { inParallel } from "./parallel.ts";

const never = new AbortController().signal;

test("no more items are taken than can be worked on", async () => {
  let [taken, running, most] = [0, 0, 0];
  function* items(): Generator<number> {
    for (let item = 0; item < 20; item += 1) {
      taken += 1;
      yield item;
    }
  }
  await inParallel(items(), { concurrency: 3, signal: never }, async () => {
    running += 1;
    most = Math.max(most, running);
    expect(taken).toBeLessThanOrEqual(20);
    await after(1);
    running -= 1;
  });
  expect({ taken, most }).toStrictEqual({ taken: 20, most: 3 });
});

test("an aborted sweep takes nothing more, finishes what it began, and lets go of its source", async () => {
  const aborter = new AbortController();
  const done: number[] = [];
  let closed = false;
  async function* items(): AsyncGenerator<number> {
    try {
      for (let item = 0; ; item += 1) yield item;
    } finally {
      closed = true;
    }
  }
  await inParallel(items(), { concurrency: 2, signal: aborter.signal }, async (item) => {
    if (item === 3) aborter.abort();
    await after(2);
    done.push(item);
  });
  expect(done.toSorted((a, b) => a - b)).toStrictEqual([0, 1, 2, 3]);
  expect(closed).toBe(true);
});

test("timers and signals are heard while work waits for nothing", async () => {
  let heard = false;
  setTimeout(() => (heard = true), 1);
  const items = Array.from({ length: 80 }, (_, item) => item);
  await inParallel(items, { concurrency: 1, signal: never }, async (item) => {
    const end = performance.now() + 1;
    while (performance.now() < end) Math.sqrt(item);
  });
  expect(heard).toBe(true);
});

test("an error of the source ends the sweep with it", async () => {
  function* items(): Generator<number> {
    yield 1;
    throw new Error("the disk is gone");
  }
  await expect(inParallel(items(), { concurrency: 2, signal: never }, async () => undefined)).rejects.toThrow(
    "the disk is gone",
  );
});
