import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { findInputs } from "./find-inputs.ts";
import { matchesPattern, globPattern } from "./glob-pattern.ts";
import { cpuMs } from "../../../test-support/cpu-ms.ts";

function fits(pattern: string, path: string): boolean {
  const read = globPattern(pattern);
  if (!read.ok) throw new Error(read.error);
  const below = read.value.base === "" ? path : relative(read.value.base, path);
  return matchesPattern(read.value, below.split("/"));
}

test.each([
  ["*.json", "a.json", true],
  ["*.json", "in/a.json", false],
  ["in/*.json", "in/a.json", true],
  ["in/**/*.json", "in/a.json", true],
  ["in/**/*.json", "in/x/y/a.json", true],
  ["in/**", "in/x/y/a.json", true],
  ["**/a.json", "a.json", true],
  ["in/**/y/*.json", "in/x/y/a.json", true],
  ["in/**/z/*.json", "in/x/y/a.json", false],
  ["in/?.json", "in/a.json", true],
  ["in/?.json", "in/ab.json", false],
  ["in/[a-c].json", "in/b.json", true],
  ["in/[!a-c].json", "in/b.json", false],
  ["in/{a,b}.json", "in/b.json", true],
  ["in/{a,b{1,2}}.json", "in/b2.json", true],
  ["in/{a,b}.json", "in/c.json", false],
  ["{x,y}/*.json", "y/a.json", true],
  ["*.json", ".a.json", false],
  [".*.json", ".a.json", true],
  ["**/*.json", ".hidden/a.json", false],
  ["a+(b).j*", "a+(b).json", true],
])("%s on %s: %s", (pattern, path, expected) => {
  expect(fits(pattern, path)).toBe(expected);
});

test.each([
  [
    "in/{a",
    '"in/{a" has more than 1000 alternatives, or a { without a }. Use a simpler pattern, or pass --input several times.',
  ],
  [
    "{1,2}".repeat(12),
    `"${"{1,2}".repeat(12)}" has more than 1000 alternatives, or a { without a }. Use a simpler pattern, or pass --input several times.`,
  ],
  ["in/[z-a]", '"in/[z-a]" contains an invalid set of characters. Write it as [abc] or [a-z].'],
])("refuses the invalid pattern %j", (pattern, error) => {
  expect(globPattern(pattern)).toStrictEqual({ ok: false, error });
});

test("a pattern with many stars isn't slower than others", async () => {
  const read = globPattern(`${"**/a/".repeat(40)}b`);
  const path = Array.from({ length: 200 }, () => "a");
  const matches = (): boolean => read.ok && matchesPattern(read.value, path);
  expect(matches()).toBe(false);
  expect(await cpuMs(matches)).toBeLessThan(1000);
});

function makeProject(files: readonly string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-inputs-")));
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "{}");
  }
  return root;
}

function found(root: string, patterns: readonly string[], cwd: string = root): readonly string[] | string {
  const files = findInputs(patterns, { cwd, root });
  return files.ok ? files.value.map((file) => relative(root, file)) : files.error;
}

test("finds files by patterns, once and in order, with supported extensions only", () => {
  const root = makeProject([
    "in/b.json",
    "in/a.json",
    "in/c.jsonl",
    "in/d.txt",
    "in/deep/e.ndjson",
    "in/node_modules/f.json",
  ]);
  expect(found(root, ["in/*", "in/a.json"])).toStrictEqual(["in/a.json", "in/b.json", "in/c.jsonl"]);
  expect(found(root, ["in/**/*"])).toStrictEqual(["in/a.json", "in/b.json", "in/c.jsonl", "in/deep/e.ndjson"]);
  expect(found(root, ["in"])).toStrictEqual(["in/a.json", "in/b.json", "in/c.jsonl"]);
  expect(found(root, ["in/d.txt"])).toBe(
    '"in/d.txt" isn\'t an input file. Input files must end in .json, .jsonl, .ndjson.',
  );
});

test("resolves a pattern from the working directory", () => {
  const root = makeProject(["in/a.json"]);
  expect(found(root, ["*.json"], join(root, "in"))).toStrictEqual(["in/a.json"]);
  expect(found(root, ["../in/*.json"], join(root, "in"))).toStrictEqual(["in/a.json"]);
});

test("reports a pattern that matches no file", () => {
  const root = makeProject(["in/a.txt"]);
  expect(found(root, ["in/*.json"])).toBe(
    'No input matches "in/*.json". Input files must end in .json, .jsonl, .ndjson.',
  );
  expect(found(root, ["out/*.json"])).toBe(`No input matches "out/*.json": there is no "${join(root, "out")}".`);
  expect(found(root, ["in/a.txt/*.json"])).toBe(
    `No input matches "in/a.txt/*.json": "${join(root, "in/a.txt")}" is a file.`,
  );
});

test("doesn't follow links, unless they are named themselves", () => {
  const outside = makeProject(["secret.json"]);
  const root = makeProject(["in/a.json"]);
  symlinkSync(outside, join(root, "in/link"));
  symlinkSync(join(outside, "secret.json"), join(root, "in/b.json"));
  expect(found(root, ["in/**/*.json"])).toStrictEqual(["in/a.json"]);
  expect(found(root, ["in/link/*.json"])).toBe(
    '"in/link/*.json" points outside the project through a symbolic link. Pass the target\'s path, such as ../inputs.',
  );
  expect(found(root, [`${outside}/*.json`])).toStrictEqual([relative(root, join(outside, "secret.json"))]);
});
