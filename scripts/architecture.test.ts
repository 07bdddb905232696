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
  return new RegExp(`^(?:export )?(?:async )?(?:function|class|const|interface|type) ${name}\\b`, "m").test(text);
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

const LAYERS: ReadonlyMap<string, readonly string[]> = new Map(
  readLayers().map(({ folder, imports }) => [folder, imports.filter((name) => name !== folder).sort()]),
);

function readLayers(): readonly { readonly folder: string; readonly imports: readonly string[] }[] {
  const rules: unknown = createRequire(import.meta.url)("../.dependency-cruiser.cjs");
  return [...JSON.stringify(rules).matchAll(/"src\/(\w+)\/ may import: ([\w, ]+)\."/g)].map(
    ([, folder = "", imports = ""]) => ({ folder, imports: imports.split(", ") }),
  );
}

/** What a row of the table says: folders by name, "all" or "all but" some. */
function namedBy(column: string, folder: string): readonly string[] {
  const names = column.split(" ").filter((name) => LAYERS.has(name));
  if (!column.startsWith("all")) return names.sort();
  return [...LAYERS.keys()].filter((name) => name !== folder && !names.includes(name)).sort();
}

test("CONTRIBUTING's table says of each folder what the layer rules say", () => {
  const table = readFileSync(join(DOCS, "..", "CONTRIBUTING.md"), "utf8");
  const rows = [...table.matchAll(/^\| `src\/(\w+)` \| .+ \| (.+) \|$/gm)].map(
    ([, folder = "", column = ""]) => [folder, namedBy(column, folder)] as const,
  );
  const ruled = rows.filter(([folder]) => folder !== "testing");
  expect(Object.fromEntries(ruled)).toEqual(Object.fromEntries(LAYERS));
});
