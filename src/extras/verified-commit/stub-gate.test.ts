import { expect, test } from "vitest";
import { type TestFileChange, findStubs } from "./stub-gate.ts";

/** Findings in short: `rule path:line detail`. */
function findings(changes: readonly TestFileChange[]): readonly string[] {
  return findStubs(changes).map(({ rule, path, line, detail }) => `${rule} ${path}:${line ?? "-"} ${detail}`);
}

function added(after: string): readonly string[] {
  return findings([{ path: "a.test.ts", before: undefined, after }]);
}

function edited(before: string, after: string): readonly string[] {
  return findings([{ path: "a.test.ts", before, after }]);
}

const GOOD = `import { expect, test } from "vitest";
test("adds", () => {
  const sum = add(1, 2);
  expect(sum).toBe(3);
  expect(sum).not.toBe(4);
});
`;

test.each<[string, string, string]>([
  // Vitest and Jest
  ["test.skip", `test.skip("a", () => { expect(f()).toBe(1) })`, `skipped a.test.ts:1 "a" is skipped`],
  ["it.skip", `\nit.skip('a', () => { expect(f()).toBe(1) })`, `skipped a.test.ts:2 'a' is skipped`],
  [
    "describe.skip",
    `describe.skip("g", () => { it("a", () => { expect(f()).toBe(1) }) })`,
    `skipped a.test.ts:1 "g" is skipped`,
  ],
  ["suite.skip", `suite.skip("g", () => {})`, `skipped a.test.ts:1 "g" is skipped`],
  [
    "test.only",
    `test.only("a", async () => { await expect(f()).resolves.toBe(1) })`,
    `focused a.test.ts:1 "a" runs alone, so the others of its file do not`,
  ],
  [
    "describe.only",
    `describe.only("g", () => {})`,
    `focused a.test.ts:1 "g" runs alone, so the others of its file do not`,
  ],
  ["test.todo", `test.todo("a")`, `todo a.test.ts:1 "a" is still to be written`],
  ["a test without a function", `test("a")`, `todo a.test.ts:1 "a" is still to be written`],
  [
    "test.fails",
    `test.fails("a", () => { expect(f()).toBe(1) })`,
    `expected-to-fail a.test.ts:1 "a" is expected to fail`,
  ],
  [
    "test.failing",
    `it.failing("a", () => { expect(f()).toBe(1) })`,
    `expected-to-fail a.test.ts:1 "a" is expected to fail`,
  ],
  [
    "test.concurrent.skip",
    `test.concurrent.skip("a", () => { expect(f()).toBe(1) })`,
    `skipped a.test.ts:1 "a" is skipped`,
  ],
  [
    "test.skip.each",
    `test.skip.each([[1], [2]])("a %i", (n) => { expect(f(n)).toBe(1) })`,
    `skipped a.test.ts:1 "a %i" is skipped`,
  ],
  [
    "test.each with a template",
    'test.only.each`n | m\n${1} | ${`x`}`("a $n", ({ n }) => { expect(f(n)).toBe(1) })',
    `focused a.test.ts:1 "a $n" runs alone, so the others of its file do not`,
  ],
  [
    "test.skipIf",
    `test.skipIf(process.env.CI)("a", () => { expect(f()).toBe(1) })`,
    `conditional a.test.ts:1 "a" runs only under a condition`,
  ],
  ["describe.runIf", `describe.runIf(false)("g", () => {})`, `conditional a.test.ts:1 "g" runs only under a condition`],
  ["xit", `xit("a", () => { expect(f()).toBe(1) })`, `skipped a.test.ts:1 "a" is skipped`],
  ["xdescribe", `xdescribe("g", () => {})`, `skipped a.test.ts:1 "g" is skipped`],
  [
    "fit",
    `fit("a", () => { expect(f()).toBe(1) })`,
    `focused a.test.ts:1 "a" runs alone, so the others of its file do not`,
  ],
  [
    "a name given by import",
    `import { test as check } from "vitest"; check.skip("a", () => { expect(f()).toBe(1) })`,
    `skipped a.test.ts:1 "a" is skipped`,
  ],
  [
    "a name given by extend",
    `const withDb = test.extend({ db });\nwithDb.only("a", ({ db }) => { expect(f(db)).toBe(1) })`,
    `focused a.test.ts:2 "a" runs alone, so the others of its file do not`,
  ],
  [
    "the option skip",
    `test("a", { skip: true, timeout: 10 }, () => { expect(f()).toBe(1) })`,
    `skipped a.test.ts:1 "a" is skipped`,
  ],
  [
    "skip() of the context",
    `test("a", (context) => { context.skip(); expect(f()).toBe(1) })`,
    `skipped a.test.ts:1 "a" is skipped`,
  ],
  [
    "skip() taken from the context",
    `test("a", ({ skip }) => { skip("later"); expect(f()).toBe(1) })`,
    `skipped a.test.ts:1 "a" is skipped`,
  ],
  // node:test
  [
    "node: the option todo",
    `test("a", { todo: "later" }, () => { assert.equal(f(), 1) })`,
    `todo a.test.ts:1 "a" is still to be written`,
  ],
  ["node: t.skip()", `test("a", (t) => { t.skip("why"); assert.equal(f(), 1) })`, `skipped a.test.ts:1 "a" is skipped`],
  [
    "node: t.todo()",
    `it("a", async (t) => { t.todo(); t.assert.equal(f(), 1) })`,
    `todo a.test.ts:1 "a" is still to be written`,
  ],
  // empty
  ["an empty body", `test("a", () => {})`, `empty-test a.test.ts:1 "a" does nothing`],
  [
    "a body of comments",
    `test("a", async () => {\n  // expect(f()).toBe(1)\n  /* later */\n})`,
    `empty-test a.test.ts:1 "a" does nothing`,
  ],
  [
    "an early return",
    `test("a", () => {\n  return;\n  expect(f()).toBe(1);\n})`,
    `empty-test a.test.ts:1 "a" does nothing`,
  ],
  ["an empty function", `it("a", function () { })`, `empty-test a.test.ts:1 "a" does nothing`],
  ["an empty expression", `test("a", () => undefined)`, `empty-test a.test.ts:1 "a" does nothing`],
  ["an empty typed body", `test("a", async (): Promise<void> => {})`, `empty-test a.test.ts:1 "a" does nothing`],
  // no assertion
  ["a call alone", `test("a", () => { f(); })`, `no-assertion a.test.ts:1 "a" asserts nothing that could fail`],
  [
    "an assertion in a string",
    `test("a", () => { f("expect(1).toBe(2)"); })`,
    `no-assertion a.test.ts:1 "a" asserts nothing that could fail`,
  ],
  [
    "expect(true).toBe(true)",
    `test("a", () => { f(); expect(true).toBe(true); })`,
    `no-assertion a.test.ts:1 "a" asserts nothing that could fail`,
  ],
  [
    "expect of a text",
    `test("a", () => { expect("x").toBeDefined(); })`,
    `no-assertion a.test.ts:1 "a" asserts nothing that could fail`,
  ],
  [
    "a name compared with itself",
    `test("a", () => { const x = f(); expect(x).toEqual(x); })`,
    `no-assertion a.test.ts:1 "a" asserts nothing that could fail`,
  ],
  [
    "expect without a matcher",
    `test("a", () => { expect(f()); })`,
    `no-assertion a.test.ts:1 "a" asserts nothing that could fail`,
  ],
  [
    "expect.assertions alone",
    `test("a", () => { expect.assertions(0); f() })`,
    `no-assertion a.test.ts:1 "a" asserts nothing that could fail`,
  ],
  [
    "assert(true)",
    `test("a", () => { assert(true); assert.ok(1); assert.equal(1, 1) })`,
    `no-assertion a.test.ts:1 "a" asserts nothing that could fail`,
  ],
  [
    "a pattern's test()",
    `test("a", () => { const ok = /x/.test(f()); })`,
    `no-assertion a.test.ts:1 "a" asserts nothing that could fail`,
  ],
])("finds %s", (_what, source, finding) => {
  expect(added(source)).toStrictEqual([finding]);
});

test.each<[string, string]>([
  ["expect", GOOD],
  ["an expression as body", `test("a", () => expect(f()).toBe(1))`],
  ["an expression on several lines", `test("a", () =>\n  expect(\n    f(),\n  )\n    .toBe(1))`],
  [
    "expect.soft and expect.poll",
    `test("a", async () => { expect.soft(f()).toBe(1) })\ntest("b", async () => { await expect.poll(() => f()).toBe(1) })`,
  ],
  ["expect of the context", `test("a", ({ expect: e }) => { e(1) })\n`.replace("e(1)", "expect(f()).toBe(1)")],
  [
    "node's assert",
    `test("a", () => { assert.deepStrictEqual(f(), { a: 1 }) })\ntest("b", () => { assert(f()) })\ntest("c", (t) => { t.assert.equal(f(), 1) })`,
  ],
  ["subtests of node", `test("a", async (t) => { await t.test("b", () => { assert.ok(f()) }) })`],
  ["chai's should", `it("a", () => { f().should.equal(1) })`],
  ["a property", `test("a", () => { fc.assert(fc.property(fc.integer(), (n) => n === n)) })`],
  ["a helper that asserts by its name", `test("a", () => { expectValid(f()) })\ntest("b", () => { checkAll() })`],
  [
    "a helper of the file",
    `function same(a, b) { expect(a).toBe(b) }\nconst twice = async (x) => { same(x, x) };\ntest("a", () => { same(f(), 1) })\ntest("b", () => twice(f()))`,
  ],
  ["a case table", `test.each([[1, 2]])("a", (n, m) => { expect(f(n)).toBe(m) })`],
  ["a function of another file", `test("a", runCase)`],
  ["skip: false", `test("a", { skip: false }, () => { expect(f()).toBe(1) })`],
  [
    "hooks and groups",
    `beforeEach(() => {})\ntest.beforeEach(async () => {})\ndescribe("g", () => { afterAll(() => {}) })`,
  ],
  [
    "words in strings and comments",
    `// test.only("x")\nconst s = "it.skip('y', () => {})"; const r = /test.todo("z")/;`,
  ],
  ["members called test", `schema.test("x"); const o = { test() {} }; o.describe("y");`],
  [
    "types before the call",
    `test<Context>("a", ({ db }) => { expect(f(db)).toBe(1) })\ntest.each<[string, number]>([["x", 1]])("b %s", (s, n) => { expect(f(s)).toBe(n) })`,
  ],
  [
    "JSX",
    `test("a", () => { render(<p className="x">don't {name}</p>);\n expect(screen.getByText("y")).toBeVisible() })`,
  ],
])("lets %s pass", (_what, source) => {
  expect(added(source)).toStrictEqual([]);
});

test("a test that was skipped, empty or without assertions before is not new", () => {
  const before = `test.skip("a", () => { expect(f()).toBe(1) })\ntest("b", () => {})\ntest("c", () => { f() })\n`;
  expect(edited(before, `${before}// more\n`)).toStrictEqual([]);
  expect(edited(before, before.replace('test("c"', 'test.only("c"'))).toStrictEqual([
    `focused a.test.ts:3 "c" runs alone, so the others of its file do not`,
  ]);
});

test("an assertion that is gone is named with its line before", () => {
  expect(edited(GOOD, GOOD.replace("  expect(sum).not.toBe(4);\n", ""))).toStrictEqual([
    "assertion-removed a.test.ts:5 expect(sum).not.toBe(4) is gone",
  ]);
});

test("an assertion that became a comment is gone", () => {
  expect(edited(GOOD, GOOD.replace("  expect(sum).not", "  // expect(sum).not"))).toStrictEqual([
    "assertion-removed a.test.ts:5 expect(sum).not.toBe(4) is gone",
  ]);
});

test("an assertion replaced by one that cannot fail is gone", () => {
  expect(edited(GOOD, GOOD.replace("expect(sum).not.toBe(4)", "expect(true).toBe(true)"))).toStrictEqual([
    "assertion-removed a.test.ts:5 expect(sum).not.toBe(4) is gone",
  ]);
});

test("an assertion of one test is not replaced by a new one of another", () => {
  const after = `${GOOD.replace("  expect(sum).not.toBe(4);\n", "")}test("other", () => { expect(g()).toBe(1) })\n`;
  expect(edited(GOOD, after)).toStrictEqual(["assertion-removed a.test.ts:5 expect(sum).not.toBe(4) is gone"]);
});

test("a test that is gone takes its assertions with it", () => {
  const two = `${GOOD}test("subtracts", () => {\n  expect(sub(2, 1)).toBe(1);\n});\n`;
  expect(edited(two, GOOD)).toStrictEqual(["assertion-removed a.test.ts:8 expect(sub(2,1)).toBe(1) is gone"]);
});

test.each<[string, string, string]>([
  [
    "comments",
    GOOD,
    GOOD.replace("test(", "// a word\ntest(").replace("expect(sum).toBe(3);", "expect(sum).toBe(3); // three"),
  ],
  ["layout", GOOD, GOOD.replace("expect(sum).toBe(3);", "expect(\n    sum,\n  )\n    .toBe(3);")],
  ["an expectation", GOOD, GOOD.replace("toBe(3)", "toBe(4)")],
  ["a title", GOOD, GOOD.replace('"adds"', '"adds two numbers"')],
  ["a title and an expectation", GOOD, GOOD.replace('"adds"', '"adds two numbers"').replace("toBe(3)", "toBe(4)")],
  [
    "the order",
    GOOD,
    GOOD.replace(
      "  expect(sum).toBe(3);\n  expect(sum).not.toBe(4);\n",
      "  expect(sum).not.toBe(4);\n  expect(sum).toBe(3);\n",
    ),
  ],
  [
    "the test an assertion stands in",
    GOOD,
    `${GOOD.replace("  expect(sum).not.toBe(4);\n", "")}test("more", () => { const sum = add(1, 2); expect(sum).not.toBe(4) })\n`,
  ],
])("a change of %s removes no assertion", (_what, before, after) => {
  expect(edited(before, after)).toStrictEqual([]);
});

test("an assertion that moved to another file is not gone, nor is the file it left", () => {
  expect(
    findings([
      { path: "a.test.ts", before: GOOD, after: undefined },
      { path: "b.test.ts", before: undefined, after: GOOD.replace('"adds"', '"adds elsewhere"') },
    ]),
  ).toStrictEqual([]);
});

test("a test file that is gone is one finding", () => {
  expect(edited(GOOD, "")).toStrictEqual([
    "assertion-removed a.test.ts:4 expect(sum).toBe(3) is gone",
    "assertion-removed a.test.ts:5 expect(sum).not.toBe(4) is gone",
  ]);
  expect(findings([{ path: "a.test.ts", before: GOOD, after: undefined }])).toStrictEqual([
    "test-file-removed a.test.ts:- 2 assertions went with it",
  ]);
});

test("a skipped test that moved is not newly skipped", () => {
  const skipped = `it.skip("a", () => { expect(f()).toBe(1) })`;
  expect(
    findings([
      { path: "a.test.ts", before: skipped, after: undefined },
      { path: "b.test.ts", before: undefined, after: skipped },
    ]),
  ).toStrictEqual([]);
});
