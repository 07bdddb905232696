import { expect, test } from "vitest";
import type { Check } from "../check/check.ts";
import { checkWithTimeout } from "./check-with-timeout.ts";

const FILE = { file: "__baselines__/shout/a.json", path: "/project/__baselines__/shout/a.json" };
const CLEAN: Check = { ...FILE, verdict: { kind: "clean" }, findings: {}, update: undefined };

test("returns a check that ends in time unchanged", async () => {
  expect(await checkWithTimeout(FILE, 1000, async () => CLEAN)).toStrictEqual({ check: CLEAN, isRunning: false });
});

test("a case without a limit may take any time", async () => {
  const check = async (): Promise<Check> => new Promise((resolve) => setTimeout(() => resolve(CLEAN), 20));
  expect(await checkWithTimeout(FILE, 0, check)).toStrictEqual({ check: CLEAN, isRunning: false });
});

test("a limit longer than the longest timer doesn't end at once", async () => {
  const check = async (): Promise<Check> => new Promise((resolve) => setTimeout(() => resolve(CLEAN), 20));
  expect(await checkWithTimeout(FILE, 1000 * 3_600_000, check)).toStrictEqual({ check: CLEAN, isRunning: false });
});

test("fails a case that takes longer, and notes that it may still be running", async () => {
  const { check, isRunning } = await checkWithTimeout(FILE, 100, async () => new Promise(() => undefined));
  expect(isRunning).toBe(true);
  expect(check).toMatchObject({
    ...FILE,
    verdict: {
      kind: "failed",
      error: { code: "timed_out", message: "The case didn't finish within 0.1s. Increase --timeout." },
    },
  });
});

test("a check that throws is a failed case", async () => {
  const { check, isRunning } = await checkWithTimeout(FILE, 1000, async () => Promise.reject(new Error("no luck")));
  expect(isRunning).toBe(false);
  expect(check).toMatchObject({
    ...FILE,
    verdict: { kind: "failed", error: { code: "execution_failed", message: "no luck" } },
  });
});
