import { expect, test } from "vitest";
import { isTestFile, testsIn } from "./check-diff.ts";
import { changedTests } from "./changed-tests.ts";

const BEFORE = `import { expect, test } from "vitest";
import { add } from "../src/add.js";

describe("add", () => {
  test("adds", () => {
    const sum = add(2, 3);
    expect(sum).toBe(5);
    expect(add(-2, 3)).toBe(1);
  });
  it.each([[1, 2]])("adds %i", (a, b) => {
    expect(add(a, b)).toBe(3);
  });
});
`;

const LIMITS = { maxFiles: 9, maxLines: 99, protect: [], allow: [], approvedTests: [] };

interface Options {
  readonly approved?: readonly string[];
  readonly more?: readonly (readonly [before: string, after: string])[];
}

function objections(after: string, { approved = [], more = [] }: Options = {}): readonly string[] {
  const limits = { maxFiles: 9, maxLines: 99, protect: [], allow: [], approvedTests: approved };
  const tests = [[BEFORE, after] as const, ...more].map(([before, now], index) => ({
    path: `test/${index}.test.ts`,
    before,
    after: now,
  }));
  return changedTests(tests, limits).map(({ line, detail }) => `${line}: ${detail}`);
}

test.each([
  [
    "an import of a module without its names",
    BEFORE.replace(/\n/, '\nimport "./loose.ts";\n'),
    '2: a new line might end or weaken a test: import "./loose.ts";',
  ],
  [
    "another environment by a comment",
    `// @vitest-environment ./page.ts\n${BEFORE}`,
    "1: a new line might end or weaken a test: // @vitest-environment ./page.ts",
  ],
  ["an assertion that is gone", BEFORE.replace(/ *expect\(sum\).*\n/, ""), "7: adds lost: expect(sum).toBe(5);"],
  ["an assertion of a constant", BEFORE.replace("(sum).", "(5)."), "7: adds lost: expect(sum).toBe(5);"],
  [
    "a tolerance",
    BEFORE.replace("(add(-2, 3)).toBe(1)", "(add(-2, 3)).toBeCloseTo(1, -9)"),
    "8: adds lost: expect(add(-2, 3)).toBe(1);",
  ],
  [
    "a promise that isn't awaited",
    BEFORE.replace("expect(sum)", "void expect(Promise.resolve(sum)).resolves"),
    "7: adds lost: expect(sum).toBe(5);",
  ],
  [
    "an assertion in try",
    BEFORE.replace("expect(sum).toBe(5);", "try { expect(sum).toBe(5); } catch {}"),
    "7: adds lost",
  ],
  ["fewer rows of a table", BEFORE.replace("[[1, 2]]", "[]"), '10: adds %i lost: it.each([[1, 2]])("adds %i"'],
  ["another test in its place", BEFORE.replace('"adds"', '"is there"'), '5: adds lost: test("adds", () => {'],
  [
    "a copy of the code",
    BEFORE.replace("../src/add.js", "./copy.js"),
    '2: a test lost: import { add } from "../src/add.js";',
  ],
  [
    "an early end",
    BEFORE.replace("    expect(sum)", "    if (process.env.CI) return;\n    expect(sum)"),
    "7: a new line might end",
  ],
  [
    "a mock",
    BEFORE.replace("\ndescribe", '\nvi.mock("../src/add.js");\ndescribe'),
    '4: a new line might end or weaken a test: vi.mock("../src/add.js");',
  ],
  [
    "a replaced assertion of Chai",
    BEFORE.replace("\ndescribe", '\nchai.util.overwriteMethod(chai.Assertion.prototype, "toBe", none);\ndescribe'),
    "4: a new line might end or weaken a test: chai.util",
  ],
])("%s in an older test needs an approval", (_what, after, detail) => {
  const [first = "", ...rest] = objections(after);
  expect(first).toContain(detail);
  expect(rest).toStrictEqual([]);
});

test.each([
  ["a shadowed assertion", "const expect = () => ({ toBe() {} });"],
  ["a shadowed import", "function add() { return 5; }"],
  ["a comment", "/*"],
  ["a text", "const text = `"],
  ["a loop that never runs", "while (sum > 9)"],
  ["a loop with a block", "for (const each of []) {"],
  ["a function that isn't called", "const later = () =>"],
  ["a condition", "sum > 9 &&"],
])("%s before a line of an older test needs an approval", (_what, line) => {
  expect(objections(BEFORE.replace("    expect(sum)", () => `    ${line}\n    expect(sum)`))).toStrictEqual([
    `7: a new line might end or weaken a test: ${line}`,
  ]);
});

test.each([
  [
    "a new test",
    BEFORE.replace(
      "\n});\n",
      '\n  test("adds 0", () => {\n    if (add(0, 0) !== 0) throw new Error("no");\n  });\n});\n',
    ),
  ],
  ["an assertion more", BEFORE.replace("    expect(sum)", "    expect(sum).not.toBe(4);\n    expect(sum)")],
  [
    "a new test with a loop and lines of another",
    BEFORE.replace(
      "\n});\n",
      '\n  test("adds many", () => {\n    for (const each of [3])\n      expect(sum).toBe(5);\n  });\n});\n',
    ),
  ],
  [
    "a group around tests",
    BEFORE.replace('  test("adds"', '  describe("two", () => {\n  test("adds"').replace(
      "  it.each",
      "  });\n  it.each",
    ),
  ],
  ["a comment above a line", BEFORE.replace("    expect(sum)", "    /**\n     * Five.\n     */\n    expect(sum)")],
  ["another name of the same import", BEFORE.replace("{ add }", "{ add, subtract }")],
  ["other white space and a comment", BEFORE.replaceAll("    ", "  ").replace("describe", "// All of it.\ndescribe")],
  ["another order", BEFORE.replace(/( *expect\(sum\).*\n)(.*\n)/, "$2$1")],
])("%s needs none", (_what, after) => {
  expect(objections(after)).toStrictEqual([]);
});

test("a test that a person approved by its name, or that moved to another file, needs none", () => {
  const changed = BEFORE.replace("toBe(5)", "toBe(6)");
  expect(objections(changed, { approved: ["add > adds"] })).toStrictEqual([]);
  expect(objections(changed, { approved: ["adds more"] })).toHaveLength(1);
  expect(objections("", { more: [["", BEFORE]] })).toStrictEqual([]);
});

test("a test that moved to another folder imports the same module by another path, not another module", () => {
  expect(objections("", { more: [["", BEFORE.replace("../src/add.js", "../../src/add.js")]] })).toEqual([]);
  expect(objections("", { more: [["", BEFORE.replace("../src/add.js", "./copy.js")]] })).toEqual([
    '2: a test lost: import { add } from "../src/add.js";',
  ]);
});

test("tests of a removed file need an approval, or the one of their removal unless they are replaced", () => {
  const removal = { ...LIMITS, allow: ["test-file-removed"] } as const;
  const removed = { path: "test/0.test.ts", before: BEFORE, after: "" };
  expect(changedTests([removed], removal)).toStrictEqual([]);
  const weaker = 'test("adds", () => expect(add(2, 3)).toBeDefined());\n';
  for (const limits of [LIMITS, removal])
    expect(changedTests([removed, { path: "test/1.test.ts", before: "", after: weaker }], limits)).toContainEqual({
      rule: "test-changed",
      path: "test/0.test.ts",
      line: 5,
      detail: 'adds lost: test("adds", () => {',
    });
  const computed = 'for (const title of ["adds"]) test(title, () => expect(add(2, 3)).toBeDefined());\n';
  expect(objections("", { more: [["", computed]] })).toHaveLength(3);
  expect(objections("", { more: [["", BEFORE.replace("(sum).", "(5).")]] })).toStrictEqual([
    "7: adds lost: expect(sum).toBe(5);",
  ]);
});

test.each([
  "Cart.prototype.total = () => 30;",
  "afterEach(({ task }) => Object.assign(task.result, { state: 'pass' }));",
])("finds a new line that changes what is tested, or the results: %s", (line) => {
  const setup = 'import { afterEach } from "vitest";\n';
  const limits = { maxFiles: 9, maxLines: 99, protect: [], allow: [], approvedTests: [] };
  const tests = [{ path: "tests/setup.js", before: setup, after: `${setup}${line}\n` }];
  expect(changedTests(tests, limits)).toStrictEqual([
    {
      rule: "test-changed",
      path: "tests/setup.js",
      line: 2,
      detail: `a new line might end or weaken a test: ${line}`,
    },
  ]);
});

test.each([
  ["test_add.py", "def test_adds():\n    assert add(1, 2) == 3\n", "2: test_adds lost: assert add(1, 2) == 3"],
  ["add_test.go", "func TestAdds(t *testing.T) {\n  if Add(1, 2) != 3 { t.Fatal() }\n}\n", "2: TestAdds lost: if Add"],
  ["tests/add.rs", "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n", "3: adds lost: assert_eq!"],
])("a test of %s that loses its assertion is reported under its name, unless a person approved it", (path, before, words) => {
  expect(isTestFile(path)).toBe(true);
  const after = before.replace(/.*(?:assert|Fatal).*/, "    return");
  const limits = { maxFiles: 9, maxLines: 99, protect: [], allow: [], approvedTests: [] };
  const [first] = changedTests([{ path, before, after }], limits);
  expect(`${first?.line}: ${first?.detail}`).toContain(words);
  const approved = { ...limits, approvedTests: ["test_adds", "TestAdds", "adds"] };
  expect(changedTests([{ path, before, after }], approved).filter(({ detail }) => detail.includes("lost"))).toEqual([]);
});

function found(changes: Parameters<typeof changedTests>[0], uncounted: readonly string[] = []): readonly string[] {
  return changedTests(changes, LIMITS, new Set(uncounted)).map(
    ({ path, line, detail }) => `${path}:${line}: ${detail}`,
  );
}

const PYTHON = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n";
const GO = 'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tt.Fatal("no")\n}\n';

test.each([
  ["test_calc.py", PYTHON, ["1: a test lost: from calc import add", "4: test_add lost: def test_add():"]],
  ["calc_test.go", GO, ["1: a test lost: package calc", "5: TestAdd lost: func TestAdd(t *testing.T) {"]],
])("a removed %s loses its tests, because no check can count them, unless another file has them", (path, before, lost) => {
  const removed = { path, before, after: "" };
  expect(found([removed])).toEqual(lost.map((line) => `${path}:${line}`));
  const [header = ""] = before.split("\n\n", 1);
  for (const there of ["", `${header}\n`])
    expect(found([removed, { path: "tests/all.py", before: there, after: before }])).toEqual([]);
});

test("a removed JavaScript file loses its tests if no check counted them", () => {
  const removed = { path: "e2e/shop.spec.ts", before: BEFORE, after: "" };
  expect(changedTests([removed], { ...LIMITS, allow: ["test-file-removed"] })).toEqual([]);
  expect(found([removed], [removed.path])).toEqual([
    'e2e/shop.spec.ts:1: a test lost: import { expect, test } from "vitest";',
    'e2e/shop.spec.ts:5: adds lost: test("adds", () => {',
    'e2e/shop.spec.ts:10: adds %i lost: it.each([[1, 2]])("adds %i", (a, b) => {',
  ]);
});

test.each([
  ["test_calc.py", "from calc import add", "from calc import add, sub"],
  ["tests/calc.rs", "use calc::add;", "use calc::{add, sub};"],
  ["tests/calc.rs", "use calc::{sub, add};", "use calc::{add, mul, sub};"],
  ["calc_test.go", 'import "testing"', 'import (\n\t"fmt"\n\t"testing"\n)'],
])("%s may import more by a line: %s", (path, before, after) => {
  expect(found([{ path, before: `${before}\n`, after: `${after}\n` }])).toEqual([]);
});

test.each([
  ["test_calc.py", "from calc import add", "from fake import add"],
  ["test_calc.py", "from calc import add", "from calc import add, zero as add"],
  ["tests/calc.rs", "use calc::add;", "use calc::{zero as add, add as other};"],
  ["tests/calc.rs", "use calc::add;", "use fake::add;"],
])("%s may not import other code by a line: %s", (path, before, after) => {
  expect(found([{ path, before: `${before}\n`, after: `${after}\n` }])).toEqual([`${path}:1: a test lost: ${before}`]);
});

const RUST = `pub fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}

pub fn sub(a: i64, b: i64) -> i64 {
    a - b
}
`;

test("the tests in a file of Rust code are its test modules, in their lines", () => {
  const tests = testsIn("src/lib.rs", RUST);
  expect(tests.split("\n").filter((line) => line !== "")).toEqual(RUST.split("\n").slice(4, 13).filter(Boolean));
  expect(tests.split("\n")).toHaveLength(RUST.split("\n").length);
  expect(testsIn("src/lib.rs", "pub fn add() {}\n")).toBe("");
  expect(testsIn("tests/lib.rs", RUST)).toBe(RUST);
});

test("a test module of Rust code that loses a line, or is removed, is a changed test; other lines aren't", () => {
  const changed = (after: string): readonly string[] =>
    found([{ path: "src/lib.rs", before: testsIn("src/lib.rs", RUST), after: testsIn("src/lib.rs", after) }]);
  expect(changed(RUST.replace("a + b", "b + a").replace("a - b", "-b + a"))).toEqual([]);
  expect(changed(RUST.replace("2), 3", "2), 4"))).toEqual(["src/lib.rs:11: adds lost: assert_eq!(add(1, 2), 3);"]);
  expect(changed(RUST.slice(0, RUST.indexOf("#[cfg")))).toEqual([
    "src/lib.rs:5: a test lost: #[cfg(test)]",
    "src/lib.rs:10: adds lost: fn adds() {",
  ]);
});
