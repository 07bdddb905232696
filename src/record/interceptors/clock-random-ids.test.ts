import { expect, test } from "vitest";
import { type Clock, clock, type Ids, ids, type Random, random } from "./clock-random-ids.ts";
import { recordAdapters } from "../proxy/record-adapters.ts";
import { replayAdapters } from "../replay/replay-adapters.ts";

interface Hidden {
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
}

function isHidden(adapters: object): adapters is Hidden {
  return "clock" in adapters && "random" in adapters && "ids" in adapters;
}

test("the computer's clock gives the time", () => {
  const before = Date.now();
  const { now, date } = clock();
  const [told, dated] = [now(), date().getTime()];
  expect(before <= told && told <= dated && dated <= Date.now()).toBe(true);
});

test("a clock with a start is fixed, or advances by its step at each reading", () => {
  const still = clock({ start: "2026-01-01T00:00:00Z" });
  expect([still.now(), still.date().toISOString()]).toStrictEqual([1767225600000, "2026-01-01T00:00:00.000Z"]);
  const moving = clock({ start: new Date(5), step: 10 });
  expect([moving.now(), moving.now(), moving.date().getTime()]).toStrictEqual([5, 15, 25]);
  expect(() => clock({ start: "noon" })).toThrow(new TypeError("clock: start must be a valid date or time, got noon"));
});

test("equal seeds give equal numbers from 0 to 1, and other seeds others", () => {
  const draws = (seed: string | number): number[] => {
    const { next } = random({ seed });
    return Array.from({ length: 1000 }, () => next());
  };
  expect(draws(7)).toStrictEqual(draws(7));
  expect(draws(7)).not.toStrictEqual(draws("8"));
  expect(draws(7).slice(0, 2)).toStrictEqual([0.9609280730848715, 0.8422974887563395]);
  const numbers = draws("a");
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(Math.abs(numbers.reduce((sum, number) => sum + number, 0) / 1000 - 0.5)).toBeLessThan(0.05);
  const { integer } = random({ seed: 1 });
  expect(new Set(Array.from({ length: 200 }, () => integer(1, 6)))).toStrictEqual(new Set([1, 2, 3, 4, 5, 6]));
  expect(random().next()).not.toBe(random().next());
});

test("ids are UUIDs of version 4, and equal for equal seeds", () => {
  const { next } = ids({ seed: 7 });
  const made = Array.from({ length: 100 }, () => next());
  for (const id of [...made, ids().next()])
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(100);
  expect(ids({ seed: 7 }).next()).toBe(made[0]);
});

test("return the same values on replay", () => {
  const use = (adapters: Hidden): unknown[] => [
    adapters.clock.now(),
    adapters.clock.date("end"),
    adapters.random.integer(1, 1000),
    adapters.random.next(),
    adapters.ids.next("invoice"),
  ];
  const recorder = recordAdapters({ clock: clock(), random: random(), ids: ids() });
  const seen = use(recorder.adapters);
  const served = replayAdapters(JSON.parse(JSON.stringify(recorder.calls()))).adapters;
  expect(isHidden(served) && use(served)).toStrictEqual(seen);
  expect(recorder.problems()).toStrictEqual([]);
});
