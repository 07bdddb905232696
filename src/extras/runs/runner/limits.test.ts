import { expect, test } from "vitest";
import { backoff, limitRates } from "./limits.ts";

/** A rate at which every call beyond the burst waits for an hour. */
const SLOW = { perSecond: 1 / 3600 };

class Counter {
  #count = 0;
  readonly unit = Object.freeze({ name: "calls" });
  async add(by: number): Promise<number> {
    this.#count += by;
    return this.#count;
  }
}

function called(adapters: Readonly<Record<string, unknown>>, ...path: readonly string[]): (by?: number) => unknown {
  const [last = "", ...folders] = path.toReversed();
  const owner = folders.toReversed().reduce<unknown>((value, key) => Reflect.get(Object(value), key), adapters);
  return (by) => {
    const member: unknown = Reflect.get(Object(owner), last);
    if (typeof member !== "function") throw new TypeError(`${path.join(".")} isn't a function`);
    const result: unknown = Reflect.apply(member, owner, [by]);
    return result;
  };
}

test("limits frozen adapters, their frozen members, and methods with private fields", async () => {
  const completions = Object.freeze({ create: async () => "created" });
  const chat = Object.freeze(Object.assign(async () => "chatted", { completions }));
  const adapters = { llm: Object.freeze({ chat }), counter: Object.freeze(new Counter()) };
  const rate = { perSecond: 100 };
  const limited = limitRates(adapters, { llm: rate, counter: rate }, Date.now);
  expect(await called(limited, "llm", "chat")()).toBe("chatted");
  expect(await called(limited, "llm", "chat", "completions", "create")()).toBe("created");
  expect(await called(limited, "counter", "add")(2)).toBe(2);
  expect(limited["counter"]).toBeInstanceOf(Counter);
  expect(limited).toMatchObject({ counter: { unit: { name: "calls" } } });
  expect(Object.keys(Object(limited["llm"]))).toEqual(["chat"]);
  const { Class } = limitRates({ Class: Counter }, { Class: rate }, Date.now);
  expect(typeof Class === "function" && Reflect.construct(Class, [])).toBeInstanceOf(Counter);
});

test("the wait before an attempt doubles up to a maximum, and at least half of it passes", () => {
  const waits = (random: number, retry: Parameters<typeof backoff>[1]): readonly number[] =>
    [1, 2, 3, 8, 9].map((attempt) => backoff(attempt, retry, () => random));
  expect(waits(1, {})).toEqual([500, 1000, 2000, 60_000, 60_000]);
  expect(waits(0, {})).toEqual([250, 500, 1000, 30_000, 30_000]);
  expect(waits(1, { baseMs: 10, maxMs: 25 })).toEqual([10, 20, 25, 25, 25]);
});

test("a clock that is set back doesn't delay calls that the rate allows", async () => {
  let now = 1e12;
  const calls: number[] = [];
  const llm = { ask: async () => calls.push(now) };
  const limited = limitRates({ llm }, { llm: { ...SLOW, burst: 3 } }, () => now);
  await called(limited, "llm", "ask")();
  now -= 3_600_000;
  await called(limited, "llm", "ask")();
  now -= 3_600_000;
  await called(limited, "llm", "ask")();
  expect(calls).toHaveLength(3);
});

test("calls beyond the burst wait, also after the clock was set back", async () => {
  let now = 1e12;
  const limited = limitRates({ llm: { ask: async () => "done" } }, { llm: { perSecond: 20, burst: 1 } }, () => now);
  await called(limited, "llm", "ask")();
  now -= 3_600_000;
  const begun = performance.now();
  expect(await called(limited, "llm", "ask")()).toBe("done");
  expect(performance.now() - begun).toBeGreaterThanOrEqual(45);
});
