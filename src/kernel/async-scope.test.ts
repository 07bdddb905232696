import { expect, test } from "vitest";
import { asyncScope } from "./async-scope.ts";

const isText = (value: unknown): value is string => typeof value === "string";
const one = asyncScope("test-one", isText);
const two = asyncScope("test-two", isText);

test("a value is set for a function and everything it starts, and nowhere else", async () => {
  const later = one.run("a", async () => {
    await Promise.resolve();
    return one.get();
  });
  expect(one.get()).toBeUndefined();
  expect(await later).toBe("a");
});

test("scopes are independent, and an inner value hides an outer one", () => {
  one.run("a", () => {
    two.run("b", () => {
      expect([one.get(), two.get()]).toStrictEqual(["a", "b"]);
      expect(one.run("c", () => [one.get(), two.get()])).toStrictEqual(["c", "b"]);
    });
    expect([one.get(), two.get()]).toStrictEqual(["a", undefined]);
  });
});

test("two copies of this module share scopes", () => {
  expect(one.run("a", () => asyncScope("test-one", isText).get())).toBe("a");
});
