import { expect, test } from "vitest";
import { mutantsOf } from "./mutants.ts";

/** Lines of one new file as they are altered, by their number. */
function altered(...lines: readonly string[]): readonly string[] {
  const after = lines.join("\n");
  return mutantsOf([{ path: "a.ts", before: "", after }]).map(
    ({ line, text }) => `${line}: ${text.split("\n")[line - 1]?.trim()}`,
  );
}

test.each([
  ["  if (a) return add(1, 2) - 3;", "if (a) return undefined;"],
  ["if (a === b) {", "if (a !== b) {"],
  ["if (a !== b && c) {", "if (a === b && c) {"],
  ["for (; a < b; ) {", "for (; a > b; ) {"],
  ["const a = b >= c;", "const a = b < c;"],
  ["const a = b && c;", "const a = b || c;"],
  ["const a = b || c;", "const a = b && c;"],
  ["export const add = (a, b) => a + b;", "export const add = (a, b) => a - b;"],
  ["const a = b - c;", "const a = b + c;"],
  ["  strict: true,", "strict: false,"],
  ["  strict: false,", "strict: true,"],
])("changes %s", (line, expected) => {
  expect(altered(line)).toStrictEqual([`1: ${expected}`]);
});

test("skips lines without a computation, and long ones", () => {
  expect(
    altered(
      'import { a } from "a + b";',
      "// a + b",
      " * a + b",
      "type A = true;",
      "return undefined;",
      "};",
      "",
      `${"a".repeat(500)} + b`,
    ),
  ).toStrictEqual([]);
});

test("changes only lines that the run changed", () => {
  const before = "const a = b + c;\nconst d = e + f;\n";
  const after = "  const a = b + c;\nconst d = e - f;\n";
  expect(mutantsOf([{ path: "a.ts", before, after }])).toStrictEqual([
    { path: "a.ts", line: 2, source: "const d = e - f;", text: "  const a = b + c;\nconst d = e + f;\n" },
  ]);
});

test("changes at most five lines, spread evenly over the changed ones", () => {
  expect(altered(...Array.from({ length: 12 }, (_each, index) => `a${index} = true;`))).toStrictEqual([
    "1: a0 = false;",
    "4: a3 = false;",
    "6: a5 = false;",
    "9: a8 = false;",
    "11: a10 = false;",
  ]);
  expect(altered("a = true;", "b = true;")).toStrictEqual(["1: a = false;", "2: b = false;"]);
});
