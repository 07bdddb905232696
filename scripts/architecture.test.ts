import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
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
  return new RegExp(`^(?:export )?(?:async )?(?:function\\*?|class|const|interface|type) ${name}\\b`, "m").test(text);
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

const RULES: unknown = createRequire(import.meta.url)("../.dependency-cruiser.cjs");

/** What the rules allow, by room or extra, the room itself left out. */
function allowedBy(comment: RegExp): Record<string, readonly string[]> {
  const rules = [...JSON.stringify(RULES).matchAll(comment)].map(([, room = "", imports = ""]) => [
    room,
    imports.split(", ").filter((name) => name !== room),
  ]);
  return Object.fromEntries(rules);
}

/** The last column of a table of CONTRIBUTING, by folder. */
function tableOf(prefix: string): Record<string, readonly string[]> {
  const table = readFileSync(join(DOCS, "..", "CONTRIBUTING.md"), "utf8");
  const rows = [...table.matchAll(/^\| `src\/([\w/-]+)` \|.* \| ([^|]+) \|$/gm)]
    .filter(([, folder = ""]) => folder.startsWith("extras/") === (prefix !== ""))
    .map(([, folder = "", column = ""]) => [folder.slice(prefix.length), column === "–" ? [] : column.split(" ")]);
  return Object.fromEntries(rows);
}

test("CONTRIBUTING's table of the core says of each room what the rules say", () => {
  expect(tableOf("")).toEqual(allowedBy(/"src\/(?!extras)([\w/-]+)\/ may import: ([\w/, -]+)\."/g));
});

test("CONTRIBUTING's table of the extras says which other extras each may use", () => {
  expect(tableOf("extras/")).toEqual(allowedBy(/"src\/extras\/([\w/-]+)\/ may import of extras: ([\w/, -]+)\."/g));
});
