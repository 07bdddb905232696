import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listNames, readText } from "./read.ts";

function temporaryDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "veritest-read-")));
}

test("a file that is not there reads as undefined, an empty one as empty", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "empty.json"), "");
  expect(readText(join(directory, "none.json"))).toBeUndefined();
  expect(readText(join(directory, "no", "directory.json"))).toBeUndefined();
  expect(readText(join(directory, "empty.json"))).toBe("");
});

test("a directory where a file should be is trouble, with its path", () => {
  const directory = temporaryDirectory();
  expect(() => readText(directory)).toThrow(
    new Error(`Cannot read ${directory}: EISDIR: illegal operation on a directory, read`),
  );
});

test("a file where a directory should be is trouble, with its path", () => {
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  expect(() => readText(join(file, "a.json"))).toThrow(
    new Error(`Cannot read ${join(file, "a.json")}: ENOTDIR: not a directory, open '${join(file, "a.json")}'`),
  );
  expect(() => listNames(file)).toThrow(new Error(`Cannot read ${file}: ENOTDIR: not a directory, scandir '${file}'`));
});

test("lists names by code unit, and none where there is no directory", () => {
  const directory = temporaryDirectory();
  for (const name of ["b", "B", "a", "é", "10", "9"]) writeFileSync(join(directory, name), "");
  expect(listNames(directory)).toStrictEqual(["10", "9", "B", "a", "b", "é"]);
  expect(listNames(join(directory, "none"))).toStrictEqual([]);
});
