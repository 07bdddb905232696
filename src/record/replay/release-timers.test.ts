import { connect, createServer } from "node:net";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { promisify } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { type RunTimers, observeTimers } from "./release-timers.ts";

async function withRunTimers<T>(body: (timers: RunTimers) => Promise<T>): Promise<T> {
  const timers = observeTimers();
  try {
    return await body(timers);
  } finally {
    timers.end();
  }
}

/** Number of timers that hold the process. */
function holding(): number {
  return process.getActiveResourcesInfo().filter((type) => type === "Timeout").length;
}

test("releases all timers of a run, started before and after it was abandoned, and no others", async () => {
  const fired: string[] = [];
  const stop = new AbortController();
  const ended: NodeJS.Timeout[] = [];
  const outside = setTimeout(() => undefined, 60_000);
  const before = holding();
  await withRunTimers(async (timers) => {
    timers.runInScope(() => {
      ended.push(setInterval(() => fired.push("interval"), 1));
      ended.push(
        setTimeout(() => ended.push(setTimeout(() => undefined, 60_000)), 5),
        setTimeout(() => undefined, 60_000),
      );
      void sleep(60_000, undefined, { signal: stop.signal }).catch(() => undefined);
      void promisify(setTimeout)(5).then(async () => {
        fired.push("slept");
        return sleep(60_000, undefined, { signal: stop.signal }).catch(() => undefined);
      });
    });
    expect(holding()).toBe(before + 5);
    timers.release();
    expect(holding()).toBe(before);
  });
  await expect.poll(() => [fired.includes("slept"), ended.length]).toStrictEqual([true, 4]);
  expect(fired).toContain("interval");
  const left = holding();
  const later = setTimeout(() => undefined, 60_000);
  expect([outside, later, ...ended].map((timer) => timer.hasRef())).toStrictEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(holding()).toBe(left + 1);
  for (const timer of [outside, later, ...ended]) clearTimeout(timer);
  stop.abort();
});

test("leaves the timers of a run that isn't abandoned as they are", async () => {
  const timer = await withRunTimers(async (timers) => timers.runInScope(() => setTimeout(() => undefined, 60_000)));
  expect(timer.hasRef()).toBe(true);
  clearTimeout(timer);
});

test("a run that only has a connection that doesn't keep the process alive is idle", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  await withRunTimers(async (timers) => {
    expect(timers.isIdle()).toBe(true);
    const socket = timers.runInScope(() => connect(port, "127.0.0.1"));
    await once(socket, "connect");
    expect(timers.isIdle()).toBe(false);
    socket.unref();
    await expect.poll(() => timers.isIdle()).toBe(true);
    socket.ref();
    expect(timers.isIdle()).toBe(false);
    socket.destroy();
    await expect.poll(() => timers.isIdle()).toBe(true);
  });
  server.close();
});

test("a thread and a process of the run work for it without a reference, too", async () => {
  await withRunTimers(async (timers) => {
    const worker = timers.runInScope(() => new Worker("setInterval(() => undefined, 1000)", { eval: true }));
    worker.unref();
    await once(worker, "online");
    expect(timers.isIdle()).toBe(false);
    await worker.terminate();
    await expect.poll(() => timers.isIdle()).toBe(true);
  });
});

test("a run is known to another copy of this module, as the bundles have it", async () => {
  vi.resetModules();
  const copy = await import("./release-timers.ts");
  expect(copy.observeTimers).not.toBe(observeTimers);
  await withRunTimers(async (timers) => {
    await expect(timers.runInScope(async () => copy.untilStuck(undefined))).resolves.toBeUndefined();
  });
});
