import { expect, test } from "vitest";
import { MAX_EXCEPTIONS, listWording } from "./list-wording.ts";

function linesOf(text: string, path = "src/a.ts"): readonly string[] {
  return listWording([{ path, text }]).map((line) => line.replace(/^src\/a\.ts/, ""));
}

test.each([
  ["a condition that is introduced by where", "undefined where the file is gone", ["undefined where"]],
  ["a condition behind a comma", "Reads a file, where it exists", [", where it"]],
  ["a sentence that begins with What", "What a run does. Of two files one is read", ["What", "Of"]],
  [
    "a passive without a speaker",
    "The user is never told of it, and it was said before",
    ["is never told", "was said"],
  ],
  ["a negated noun", "A text that is no JSON", ["is no JSON"]],
  ["nobody and nothing as subjects", "Nobody reads it, and nothing is written", ["Nobody", "nothing is"]],
  ["words to avoid", "The whole file lies beside it", ["whole", "lies", "beside"]],
  ["a predicate without content", "The run came otherwise", ["came otherwise"]],
])("reports %s in a comment, a string and a document", (_, sentence, words) => {
  const reported = (lines: readonly string[]): readonly (string | undefined)[] =>
    lines.map((line) => /has "([^"]+)"/.exec(line)?.[1]);
  expect(reported(linesOf(`/** ${sentence}. */`))).toEqual(words);
  expect(reported(linesOf(`call(\`${sentence} (\${id}).\`);`))).toEqual(words);
  expect(reported(linesOf(`# Title\n\n${sentence}.\n`, "docs/a.md"))).toEqual(words);
});

test("a finding has its line, the words and the advice", () => {
  expect(linesOf("/**\n * Reads a file.\n * It is\n * told of.\n */\nexport const path = 1;")).toEqual([
    ':3 has "is told": write who reports it: "veritest reports …".',
  ]);
});

test.each([
  ["a place", "/** The directory where baselines are, and where it is kept. */"],
  ["a question", "// What is a baseline? It is a file."],
  ["there is no", "// There is no file, and it is no longer read."],
  ["a number that is compared", "// The limit is no more than ten."],
  ["a whole number", "// A whole number from 0, or a list of whole numbers."],
  ["code in backticks", "/** Reads `what is told` and {@link anew}. */"],
  ["an import", 'import { a } from "./whole file.ts";'],
  ["a key of one word", 'const state = { kind: "whole" };'],
  ["an expression within a string", "call(`Reads ${nobody} now`);"],
])("accepts %s", (_, text) => {
  expect(linesOf(text)).toEqual([]);
});

test("ignores code blocks of a document", () => {
  expect(linesOf("Text.\n\n```ts\n// What is told\n```\n\nSee [the file](whole.md).\n", "docs/a.md")).toEqual([]);
});

test.each([
  ["a function", "function settleRun(): void {}", "settleRun", "apply, accept or reject"],
  ["a type", "export type SweepWorld = 1;", "SweepWorld", "checkAll"],
  ["a field", "interface A { readonly standIn: 1 }", "standIn", "stub"],
  ["a parameter", "const f = (heldWrites: A): void => {};", "heldWrites", "pending, skipped, or has"],
  [
    "a renamed property",
    "const f = ({ writes: heldWrites }: A): void => {};",
    "heldWrites",
    "pending, skipped, or has",
  ],
  ["a private field", "class A { readonly #place = 1; }", "#place", "path, directory, location or span"],
  ["a constant", "export const MAX_PLACES = 1;", "MAX_PLACES", "path, directory, location or span"],
])("reports a name of %s with a word of the glossary", (_, text, name, advice) => {
  expect(linesOf(text)).toEqual([`:1 has "${name}": the glossary has ${advice}.`]);
});

test("reports a local name without a meaning, but not a field with that name", () => {
  expect(linesOf("interface A { readonly shown: 1 }\nfunction f(a: A): void {\n  const shown = a.shown;\n}")).toEqual([
    ':3 has "shown": say what the value is.',
  ]);
});

test("reports the answer of a call in the core, and accepts the answer of an extra", () => {
  const text = "export type AnswerUse = 1;";
  expect(linesOf(text, "src/record/a.ts")).toEqual(['src/record/a.ts:1 has "AnswerUse": the glossary has response.']);
  expect(linesOf(text, "src/extras/grounding/a.ts")).toEqual([]);
});

test("accepts a name that contains the letters of a word", () => {
  expect(linesOf("const placeholder = 1, plateau = 2, lateral = 3, missing = 4;")).toEqual([]);
});

test("reports a destructured property at its declaration only", () => {
  expect(linesOf("interface A { readonly held: 1 }\nconst f = ({ held }: A): void => {};")).toEqual([
    ':1 has "held": the glossary has pending, skipped, or has.',
  ]);
});

test("checks the name of a file", () => {
  expect(listWording([{ path: "src/check/held-writes.ts", text: "" }])).toEqual([
    'src/check/held-writes.ts:1 has "held-writes.ts": the glossary has pending, skipped, or has.',
  ]);
});

test("an exception applies to its text in its file, and is reported if it isn't needed", () => {
  const files = ["src/a.ts", "src/b.ts"].map((path) => ({ path, text: "export type Law = 1;" }));
  const exception = { path: "src/a.ts", text: "Law", reason: "a term of category theory" };
  expect(listWording(files, [exception])).toEqual(['src/b.ts:1 has "Law": the glossary has property.']);
  expect(listWording([{ path: "src/a.ts", text: "" }], [exception])).toEqual([
    'The exception for "Law" in src/a.ts isn\'t needed: remove it.',
  ]);
});

test("limits the number of exceptions", () => {
  const exceptions = Array.from({ length: MAX_EXCEPTIONS + 1 }, (_, index) => ({
    path: `src/${String(index)}.ts`,
    text: "a",
    reason: "b",
  }));
  expect(listWording([], exceptions)).toEqual(["21 exceptions of 20: reword one."]);
});
