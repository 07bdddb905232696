import { expect, test } from "vitest";
import { weakeningLines } from "./weakening-lines.ts";

const BEFORE = `import { Queue } from "../src/queue.js";

const shared = { limit: 2 };
const results = [];

beforeEach(() => {
  results.length = 0;
});

test("limits", async () => {
  const queue = new Queue(2);
  let max = 0;
  const seen = [];
  await queue.run(() => max++);
  expect(max).toBe(2);
  expect(seen).toEqual([1]);
});
`;
const ASSERTION = "  expect(max)";

function writes(after: string, before = BEFORE): readonly string[] {
  return weakeningLines([{ path: "test/queue.test.ts", before, after }]).map(({ line, text }) => `${line}: ${text}`);
}

test.each([
  "max = 2;",
  "[max] = [2];",
  "({ max } = { max: 2 });",
  "({ a: [max = 1] } = { a: [2] });",
  "for (max of [2]);",
  "max++;",
  "max ||= 2;",
  "queue.add = limited(2);",
  "queue['add'] = limited(2);",
  "const { prototype } = Queue; prototype.add = limited(2);",
  "const copy = queue; copy.add = limited(2);",
  "const box = { queue }; box.queue.add = limited(2);",
  "[queue].forEach((each) => { each.add = limited(2); });",
  "delete queue.add;",
  "Object.assign(queue, { add: limited(2) });",
  "Object.defineProperty(Queue.prototype, 'add', { value: limited(2) });",
  "Reflect.set(queue, 'add', limited(2));",
  "vi.spyOn(queue, 'size').mockReturnValue(2);",
  "queue.add.mockReturnValue(2);",
  "context.mock.method(queue, 'add', limited(2));",
  "vi.stubGlobal('expect', fake);",
  "seen.push(1);",
  "globalThis.fetch = fake;",
  "const shared = { limit: 3 };",
  "if (true) { max = 2; }",
  "(() => { max = 2; })();",
  "{ let max = 1; } max = 2;",
  "/* max */ max = 2;",
  "return;",
])("a new line in an older test needs an approval: %s", (line) => {
  expect(writes(BEFORE.replace(ASSERTION, () => `  ${line}\n${ASSERTION}`))).toStrictEqual([`15: ${line}`]);
});

test.each([
  ["a label that a line leaves", "size: {\n  break size;", "}", ["15: size: {"]],
  ["a loop", "for (const each of []) {\n  use(each);", "}", ["15: for (const each of []) {"]],
  ["an end before other new lines", "return;\n  use(queue);", "use(max);", ["15: return;"]],
  ["a function", "const later = () => {\n  use(queue);", "};", ["15: const later = () => {"]],
  ["a condition", "if (queue.isSlow) {\n  use(queue);", "}", ["15: if (queue.isSlow) {"]],
])("%s around a line of an older test needs an approval", (_what, first, last, found) => {
  const around = (line: string): string => `  ${first}\n${line}  ${last}\n`;
  expect(writes(BEFORE.replace("  expect(max).toBe(2);\n", around))).toStrictEqual(found);
});

const STATEMENTS = BEFORE.replace(
  "  expect(max).toBe(2);\n",
  `  expect(max)
    .toBe(2);
  expect(queue.state).toEqual({
    size: 2,
  });
  const items = [
    { size: 1 },
  ];
  expect(\`
a\`).toBe(2);
`,
);

test.each([
  ["    .toBe(2);", ".not"],
  ["    .toBe(2);", ".resolves"],
  ["    .toBe(2);", ".toBe(3); expect(2)"],
  ["  });", "...queue.state,"],
  ["  });", "size: expect.anything(),"],
  ["  ];", "{ size: -1 },"],
  ["a`", "b"],
])("a new line before %o continues an older statement: %s", (next, line) => {
  const at = STATEMENTS.slice(0, STATEMENTS.indexOf(`\n${next}`)).split("\n").length + 1;
  expect(writes(STATEMENTS.replace(`\n${next}`, `\n${line}\n${next}`), STATEMENTS)).toStrictEqual([`${at}: ${line}`]);
});

const TABLES = `const rows = [
  [1, 2],
];

test.each([
  [1, 2],
])("adds", (a, b) => {
  expect(a + 1).toBe(b);
});

test.each(rows)("subtracts", (a, b) => {
  expect(b - 1).toBe(a);
});
`;

test.each([
  ["a row of a table of tests", TABLES.replace('])("adds"', "  [2, 3],\n$&")],
  ["a row of several lines", TABLES.replace("  [1, 2],\n", "$&  [\n    3,\n    4,\n  ],\n")],
  ["a row of a template", TABLES.concat('test.each`\n  a | b\n  ${1} | ${2}\n`("c", ({ a }) => expect(a).toBe(1));\n')],
  ["a row of a table with a name", TABLES.replace("];\n", "  [2, 3],\n$&")],
])("%s doesn't continue an older statement", (_what, after) => {
  expect(writes(after, TABLES)).toStrictEqual([]);
});

test.each([
  ["the tests", "./support/settle.js", ["16: settle(queue);"]],
  ["the product", "../src/settle.js", []],
])("a call of a new function of %s with a value of an older test", (_what, module, found) => {
  const after = `import { settle } from "${module}";\n${BEFORE.replace(ASSERTION, `  settle(queue);\n${ASSERTION}`)}`;
  expect(writes(after)).toStrictEqual(found);
});

test.each([
  ["in a hook", BEFORE.replace("results.length = 0;", "$&\n  shared.limit = 9;"), ["8: shared.limit = 9;"]],
  ["at the top", BEFORE.replace("\ntest(", "\nQueue.limit = 2;\n$&"), ["10: Queue.limit = 2;"]],
  ["moved from another place", moved(), ["15: max = 2;"]],
  ["in a file that can't be parsed", BEFORE.replace(ASSERTION, `  max = <;\n${ASSERTION}`), ["15: max = <;"]],
])("a new line %s of an older file needs an approval", (what, after, found) => {
  expect(writes(after, what.startsWith("moved") ? moved(4) : BEFORE)).toStrictEqual(found);
});

/** The test with an assignment before its assertions, or so many lines higher. */
function moved(by = 0): string {
  const lines = BEFORE.split("\n");
  lines.splice(14 - by, 0, "  max = 2;");
  return lines.join("\n");
}

test("a test that moves to another file is an older one there", () => {
  const after = BEFORE.replace(ASSERTION, `  max = 2;\n${ASSERTION}`);
  const moves = [
    { path: "test/queue.test.ts", before: BEFORE, after: "" },
    { path: "test/jobs.test.ts", before: "", after },
  ];
  expect(weakeningLines(moves)).toStrictEqual([
    { path: "test/jobs.test.ts", title: "limits", line: 15, text: "max = 2;" },
  ]);
});

const NEW_TEST =
  'test("more", () => {\n  let max = 0;\n  max = 3;\n  shared.limit = max;\n  expect(max).toBe(3);\n});\n';

test.each([
  ["an assertion", BEFORE.replace(ASSERTION, `  expect(queue.size).toBe(0);\n${ASSERTION}`)],
  ["a name of its own", BEFORE.replace(ASSERTION, `  let n = 0;\n  n += queue.size;\n  n++;\n${ASSERTION}`)],
  ["an object of its own", BEFORE.replace(ASSERTION, `  const own = {};\n  own.size = queue.size;\n${ASSERTION}`)],
  ["lists of its own", BEFORE.replace(ASSERTION, `  const own = [];\n  own.push(3);\n  f(g()).sort();\n${ASSERTION}`)],
  ["a spy of its own", BEFORE.replace(ASSERTION, `  const spy = vi.fn();\n  spy.mockReturnValue(2);\n${ASSERTION}`)],
  ["a loop", BEFORE.replace(ASSERTION, `  for (let i = 0; i < 3; i++) queue.add(i);\n${ASSERTION}`)],
  ["a new test", `${BEFORE}${NEW_TEST}`],
  [
    "a new group with a hook",
    `${BEFORE}describe("more", () => {\n  beforeEach(() => {\n    shared.limit = 3;\n  });\n${NEW_TEST}});\n`,
  ],
  [
    "a hook with a name of its own",
    BEFORE.replace("\ntest(", "\nlet port = 0;\nbeforeEach(() => {\n  port = 3;\n});\n$&"),
  ],
  [
    "a helper",
    BEFORE.replace("\ntest(", "\nfunction make() {\n  const made = {};\n  made.a = 1;\n  return made;\n}\n$&"),
  ],
  ["a class", BEFORE.replace("\ntest(", "\nclass Fake {\n  constructor() {\n    this.a = 1;\n  }\n}\n$&")],
  ["other white space", BEFORE.replaceAll("  ", "    ")],
  ["a group around it", BEFORE.replace("test(", 'describe("queue", () => {\ntest(').concat("});\n")],
])("%s needs none", (_what, after) => {
  expect(writes(after)).toStrictEqual([]);
});
