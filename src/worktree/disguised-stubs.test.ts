import { expect, test } from "vitest";
import { findStubs } from "./stub-gate.ts";

/** The rules that a change of one test file, a module of TypeScript with JSX, breaks. */
function rules(before: string, after: string): readonly string[] {
  const found = findStubs([{ path: "a.test.tsx", before: before === "" ? undefined : before, after }]);
  return [...new Set(found.map(({ rule }) => rule))];
}

const BEFORE = `import { expect, test } from "vitest";
import { add } from "./add.ts";
test("adds", async () => {
  const sum = add(1, 2);
  expect(sum).toBe(3);
});
`;
/** The one good test, its call or its body written in another way. */
function called(callee: string): string {
  return BEFORE.replace("test(", `${callee}(`);
}
function bodied(body: string): string {
  return BEFORE.replace("  expect(sum).toBe(3);\n", `  ${body}\n`);
}
function headed(lines: string, callee: string): string {
  return called(callee).replace(`${callee}("adds"`, `${lines}\n${callee}("adds"`);
}

const DISGUISES: readonly (readonly [what: string, after: string, rule: string])[] = [
  // Named where it is called.
  ['test["skip"]', called('test["skip"]'), "skipped"],
  ["a template as key", called("test[`skip`]"), "skipped"],
  ["a key in two parts", called('test["sk" + "ip"]'), "skipped"],
  ["v.test.skip", called("v.test.skip").replace("import { expect, test }", "import * as v"), "skipped"],
  ["globalThis.test.skip", called("globalThis.test.skip"), "skipped"],
  ["const s = test.skip", headed("const s = test.skip;", "s"), "skipped"],
  ["let, assigned later", headed("let s;\ns = test.skip;", "s"), "skipped"],
  ["const { skip } = test", headed("const { skip } = test;", "skip"), "skipped"],
  ["(true ? test.skip : test)", called("(true ? test.skip : test)"), "skipped"],
  ["(0, test.skip)", called("(0, test.skip)"), "skipped"],
  ["an escape in a name", called("test.sk\\u0069p"), "skipped"],
  ["test?.skip", called("test?.skip"), "skipped"],
  ["a cast", called("(test as any).skip"), "skipped"],
  ["bind", called("test.skip.bind(null)"), "skipped"],
  ["call", called("test.skip.call").replace('("adds"', '(null, "adds"'), "skipped"],
  ['{ "skip": true }', BEFORE.replace('"adds", ', '"adds", { "skip": true }, '), "skipped"],
  ['{ ["skip"]: true }', BEFORE.replace('"adds", ', '"adds", { ["skip"]: !0 }, '), "skipped"],
  [
    "options with a name",
    headed("const options = { skip: true };", "test").replace('"adds", ', '"adds", options, '),
    "skipped",
  ],
  // Never reached.
  ["if (false)", BEFORE.replace("test(", "if (false) test("), "skipped"],
  ["if (0) { … }", `${BEFORE.replace("test(", "if (0) {\ntest(")}}\n`, "skipped"],
  ["false &&", BEFORE.replace("test(", "false && test("), "skipped"],
  ["a function nobody calls", `${BEFORE.replace("test(", "function later() {\ntest(")}}\n`, "skipped"],
  ["a table without rows", called("test.each([])"), "skipped"],
  // Asserts nothing.
  ["return before the assertion", bodied("return;\n  expect(sum).toBe(3);"), "no-assertion"],
  ["if (false) before it", bodied("if (false) expect(sum).toBe(3);"), "no-assertion"],
  ["an inner function nobody calls", bodied("const check = () => expect(sum).toBe(3);"), "no-assertion"],
  ["expect(!0).toBe(!0)", bodied("expect(!0).toBe(!0);"), "no-assertion"],
  ["expect(x).toBe(x)", bodied("expect(sum).toBe(sum);"), "no-assertion"],
  ["an alias of itself", bodied("const same = sum;\n  expect(sum).toBe(same);"), "no-assertion"],
  ["try and an empty catch", bodied("try { expect(sum).toBe(3); } catch {}"), "no-assertion"],
  ["a rejection that is dropped", bodied("await expect(add(1, 2)).resolves.toBe(3).catch(() => {});"), "no-assertion"],
  ["a promise nobody waits for", bodied("expect(add(1, 2)).resolves.toBe(3);"), "no-assertion"],
  ["a matcher nobody calls", bodied("expect(sum).toBe;"), "no-assertion"],
];

test.each(DISGUISES)("finds %s", (_what, after, rule) => {
  expect(after).not.toBe(BEFORE);
  expect(rules(BEFORE, after)).toContain(rule);
});

const LEGITIMATE: readonly (readonly [what: string, before: string, after: string])[] = [
  ["a new test", BEFORE, `${BEFORE}test("adds more", () => { expect(add(2, 2)).toBe(4); });\n`],
  ["another expectation", BEFORE, BEFORE.replace("toBe(3)", "toEqual(3)")],
  [
    "a table of cases",
    BEFORE,
    `${BEFORE}test.each([[1, 1, 2]])("%i + %i", (a, b, sum) => { expect(add(a, b)).toBe(sum); });\n`,
  ],
  [
    "a helper",
    BEFORE,
    `${BEFORE.replace("expect(sum).toBe(3)", "isThree(sum)")}function isThree(value: number): void {\n  expect(value).toBe(3);\n}\n`,
  ],
  ["a callback that asserts", BEFORE, bodied("[sum].forEach((each) => { expect(each).toBe(3); });")],
  ["try with finally", BEFORE, bodied("try { expect(sum).toBe(3); } finally { console.log(sum); }")],
  [
    "an error that is asserted on",
    BEFORE,
    `${BEFORE}test("throws", () => {\n  try {\n    add();\n    expect.unreachable();\n  } catch (error) {\n    expect(error).toBeInstanceOf(TypeError);\n  }\n});\n`,
  ],
  [
    "waiting for a rejection",
    BEFORE,
    `${BEFORE}test("rejects", async () => { await expect(add()).rejects.toThrow("no"); });\n`,
  ],
  ["a rejection that is returned", BEFORE, `${BEFORE}test("rejects", () => expect(add()).rejects.toThrow("no"));\n`],
  ["constants in the wrong order", BEFORE, bodied("expect(3).toBe(sum);")],
  ["a matcher of its own on a literal", BEFORE, `${BEFORE}test("matcher", () => { expect("3").toBeThree(); });\n`],
  [
    "a loop around tests",
    BEFORE,
    `${BEFORE}for (const n of [1, 2]) {\n  if (n > 1) test(\`adds \${n}\`, () => { expect(add(n, 0)).toBe(n); });\n}\n`,
  ],
  ["something else called test", BEFORE, `${BEFORE}const it = /3/;\nexport const found = it.test("3");\n`],
  [
    "a regular expression called test",
    BEFORE,
    bodied("const test = /3/;\n  expect(test.test(String(sum))).toBe(true);"),
  ],
  [
    "a member called skip",
    BEFORE,
    bodied("const list = { skip: (n: number) => n };\n  expect(list.skip(sum)).toBe(3);"),
  ],
  [
    "the same getter twice",
    BEFORE,
    `${BEFORE}test("keeps", () => { const box = make(); expect(box.value).toBe(box.value); });\n`,
  ],
  [
    "a throw as assertion",
    BEFORE,
    `${BEFORE}test("is odd", () => { if (add(1, 2) % 2 === 0) throw new Error("even"); });\n`,
  ],
  [
    "node's assert by name",
    "",
    `import { test } from "node:test";\nimport { equal } from "node:assert/strict";\ntest("adds", () => { equal(add(1, 2), 3); });\n`,
  ],
  [
    "node's test by default",
    "",
    `import test from "node:test";\nimport assert from "node:assert";\ntest("adds", async (t) => { await t.test("in", () => { assert.equal(add(1, 2), 3); }); });\n`,
  ],
  [
    "a require",
    "",
    `const { test } = require("node:test");\nconst assert = require("node:assert");\ntest("adds", () => { assert.equal(add(1, 2), 3); });\n`,
  ],
  ["done", "", `test("later", (done) => { setTimeout(() => { expect(add(1, 2)).toBe(3); done(); }, 1); });\n`],
  [
    "a clock that the test moves",
    "",
    `test("later", () => { vi.useFakeTimers(); setTimeout(() => { expect(add(1, 2)).toBe(3); }, 1); vi.advanceTimersByTime(1); });\n`,
  ],
  ["supertest", "", `test("answers", () => request(app).get("/").expect(200));\n`],
  [
    "JSX",
    "",
    `test("shows", () => { render(<p className="x">don't {name}</p>);\n  expect(screen.getByText("y")).toBeVisible(); });\n`,
  ],
  [
    "generics and decorators",
    "",
    `test("types", () => { const id = <T,>(value: T): T => value; @sealed class A { x!: number }; expect(id<A>(new A())).toBeInstanceOf(A); });\n`,
  ],
  [
    "an async helper",
    "",
    `async function isSum(sum: number): Promise<void> { expect(await add(1, 2)).toBe(sum); }\ntest("adds", async () => { await isSum(3); });\n`,
  ],
  [
    "a class with a method that asserts",
    "",
    `class Page { shows(text: string): void { expect(this.text).toContain(text); } }\ntest("shows", () => { new Page().shows("a"); });\n`,
  ],
];

test.each(LEGITIMATE)("lets %s pass", (_what, before, after) => {
  expect(after).not.toBe(before);
  expect(rules(before, after)).toStrictEqual([]);
});
