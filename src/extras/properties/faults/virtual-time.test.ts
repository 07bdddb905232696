import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { abortedHere, inVirtualTime } from "./virtual-time.ts";

const HOUR = 3_600_000;

test("an hour is over at once, and every clock of the run reports it", async () => {
  const real = performance.now();
  const end = await inVirtualTime(async () => {
    const before = { now: Date.now(), date: new Date().getTime(), steady: performance.now(), text: Date() };
    await sleep(HOUR);
    return {
      now: Date.now() - before.now,
      date: new Date().getTime() - before.date,
      steady: Math.round(performance.now() - before.steady),
      text: Date.parse(Date()) - Date.parse(before.text),
      given: [new Date(5).getTime(), new Date("2020-01-01T00:00:00Z").getUTCFullYear(), new Date() instanceof Date],
    };
  });
  expect(end).toStrictEqual({
    kind: "ended",
    value: { now: HOUR, date: HOUR, steady: HOUR, text: HOUR, given: [5, 2020, true] },
  });
  expect(performance.now() - real).toBeLessThan(HOUR / 4);
});

test("a timer's callback keeps its async context and the virtual time", async () => {
  const place = new AsyncLocalStorage<string>();
  const end = await inVirtualTime(async () =>
    place.run("here", async () => {
      const began = Date.now();
      const where = await new Promise((resolve) =>
        setTimeout(() => setTimeout(() => resolve(place.getStore()), HOUR), HOUR),
      );
      return [where, Date.now() - began];
    }),
  );
  expect(end).toStrictEqual({ kind: "ended", value: ["here", 2 * HOUR] });
});

test("concurrent runs have separate clocks, and the last one restores the globals", async () => {
  const before = [setTimeout, Date, AbortController, AbortSignal.timeout, performance.now];
  const wait = async (ms: number): Promise<unknown> =>
    inVirtualTime(async () => {
      const began = Date.now();
      await sleep(ms);
      await sleep(ms);
      return Date.now() - began;
    });
  const ends = await Promise.all([wait(HOUR), wait(5), inVirtualTime(async () => 1)]);
  expect(ends).toStrictEqual([
    { kind: "ended", value: 2 * HOUR },
    { kind: "ended", value: 10 },
    { kind: "ended", value: 1 },
  ]);
  expect([setTimeout, Date, AbortController, AbortSignal.timeout, performance.now]).toStrictEqual(before);
});

test("a signal created in the run aborts in virtual time", async () => {
  const end = await inVirtualTime(async () => {
    AbortSignal.timeout(HOUR);
    return abortedHere().catch((reason: unknown) => String(reason));
  });
  expect(end).toStrictEqual({
    kind: "ended",
    value: "TimeoutError: The operation was aborted due to timeout",
  });
});

test("what waits for nothing hangs, and timers without end are reported", async () => {
  expect(await inVirtualTime(async () => new Promise(() => undefined))).toStrictEqual({ kind: "hangs" });
  const forever = async (): Promise<never> => {
    for (;;) await sleep(1);
  };
  expect(await inVirtualTime(forever)).toStrictEqual({ kind: "endless" });
});
