import { AsyncLocalStorage } from "node:async_hooks";
import { setInterval as every, scheduler, setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { withFrozenClock } from "../../../record/interceptors/frozen-clock.ts";
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

test("a refreshed timer waits for its own delay again", async () => {
  const end = await inVirtualTime(async () => {
    const began = Date.now();
    const calls: number[] = [];
    const timer = setTimeout(() => calls.push(Date.now() - began), HOUR);
    await sleep(HOUR / 2);
    timer.refresh();
    await sleep(2 * HOUR);
    timer.refresh();
    await sleep(2 * HOUR);
    clearTimeout(timer);
    timer.refresh();
    await sleep(2 * HOUR);
    return calls;
  });
  expect(end).toStrictEqual({ kind: "ended", value: [1.5 * HOUR, 3.5 * HOUR] });
});

test("an interval during a pending timer isn't a run without end", async () => {
  const end = await inVirtualTime(async () => {
    const progress = setInterval(() => undefined, 80);
    await sleep(90_000);
    clearInterval(progress);
    return "done";
  });
  expect(end).toStrictEqual({ kind: "ended", value: "done" });
  const forever = async (): Promise<never> => new Promise(() => setInterval(() => undefined, 80));
  expect(await inVirtualTime(forever)).toStrictEqual({ kind: "endless" });
});

test("an interval that restarts a timer each time is reported as without end", async () => {
  const watched = async (): Promise<never> => {
    let watchdog = setTimeout(() => undefined, HOUR);
    setInterval(() => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => undefined, HOUR);
    }, 1000);
    return new Promise(() => undefined);
  };
  expect(await inVirtualTime(watched)).toStrictEqual({ kind: "endless" });
});

test("waits of node:timers/promises and delays in strings are virtual, too", async () => {
  const end = await inVirtualTime(async () => {
    const began = Date.now();
    const ticks: unknown[] = [];
    for await (const value of every(HOUR, "tick")) if (ticks.push([value, Date.now() - began]) === 2) break;
    await scheduler.wait(HOUR);
    await new Promise((resolve) => void Reflect.apply(setTimeout, undefined, [resolve, String(HOUR)]));
    return [...ticks, Date.now() - began];
  });
  expect(end).toStrictEqual({ kind: "ended", value: [["tick", HOUR], ["tick", 2 * HOUR], 4 * HOUR] });
});

test("a wait whose signal is or becomes aborted rejects as it does in real time", async () => {
  const rejected = async (): Promise<unknown> => {
    const later = new AbortController();
    const signals = [AbortSignal.abort("gone"), later.signal];
    const waits = signals.flatMap((signal) => [
      sleep(20, undefined, { signal }),
      scheduler.wait(20, { signal }),
      every(20, undefined, { signal }).next(),
    ]);
    later.abort("gone");
    const ends = await Promise.allSettled(waits);
    return ends.map(
      (end) => end.status === "rejected" && { ...end.reason, cause: end.reason.cause, text: `${end.reason}` },
    );
  };
  const real = await rejected();
  expect(real).toHaveLength(6);
  expect(await inVirtualTime(rejected)).toMatchObject({ kind: "ended", value: real });
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

test("a clock that was frozen before is virtual in the run, and the computer's outside of it", async () => {
  const began = Date.now();
  expect(withFrozenClock(5, () => Date.now())).toBe(5);
  const outside = AsyncLocalStorage.snapshot();
  const end = await inVirtualTime(async () => {
    const before = Date.now();
    await sleep(HOUR);
    return { inside: Date.now() - before, isReal: outside(() => Date.now()) < began + HOUR };
  });
  expect(end).toStrictEqual({ kind: "ended", value: { inside: HOUR, isReal: true } });
  expect(withFrozenClock(5, () => [Date.now(), Number(new Date())])).toStrictEqual([5, 5]);
  expect(Date.now()).toBeLessThan(began + HOUR);
});
