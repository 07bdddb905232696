import { expect, test } from "vitest";
import { type Result, err, flatMap, isErr, isOk, map, mapErr, ok, unwrap } from "./result.ts";

const half = (value: number): Result<number, string> => (value % 2 === 0 ? ok(value / 2) : err(`${value} is odd`));
const three = half(6);
const broken = half(5);

test("a success has only its value, and a failure only its error", () => {
  expect(ok(3)).toStrictEqual({ ok: true, value: 3 });
  expect(err("broken")).toStrictEqual({ ok: false, error: "broken" });
  expect([isOk(three), isErr(three), isOk(broken), isErr(broken)]).toStrictEqual([true, false, false, true]);
});

test("map changes the value of a success, and returns a failure by reference", () => {
  expect(map(three, (value) => value + 1)).toStrictEqual(ok(4));
  expect(map(broken, (value) => value + 1)).toBe(broken);
});

test("mapErr changes the error of a failure, and returns a success by reference", () => {
  expect(mapErr(broken, (error) => error.length)).toStrictEqual(err(8));
  expect(mapErr(three, (error) => error.length)).toBe(three);
});

test("flatMap continues with the next result, and returns a failure by reference", () => {
  const next = half(4);
  expect(flatMap(ok(8), () => next)).toBe(next);
  expect(flatMap(three, half)).toStrictEqual(err("3 is odd"));
  expect(flatMap(broken, half)).toBe(broken);
});

test("unwrap returns the value or throws the error itself", () => {
  const error = { code: "no_answer" };
  expect(unwrap(three)).toBe(3);
  expect(thrownBy(() => unwrap(err(error)))).toBe(error);
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}
