import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const DOCS = join(import.meta.dirname, "..", "docs");
const TEXT = readFileSync(join(DOCS, "architecture.md"), "utf8");
const LINKS = [...TEXT.matchAll(/\[(`?)([^\]`]+)\1\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(
  ([, code = "", name = "", path = ""]) => ({
    name,
    path,
    isFunction: code !== "" && !name.includes("."),
  }),
);

function declares(text: string, name: string): boolean {
  return new RegExp(`^export (?:async )?(?:function|class|const) ${name}\\b`, "m").test(text);
}

test.for(LINKS)("the walk's link to $name in $path leads there", ({ name, path, isFunction }) => {
  const file = resolve(DOCS, path);
  expect(existsSync(file)).toBe(true);
  if (isFunction) expect(declares(readFileSync(file, "utf8"), name)).toBe(true);
});

test("the walk names functions, and is one walk", () => {
  expect(LINKS.filter(({ isFunction }) => isFunction).length).toBeGreaterThan(20);
  expect(TEXT.split("\n").length).toBeLessThanOrEqual(120);
});

test("each folder and file that the walk only names is there", () => {
  const named = [...TEXT.matchAll(/`(src\/[\w/-]+)`/g)].map(([, path = ""]) => path);
  expect(named.filter((path) => !existsSync(join(DOCS, "..", path)))).toEqual([]);
});
