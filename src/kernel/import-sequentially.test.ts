import { expect, test } from "vitest";
import { importSequentially } from "./import-sequentially.ts";

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1));
}

test("loads requested at once run one after another, in the order they were requested", async () => {
  const log: string[] = [];
  const load = (name: string) => async (): Promise<string> => {
    log.push(`${name} starts`);
    await pause();
    log.push(`${name} ends`);
    return name;
  };
  expect(await Promise.all(["a", "b", "c"].map(async (name) => importSequentially(load(name))))).toEqual([
    "a",
    "b",
    "c",
  ]);
  expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
});

test("a failing load rejects alone, and the next one runs", async () => {
  const failing = importSequentially(async () => {
    await pause();
    throw new Error("no such file");
  });
  const next = importSequentially(async () => "loaded");
  await expect(failing).rejects.toThrow("no such file");
  expect(await next).toBe("loaded");
});
