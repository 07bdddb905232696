import { createHash, randomBytes, randomUUID } from "node:crypto";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { clock } from "./interceptors/clock-random-ids.ts";
import { recordAdapters } from "./proxy/record-adapters.ts";
import { watchPurity } from "./watch-purity.ts";

/** The uses of a run as `api file`, with its value. */
async function usesOf(run: () => unknown): Promise<readonly string[]> {
  const { uses } = await watchPurity(run);
  return uses.map(({ api, at }) => `${api} ${basename(at).replace(/:.*/, "")}`);
}

const here = (api: string): string => `${api} watch-purity.test.ts`;

test("notes uses of time, random numbers and the network with their lines, and returns the value", {
  tags: "deep",
}, async () => {
  const { value, uses } = await watchPurity(async () => {
    const at = Date.now();
    await sleep(1);
    return [
      at,
      new Date(),
      Date(),
      Math.random(),
      crypto.randomUUID(),
      randomUUID(),
      randomBytes(2),
      performance.now(),
      process.hrtime.bigint(),
    ];
  });
  expect(value).toHaveLength(9);
  expect(uses.map(({ api }) => api)).toStrictEqual([
    "Date.now",
    "new Date()",
    "Date()",
    "Math.random",
    "crypto.randomUUID",
    "crypto.randomUUID",
    "crypto.randomBytes",
    "performance.now",
    "process.hrtime.bigint",
  ]);
  for (const { at } of uses) expect(at).toMatch(/\/src\/record\/watch-purity\.test\.ts:\d+:\d+$/);
  expect(uses[0]?.at).toMatch(/:21:21$/);
});

test("ignores the random numbers with which a runner maps the position of a use", async () => {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (error, frames) => {
    Math.random();
    Date.now();
    return `${String(error)}\n${frames.map((frame) => `    at ${frame.getFileName()}:${frame.getLineNumber()}:${frame.getColumnNumber()}`).join("\n")}`;
  };
  try {
    expect(await usesOf(() => Math.random())).toStrictEqual([here("Math.random")]);
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
});

test("ignores calls with the same result each time", async () => {
  expect(
    await usesOf(() => [
      new Date(0),
      new Date("2026-01-01"),
      Date.parse("2026-01-01"),
      Date.UTC(2026),
      Math.max(1, 2),
      createHash("sha256").update("a").digest("hex"),
      new Date(0) instanceof Date,
    ]),
  ).toStrictEqual([]);
});

test("notes fetch, which still works", { tags: "deep" }, async () => {
  const { value, uses } = await watchPurity(async () => (await fetch("data:text/plain,hello")).text());
  expect([value, uses.map(({ api }) => api)]).toStrictEqual(["hello", ["fetch"]]);
});

test("ignores uses in recorded adapters: calls, getters, streams, thenables", async () => {
  const live = {
    clock: clock(),
    get seed() {
      return Math.random();
    },
    async *stream() {
      yield Date.now();
      await sleep(1);
      yield Date.now();
    },
    ask: async () => {
      await sleep(1);
      return Date.now();
    },
    lazy: () => ({
      // Query builders are such thenables.
      then: (resolve: (value: number) => void) => resolve(Math.random()),
    }),
  };
  const { adapters } = recordAdapters(live);
  const uses = await usesOf(async () => {
    const seen: unknown[] = [
      adapters.clock.now(),
      adapters.clock.date(),
      adapters.seed,
      await adapters.ask(),
      await adapters.lazy(),
    ];
    for await (const chunk of adapters.stream()) seen.push(chunk);
    Math.random();
    return seen;
  });
  expect(uses).toStrictEqual([here("Math.random")]);
});

test("runs at the same time are distinguished, and nested ones count for both", async () => {
  const idle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) {
      Date.now();
      await sleep(1);
    }
  };
  const busy = watchPurity(idle);
  const [pure, inner, outside] = await Promise.all([
    watchPurity(async () => sleep(3)),
    watchPurity(async () => watchPurity(() => Math.random())),
    idle(),
  ]);
  expect([pure.uses, outside]).toStrictEqual([[], undefined]);
  expect(inner.value.uses.map(({ api }) => api)).toStrictEqual(["Math.random"]);
  expect(inner.uses.map(({ api }) => api)).toStrictEqual(["Math.random"]);
  expect((await busy).uses.map(({ api }) => api)).toStrictEqual(["Date.now"]);
});

test("restores all functions, even if the run throws or continues after its end", async () => {
  const before = [Date, Date.now, Math.random, crypto.randomUUID, fetch, performance.now, randomUUID];
  let late: Promise<number> | undefined;
  await expect(watchPurity(() => Promise.reject(new Error("no")))).rejects.toThrow(new Error("no"));
  const { uses } = await watchPurity(() => {
    late = sleep(5).then(() => Date.now());
  });
  await late;
  expect(uses).toStrictEqual([]);
  expect([Date, Date.now, Math.random, crypto.randomUUID, fetch, performance.now, randomUUID]).toStrictEqual(before);
  expect([Object.hasOwn(crypto, "randomUUID"), Object.hasOwn(performance, "now")]).toStrictEqual([false, false]);
});
