import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directoryIndex } from "./directory-index.ts";

const FILES = ["b-0a1b2c3d.json", "a-hidden-0a1b2c3d4e5f6071.json", "c-11111111.json", "note.txt", ".c-11111111.json"];

function directoryOf(files: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), "veritest-index-"));
  for (const file of files) writeFileSync(join(directory, file), "");
  return directory;
}

function age(directory: string): void {
  utimesSync(directory, 1000, 1000);
}

test("finds baselines by the hash in their names", () => {
  const { names, byHash, redacted } = directoryIndex(directoryOf(FILES));
  expect(names).toStrictEqual(["a-hidden-0a1b2c3d4e5f6071.json", "b-0a1b2c3d.json", "c-11111111.json"]);
  expect([...byHash]).toStrictEqual([
    ["0a1b2c3d", ["a-hidden-0a1b2c3d4e5f6071.json", "b-0a1b2c3d.json"]],
    ["11111111", ["c-11111111.json"]],
  ]);
  expect(redacted).toStrictEqual(["a-hidden-0a1b2c3d4e5f6071.json"]);
});

test("lists a directory once, and again after a file was added or removed", () => {
  const directory = directoryOf(FILES);
  age(directory);
  const first = directoryIndex(directory);
  expect(directoryIndex(directory)).toBe(first);
  writeFileSync(join(directory, "d-22222222.json"), "");
  expect(directoryIndex(directory).names).toHaveLength(4);
  age(directory);
  expect(directoryIndex(directory).names).toHaveLength(4);
  rmSync(join(directory, "b-0a1b2c3d.json"));
  expect(directoryIndex(directory).byHash.get("0a1b2c3d")).toStrictEqual(["a-hidden-0a1b2c3d4e5f6071.json"]);
  rmSync(directory, { recursive: true });
  expect(directoryIndex(directory).names).toStrictEqual([]);
});

test("doesn't cache a directory that changed just now, because its time may not change again", () => {
  const directory = directoryOf(FILES);
  expect(directoryIndex(directory)).not.toBe(directoryIndex(directory));
});

test("lists more directories than the cache has room for", () => {
  const directories = Array.from({ length: 20 }, (_, index) =>
    directoryOf([`a-${String(index).padStart(8, "0")}.json`]),
  );
  for (const round of [1, 2])
    for (const [index, directory] of directories.entries()) {
      age(directory);
      expect([round, directoryIndex(directory).names]).toStrictEqual([
        round,
        [`a-${String(index).padStart(8, "0")}.json`],
      ]);
    }
});
