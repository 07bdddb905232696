import { setTimeout as after } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type CaseSource, type CheckAllOptions, checkAll } from "./check-all.ts";

/** Yields numbers and notes each when it's read. */
function* counting(count: number, read: number[]): Generator<number> {
  for (let number = 0; number < count; number += 1) {
    read.push(number);
    yield number;
  }
}

async function resultsOf<T, R>(
  source: CaseSource<T>,
  check: (one: T) => Promise<R>,
  options: CheckAllOptions,
): Promise<R[]> {
  const results: R[] = [];
  for await (const result of checkAll(source, check, options)) results.push(result);
  return results;
}

test.each([1, 2, 5])("reads a case only when one can start, with %d at a time", async (concurrency) => {
  const read: number[] = [];
  let most = 0;
  let done = 0;
  const check = async (number: number): Promise<number> => {
    most = Math.max(most, read.length - done);
    await Promise.resolve();
    done += 1;
    return number * 2;
  };
  const results = await resultsOf(counting(20, read), check, { concurrency });
  expect(results).toStrictEqual(Array.from({ length: 20 }, (_, number) => number * 2));
  expect(most).toBe(concurrency);
});

test("reads an asynchronous source one case at a time, and no further than it can start", async () => {
  let [reading, read, running, most] = [0, 0, 0, 0];
  const source: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        reading += 1;
        expect(reading).toBe(1);
        await after(1);
        reading -= 1;
        read += 1;
        return read > 20 ? { done: true, value: undefined } : { done: false, value: read };
      },
    }),
  };
  const check = async (number: number): Promise<number> => {
    running += 1;
    most = Math.max(most, running);
    await after(4);
    running -= 1;
    return number;
  };
  const results = await resultsOf(source, check, { concurrency: 3 });
  expect(results).toStrictEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(most).toBe(3);
});

test("without a limit runs all cases at once, and ends", async () => {
  const check = async (number: number): Promise<number> => number;
  expect(await resultsOf(counting(3, []), check, { concurrency: Infinity })).toStrictEqual([0, 1, 2]);
  expect(await resultsOf(counting(0, []), check, { concurrency: Infinity })).toStrictEqual([]);
});

test.each([
  [Number.NaN, 1],
  [0, 1],
  [-1, 1],
  [0.5, 1],
  [1, 1],
  [2.5, 2],
  [Infinity, 4],
])("checks every case in order, with concurrency %d: %d at a time", async (concurrency, expected) => {
  let running = 0;
  let most = 0;
  const check = async (ticks: number): Promise<number> => {
    most = Math.max(most, (running += 1));
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
    running -= 1;
    return ticks * 10;
  };
  expect(await resultsOf([3, 1, 2, 0], check, { concurrency })).toStrictEqual([30, 10, 20, 0]);
  expect(most).toBe(expected);
  expect(await resultsOf([], check, { concurrency })).toStrictEqual([]);
});

test("accepts undefined as a case or a result", async () => {
  expect(await resultsOf([undefined, 1], async (one) => one, { concurrency: 1 })).toStrictEqual([undefined, 1]);
});

test("a slow case delays the results after it, but not their checks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 }), async (order) => {
      const pending = order.map(() => Promise.withResolvers<string>());
      const yielded: string[] = [];
      const all = (async (): Promise<void> => {
        const check = async (index: number): Promise<string> => (await pending[index]?.promise) ?? "";
        for await (const result of checkAll(order.keys(), check, { concurrency: 7 })) yielded.push(result);
      })();
      const ended = new Set<number>();
      for (const index of order) {
        pending[index]?.resolve(`${index}`);
        ended.add(index);
        await after(0);
        const missing = [...order.keys()].find((each) => !ended.has(each)) ?? order.length;
        expect(yielded).toStrictEqual(Array.from({ length: missing }, (_, each) => `${each}`));
      }
      await all;
    }),
    { numRuns: 20 },
  );
});

test("after a check throws, starts no other case and rejects once the active ones have ended", async () => {
  const read: number[] = [];
  const ended: number[] = [];
  const check = async (number: number): Promise<void> => {
    if (number === 2) throw new Error("on purpose");
    await after(5 * (number + 1));
    ended.push(number);
  };
  await expect(resultsOf(counting(20, read), check, { concurrency: 3 })).rejects.toThrow(new Error("on purpose"));
  expect({ read, ended }).toStrictEqual({ read: [0, 1, 2], ended: [0, 1] });
});

test("rejects with an error of the source once the active cases have ended", async () => {
  const ended: number[] = [];
  function* source(): Generator<number> {
    yield 1;
    throw new Error("the disk is gone");
  }
  const check = async (number: number): Promise<void> => {
    await after(5);
    ended.push(number);
  };
  await expect(resultsOf(source(), check, { concurrency: 2 })).rejects.toThrow(new Error("the disk is gone"));
  expect(ended).toStrictEqual([1]);
});

test("after an abort, reads no case, finishes active ones, and closes its source", async () => {
  const aborter = new AbortController();
  let closed = false;
  async function* source(): AsyncGenerator<number> {
    try {
      for (let number = 0; ; number += 1) yield number;
    } finally {
      closed = true;
    }
  }
  const check = async (number: number): Promise<number> => {
    if (number === 3) aborter.abort();
    await after(2);
    return number;
  };
  const { signal } = aborter;
  expect(await resultsOf(source(), check, { concurrency: 2, signal })).toStrictEqual([0, 1, 2, 3]);
  expect(closed).toBe(true);
});

test("a caller that stops early continues once the active cases have ended", async () => {
  const read: number[] = [];
  const ended: number[] = [];
  const check = async (number: number): Promise<number> => {
    await after(2 * number);
    ended.push(number);
    return number;
  };
  for await (const result of checkAll(counting(20, read), check, { concurrency: 3 })) if (result === 0) break;
  expect({ read, ended }).toStrictEqual({ read: [0, 1, 2], ended: [0, 1, 2] });
});

test("lets timers and signals run between checks that don't wait", async () => {
  let heard = false;
  setTimeout(() => (heard = true), 1);
  const check = async (number: number): Promise<void> => {
    const end = performance.now() + 1;
    while (performance.now() < end) Math.sqrt(number);
  };
  await resultsOf(counting(80, []), check, { concurrency: 1, signal: new AbortController().signal });
  expect(heard).toBe(true);
});
