// @module-tag deep
import { afterAll, expect, test } from "vitest";
import { type Files, changesOf } from "../../../test-support/file-changes.ts";
import { removeProjects } from "../../../test-support/trial-project.ts";
import { checkPaths } from "./check-paths.ts";

afterAll(removeProjects, 120_000);

/** Objections to new files and links in a repository that has the files `before`. */
async function findingsOf(
  before: readonly string[],
  added: { readonly files?: readonly string[]; readonly links?: Readonly<Record<string, string>> },
): Promise<readonly string[]> {
  const filesAt = (paths: readonly string[] = []): Files =>
    Object.fromEntries(paths.map((path) => [path, `// ${path}\n`]));
  const links = Object.entries(added.links ?? {}).map(([path, link]) => [path, { link }] as const);
  const after = { ...filesAt(added.files), ...Object.fromEntries(links) };
  const { changes, tree, call } = await changesOf(filesAt(before), after);
  const findings = await checkPaths(changes, { tree, links: ["app/node_modules", "node_modules"] }, call);
  return findings.map(({ rule, path, detail }) => `${path}: ${detail} (${rule})`);
}

test("refuses a link to a file that isn't in the commit", async () => {
  const links = {
    "app/cache.js": "../node_modules/.cache/a.js",
    mods: "app/node_modules",
    store: ".git/a.js",
    up: "../x",
    "app/fine.js": "a.js",
    fine: "app/node_modules_of_ours",
  };
  expect(await findingsOf(["app/a.js"], { links })).toStrictEqual([
    "app/cache.js: it links out of the repository, to ../node_modules/.cache/a.js (link)",
    "mods: it links out of the repository, to app/node_modules (link)",
    "store: it links out of the repository, to .git/a.js (link)",
    "up: it links out of the repository, to ../x (link)",
  ]);
});

test("refuses a module that tests would load in place of another", async () => {
  expect(await findingsOf(["src/a.ts", "src/b.js"], { files: ["src/a.mjs", "src/b.tsx"] })).toStrictEqual([
    "src/a.mjs: tests might load it in place of src/a.ts (test-aware)",
    "src/b.tsx: tests might load it in place of src/b.js (test-aware)",
  ]);
});

test("refuses a file whose name other systems confuse with another", async () => {
  const added = [
    String.raw`src\price.ts`,
    "src/aux.ts",
    "src/tax:1.ts",
    "src/tax./vat.ts",
    "src/Price.ts",
    "src/caf\u00e9.ts",
  ];
  expect(await findingsOf(["src/price.ts", "src/cafe\u0301.ts", "a.ts", "A.ts"], { files: added })).toStrictEqual([
    "src/aux.ts: Windows can't have a file of this name (name)",
    "src/tax./vat.ts: Windows can't have a file of this name (name)",
    "src/tax:1.ts: Windows can't have a file of this name (name)",
    String.raw`src\price.ts: Windows reads its backslash as a folder (name)`,
    "src/Price.ts: macOS and Windows confuse it with src/price.ts (name)",
    "src/caf\u00e9.ts: macOS and Windows confuse it with src/cafe\u0301.ts (name)",
  ]);
});

test.each<readonly [string, readonly string[], readonly string[]]>([
  ["types of a module, data and other formats", ["a.js", "b.ts", "c.cjs"], ["a.d.ts", "b.vue", "b.json", "c.mjs"]],
  ["modules with other names", ["src/a.ts"], ["lib/a.js", "src/ab.js", "src/a.test.js"]],
  ["a project that compiles into its source folders", ["a.ts", "a.js"], ["b.ts", "b.js"]],
])("accepts %s", async (_what, before, files) => {
  expect(await findingsOf(before, { files })).toStrictEqual([]);
});
