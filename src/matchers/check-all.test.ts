import { expect, test } from "vitest";
import { checkAll } from "./check-all.ts";

/** Numbers, each noted when it is asked for. */
function* counting(count: number, asked: number[]): Generator<number> {
  for (let number = 0; number < count; number += 1) {
    asked.push(number);
    yield number;
  }
}

test.each([1, 2, 5])("an item is asked for when its turn comes, %d at a time", async (concurrency) => {
  const asked: number[] = [];
  let most = 0;
  let done = 0;
  const results = await checkAll(counting(20, asked), concurrency, async (number) => {
    most = Math.max(most, asked.length - done);
    await Promise.resolve();
    done += 1;
    return number * 2;
  });
  expect(results).toStrictEqual(Array.from({ length: 20 }, (_, number) => number * 2));
  expect(most).toBe(concurrency);
});

test("without a bound all items are worked on at once, and the list ends", async () => {
  expect(await checkAll(counting(3, []), Infinity, async (number) => number)).toStrictEqual([0, 1, 2]);
  expect(await checkAll(counting(0, []), Infinity, async (number) => number)).toStrictEqual([]);
});

test("an item's own undefined is worked on like any other", async () => {
  expect(await checkAll([undefined, 1], 1, async (item) => String(item))).toStrictEqual(["undefined", "1"]);
});

test("a piece of work that throws ends the whole", async () => {
  const asked: number[] = [];
  const failing = checkAll(counting(20, asked), 1, async (number) => {
    if (number === 2) throw new Error("on purpose");
  });
  await expect(failing).rejects.toThrow(new Error("on purpose"));
  expect(asked).toStrictEqual([0, 1, 2]);
});
