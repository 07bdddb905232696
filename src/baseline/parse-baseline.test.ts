import * as fc from "fast-check";
import { expect, test } from "vitest";
import { emit } from "../kernel/step/command.ts";
import { createStepBaseline, createValueBaseline } from "./create-baseline.ts";
import { parseBaseline } from "./parse-baseline.ts";
import { serializeBaseline } from "./serialize-baseline.ts";
import { runCount } from "../../test-support/run-count.ts";

const FILE = "steps/__baselines__/read/march-0123abcd.json";
const RESTORE = "Restore the file with npx veritest repair --restore, or delete it and capture the case again.";

const step = createStepBaseline(
  {
    input: { text: "a" },
    output: { total: 1 },
    events: [{ type: "read" }],
    commands: [emit("done", 1)],
    artifacts: [],
    stepName: "read",
    workflowId: "read",
    workflowVersion: "1.0.0",
  },
  [{ adapter: "llm", occurrence: 0, returns: "value", request: [], response: 1 }],
  { name: "march" },
);
const value = createValueBaseline([1], { test: "a.test.ts", name: "n" });

function problem(text: string): string {
  const parsed = parseBaseline(text, FILE);
  return parsed.ok ? "it was read" : parsed.error;
}

/** The problem of a whole step baseline with one field set to something else, or removed when undefined. */
function problemWith(fields: Record<string, unknown>, whole: object = step): string {
  return problem(JSON.stringify({ ...whole, ...fields }));
}

test.each(["", " \n\r\n\t", "\ufeff"])("reports an empty file: %j", (text) => {
  expect(problem(text)).toBe(`Cannot read ${FILE}: it is empty. ${RESTORE}`);
});

test.each([
  "<<<<<<< HEAD",
  "=======",
  ">>>>>>> branch",
  "||||||| 0123abc",
  "=======\r",
])("names the line of conflict markers: %j", (marker) => {
  const [first, second, ...rest] = serializeBaseline(step).split("\n");
  expect(problem([first, second, marker, ...rest].join("\n"))).toBe(
    `Cannot read ${FILE}: it has git conflict markers (line 3). Keep one side with git checkout --ours or --theirs, run git add, and run its test with -u.`,
  );
});

test("accepts content that looks like a conflict marker", () => {
  const marked = createValueBaseline(["<<<<<<< HEAD", "a\n=======\nb", "\u2028======="], {
    test: "a.test.ts",
    name: "n",
  });
  expect(parseBaseline(serializeBaseline(marked), FILE)).toStrictEqual({ ok: true, value: marked });
});

test("quotes text that isn't JSON escaped, on one line", () => {
  expect(problem('{\n  "a": \u001b]0;title\u0007\u202e\n}')).toMatchInlineSnapshot(
    `"Cannot read steps/__baselines__/read/march-0123abcd.json: it isn't JSON (Unexpected token '\\u001b', "{   "a": \\u001b]0;title\\u0007"... is not valid JSON). Restore the file with npx veritest repair --restore, or delete it and capture the case again."`,
  );
  expect(problem('{ "version": 1,')).toMatchInlineSnapshot(
    `"Cannot read steps/__baselines__/read/march-0123abcd.json: it isn't JSON (Expected double-quoted property name in JSON at position 15 (line 1 column 16)). Restore the file with npx veritest repair --restore, or delete it and capture the case again."`,
  );
  expect(problem("\u0000\u0000\u0000\u0000")).toMatchInlineSnapshot(
    `"Cannot read steps/__baselines__/read/march-0123abcd.json: it isn't JSON (Unexpected token '\\u0000', "\\u0000\\u0000\\u0000\\u0000" is not valid JSON). Restore the file with npx veritest repair --restore, or delete it and capture the case again."`,
  );
});

test("ignores a byte order mark, and refuses a second one", () => {
  const text = serializeBaseline(value);
  expect(parseBaseline(`\ufeff${text}`, "a.json")).toStrictEqual(parseBaseline(text, "a.json"));
  expect(problem(`\ufeff\ufeff${text}`)).toContain("Unexpected token '\\ufeff'");
});

test.each(["null", "[]", "1", '"text"', "true"])("reports JSON that isn't an object: %s", (text) => {
  expect(problem(text)).toBe(`Cannot read ${FILE}: it doesn't contain a JSON object. ${RESTORE}`);
});

const UPDATE = "Update veritest: npm install --save-dev veritest@latest";

test("reports a future version, which needs a newer veritest", () => {
  expect(problemWith({ version: 3 })).toBe(
    `Cannot read ${FILE}: it has format 3, and this version of veritest only reads formats up to 2. ${UPDATE}`,
  );
  expect(problemWith({ version: 2.5 })).toBe(
    `Cannot read ${FILE}: it has format 2.5, and this version of veritest only reads formats up to 2. ${UPDATE}`,
  );
});

test.each([
  [undefined, "missing"],
  [0, "0"],
  [1.5, "1.5"],
  ["1", '"1"'],
  [null, "null"],
  ["\u202e\u001b", String.raw`"\u202e\u001b"`],
])("reports an invalid version with its value: %j", (version, shown) => {
  expect(problemWith({ version })).toBe(`Cannot read ${FILE}: "version" is ${shown}, expected 2. ${RESTORE}`);
});

test.each<[string, unknown, string]>([
  ["kind", "snapshot", '"kind" is neither "step" nor "value"'],
  ["kind", undefined, '"kind" is neither "step" nor "value"'],
  ["step", undefined, '"step" is missing'],
  ["step", 1, '"step" is not a text'],
  ["workflow", undefined, '"workflow" is missing'],
  ["workflow", [], '"workflow" is not an object'],
  ["workflow", { version: "1" }, '"id" is missing'],
  ["workflow", { id: 1, version: "1" }, '"id" is not a text'],
  ["workflow", { id: "1" }, '"version" is missing'],
  ["name", null, '"name" is not a text'],
  ["labels", undefined, '"labels" is missing'],
  ["labels", "eu", '"labels" is not a list of strings'],
  ["labels", ["eu", 1], '"labels" is not a list of strings'],
  ["meta", undefined, '"meta" is missing'],
  ["meta", [], '"meta" is not an object of strings, numbers and booleans'],
  ["meta", { a: null }, '"meta" is not an object of strings, numbers and booleans'],
  ["input", undefined, '"input" is missing'],
  ["inputHash", undefined, '"inputHash" is missing'],
  ["inputHash", 1, '"inputHash" is not a text'],
  ["output", undefined, '"output" is missing'],
  ["events", undefined, '"events" is missing'],
  ["events", [{ payload: 1 }], '"events" is not a list of events'],
  ["commands", undefined, '"commands" is missing'],
  ["commands", {}, '"commands" is not a list of commands'],
  ["commands", ["emit"], '"commands" is not a list of commands'],
  ["calls", undefined, '"calls" is missing'],
  ["calls", {}, '"calls" is not a list'],
  ["calls", [{ adapter: 1 }], '"calls[0]": adapter call: "adapter" must be a string, got 1'],
  ["artifacts", undefined, '"artifacts" is missing'],
  ["artifacts", [{ kind: "step-output" }], '"artifacts" is not a list of artifacts'],
  ["artifacts", [], '"artifacts" has 0 artifacts of kind "step-output", expected 1'],
  [
    "artifacts",
    [...step.artifacts, ...step.artifacts],
    '"artifacts" has 2 artifacts of kind "step-output", expected 1',
  ],
  ["commands", [], '"artifacts" has 1 artifacts of kind "step-commands", expected 0'],
  ["calls", [], '"artifacts" has 1 artifacts of kind "adapter-call", expected 0'],
])("refuses a step baseline with %s %j", (field, found, phrase) => {
  expect(problemWith({ [field]: found })).toBe(`Cannot read ${FILE}: ${phrase}. ${RESTORE}`);
});

test.each<[string, unknown, string]>([
  ["test", undefined, '"test" is missing'],
  ["test", 1, '"test" is not a text'],
  ["name", undefined, '"name" is missing'],
  ["name", 1, '"name" is not a text'],
  ["labels", undefined, '"labels" is missing'],
  ["meta", undefined, '"meta" is missing'],
  ["value", undefined, '"value" is missing'],
  ["hash", undefined, '"hash" is missing'],
  ["hash", 1, '"hash" is not a text'],
])("refuses a value baseline with %s %j", (field, found, phrase) => {
  expect(problemWith({ [field]: found }, value)).toBe(`Cannot read ${FILE}: ${phrase}. ${RESTORE}`);
});

test("reports an input with a damaged encoding", () => {
  expect(problemWith({ input: { $t: "date", v: 5 } })).toMatchInlineSnapshot(
    `"Cannot read steps/__baselines__/read/march-0123abcd.json: "input": cannot decode a malformed "date". Restore the file with npx veritest repair --restore, or delete it and capture the case again."`,
  );
});

test("reads a file with Windows line ends as the same baseline", () => {
  expect(parseBaseline(serializeBaseline(step).replaceAll("\n", "\r\n"), FILE)).toStrictEqual(
    parseBaseline(serializeBaseline(step), FILE),
  );
});

test("a file that a formatter laid out again reads as the same baseline", () => {
  const text = serializeBaseline(step);
  for (const indent of [undefined, "\t", 4]) {
    expect(parseBaseline(JSON.stringify(JSON.parse(text), undefined, indent), FILE)).toStrictEqual(
      parseBaseline(text, FILE),
    );
  }
});

test("accepts null as input, output and value", () => {
  expect(problemWith({ input: null, output: null })).toBe("it was read");
  expect(problemWith({ value: null }, value)).toBe("it was read");
});

test("doesn't run code in a baseline", () => {
  expect(problem("exports[`a`] = process.exit(1);")).toMatchInlineSnapshot(
    `"Cannot read steps/__baselines__/read/march-0123abcd.json: it isn't JSON (Unexpected token 'e', "exports[\`a"... is not valid JSON). Restore the file with npx veritest repair --restore, or delete it and capture the case again."`,
  );
});

test("reads any damaged file or names its first problem: empty, conflict markers, no JSON", () => {
  const piece = fc.constantFrom(
    "\n<<<<<<< HEAD\n",
    "\n=======\n",
    "\n>>>>>>> other\n",
    "\n||||||| base\n",
    "======= ",
    "{",
    "}",
    '"',
    ",\n",
    "null",
    "\u0000",
    " \n",
    "",
  );
  const cut = fc.tuple(fc.nat({ max: 900 }), fc.nat({ max: 900 }), piece);
  fc.assert(
    fc.property(
      fc.constantFrom(serializeBaseline(step), serializeBaseline(value), JSON.stringify(step), ""),
      fc.array(cut, { maxLength: 3 }),
      (whole, cuts) => {
        const text = cuts.reduce(
          (rest, [at, length, added]) => rest.slice(0, at) + added + rest.slice(at + (length % 7)),
          whole,
        );
        expect(problem(text).replace(/ \(.*$/s, "")).toBe(plainProblem(text));
      },
    ),
    { numRuns: runCount(10_000) },
  );
});

/** The problem of a text by looking for each in turn, up to what JSON itself says. */
function plainProblem(text: string): string {
  const refused = `Cannot read ${FILE}:`;
  if (text.trim() === "") return `${refused} it is empty. ${RESTORE}`;
  if (/^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/m.test(text)) return `${refused} it has git conflict markers`;
  try {
    JSON.parse(text);
  } catch {
    return `${refused} it isn't JSON`;
  }
  return problem(text).replace(/ \(.*$/s, "");
}

test("refuses a duplicate key, which readers and tests could see differently", () => {
  const text = serializeBaseline(value).replace('"value": [', '"value": [\n    2\n  ],\n  "value": [');
  expect(problem(text)).toBe(
    `Cannot read ${FILE}: it has "value" twice in one object (line 11), ` +
      `so a reader might see one value while a test uses the other. ${RESTORE}`,
  );
  const inside = serializeBaseline(step).replace('"total": 1', '"total": 900, "total": 1');
  expect(problem(inside)).toContain('it has "total" twice in one object');
});
