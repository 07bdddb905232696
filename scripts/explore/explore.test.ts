import { expect, test } from "vitest";
import { describeFind, isOutOfTime } from "./describe-find.ts";
import { listPropertyTests } from "./list-property-tests.ts";

test("a find is shown with the command that shows it again", () => {
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

test("what fails without a drawn value is run again with the seed of the run", () => {
  const found = { file: "src/kernel/text.test.ts", title: "", message: "SyntaxError: no such export" };
  expect(describeFind(found, 7)).toMatchInlineSnapshot(`
    "found: src/kernel/text.test.ts
    replay: npm run explore -- --seed=7 src/kernel/text.test.ts
        SyntaxError: no such export
    "
  `);
});

test("a test that went over its own limit is out of time, however the runner names the error", () => {
  const said = (message: string): boolean => isOutOfTime({ file: "src/a.test.ts", title: "b", message });
  expect(said("TestTimeoutError: Test timed out in 120000ms.\nIf this is")).toBe(true);
  expect(said("Error: Test timed out in 120000ms.")).toBe(true);
  expect(said("Property failed after 3 tests\nTest timed out in 5ms")).toBe(false);
});

test("of a long message the first lines are shown, and how many are left out", () => {
  const message = Array.from({ length: 42 }, (_, index) => `line ${String(index)}`).join("\n");
  const lines = describeFind({ file: "a.test.ts", title: "", message }, 7).split("\n");
  expect(lines.slice(-3)).toEqual(["    line 39", "    … 2 more lines", ""]);
});

test("property tests are those that reach fast-check, directly or through a file of ours", () => {
  const files = listPropertyTests();
  expect(files).toContain("src/extras/grounding/properties/diff.test.ts");
  expect(files).toContain("src/redact/has-no-secret.test.ts");
  expect(files).not.toContain("scripts/explore/explore.test.ts");
});
