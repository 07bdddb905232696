import { expect, test } from "vitest";
import { fail, isStepFailure } from "./fail.ts";

test("makes a tagged failure from a code and a message", () => {
  expect(fail("no_answer", "The model answered nothing.")).toStrictEqual({
    _tag: "StepFailure",
    code: "no_answer",
    message: "The model answered nothing.",
  });
});

test("keeps retryable and cause if they are given", () => {
  const cause = new Error("socket closed");
  const failure = { _tag: "StepFailure", code: "offline", message: "No network.", retryable: true, cause };
  expect(fail("offline", "No network.", { retryable: true, cause })).toStrictEqual(failure);
  expect(fail({ code: "offline", message: "No network.", retryable: true, cause })).toStrictEqual(failure);
});

test("turns an error object of another step into a failure without its other fields", () => {
  const error = { code: "offline", message: "No network.", retryable: false, trace: "x" };
  expect(fail(error)).toStrictEqual({ _tag: "StepFailure", code: "offline", message: "No network.", retryable: false });
});

test("omits missing details", () => {
  expect(Object.keys(fail("a", "b", { retryable: undefined, cause: undefined }))).toStrictEqual([
    "_tag",
    "code",
    "message",
  ]);
  expect(Object.keys(fail({ code: "a", message: "b" }))).toStrictEqual(["_tag", "code", "message"]);
});

test("recognizes a failure by its tag, even after JSON and from another copy of veritest", () => {
  const failure = fail("a", "b");
  expect(isStepFailure(failure)).toBe(true);
  expect(isStepFailure(JSON.parse(JSON.stringify(failure)))).toBe(true);
});

test.each([
  [{ code: "a", message: "b" }],
  [{ _tag: "Other", code: "a", message: "b" }],
  [{ _tag: "StepFailure", code: 1, message: "b" }],
  [{ _tag: "StepFailure", code: "a" }],
  [{ output: {} }],
  ["StepFailure"],
  [null],
  [undefined],
])("%j isn't a failure", (value) => {
  expect(isStepFailure(value)).toBe(false);
});
