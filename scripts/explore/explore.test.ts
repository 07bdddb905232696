import { expect, test } from "vitest";
import { describeFind, isOutOfTime } from "./describe-find.ts";
import { listPropertyTests } from "./list-property-tests.ts";

test("shows a failure with the command that repeats it", () => {
  const message =
    'Error: Property failed after 3 tests\n{ seed: -12, path: "2:0:1", endOnFailure: true }\nCounterexample: [":"]';
  const found = { file: "src/kernel/text.test.ts", title: "a user's text", message };
  expect(describeFind(found, 7)).toMatchInlineSnapshot(`
    "found: src/kernel/text.test.ts > a user's text
    replay: npm run explore -- --seed=-12 --path=2:0:1 --test='a user'\\''s text' src/kernel/text.test.ts
        Error: Property failed after 3 tests
        { seed: -12, path: "2:0:1", endOnFailure: true }
        Counterexample: [":"]
    "
  `);
});

test("repeats a failure without a generated value with the seed of the run", () => {
  const found = { file: "src/kernel/text.test.ts", title: "", message: "SyntaxError: no such export" };
  expect(describeFind(found, 7)).toMatchInlineSnapshot(`
    "found: src/kernel/text.test.ts
    replay: npm run explore -- --seed=7 src/kernel/text.test.ts
        SyntaxError: no such export
    "
  `);
});

test("a test over its own limit has timed out, whatever name the runner gives the error", () => {
  const said = (message: string): boolean => isOutOfTime({ file: "src/a.test.ts", title: "b", message });
  expect(said("TestTimeoutError: Test timed out in 120000ms.\nIf this is")).toBe(true);
  expect(said("Error: Test timed out in 120000ms.")).toBe(true);
  expect(said("Property failed after 3 tests\nTest timed out in 5ms")).toBe(false);
});

test("shows the first lines of a long message, and counts the rest", () => {
  const message = Array.from({ length: 42 }, (_, index) => `line ${String(index)}`).join("\n");
  const lines = describeFind({ file: "a.test.ts", title: "", message }, 7).split("\n");
  expect(lines.slice(-3)).toEqual(["    line 39", "    … 2 more lines", ""]);
});

test("lists test files that import fast-check, directly or through another file", () => {
  const files = listPropertyTests();
  expect(files).toContain("src/extras/grounding/properties/diff.test.ts");
  expect(files).toContain("src/redact/has-no-secret.test.ts");
  expect(files).not.toContain("scripts/explore/explore.test.ts");
});
