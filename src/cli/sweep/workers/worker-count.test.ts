import { expect, test } from "vitest";
import { type WorkerRequest, workerCount } from "./worker-count.ts";

const LARGE = {
  asked: undefined,
  timed: false,
  cores: 4,
  cases: () => 100_000,
  concurrency: 8,
  adapters: "recorded",
} as const;

test.each<[string, Partial<WorkerRequest>, number]>([
  ["a large sweep: one less than there are cores", {}, 3],
  ["no more than there is work for", { cases: () => 14_999 }, 2],
  ["a small sweep: none", { cases: () => 9999 }, 0],
  ["two cores: none, for one worker is no faster than this thread", { cores: 2 }, 0],
  ["a time is set: one, which can be ended", { cores: 2, timed: true }, 1],
  ["a time is set for few cases: one", { cases: () => 3, timed: true }, 1],
  ["live answers: none", { adapters: "live" }, 0],
  ["live answers and a time: one", { adapters: "live", timed: true }, 1],
  ["no more than cases at a time", { concurrency: 2 }, 2],
  ["as many as somebody asks for", { asked: 2, cores: 1, cases: () => 5 }, 2],
  ["one asked for: none but this thread, whatever the time", { asked: 1, timed: true }, 0],
  ["no more than there are cases", { asked: 64, concurrency: 100, cases: () => 5 }, 5],
])("%s", (_, request, count) => {
  expect(workerCount({ ...LARGE, ...request })).toBe(count);
});

test("nobody counts the cases where it makes no difference", () => {
  const cases = (): number => {
    throw new Error("counted");
  };
  for (const request of [{ asked: 1 }, { cores: 2 }, { adapters: "live" }, { concurrency: 1 }] as const)
    expect(workerCount({ ...LARGE, ...request, cases })).toBe(0);
});
