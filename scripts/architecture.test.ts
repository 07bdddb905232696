import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const DOCS = join(ROOT, "docs");
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

test.for(LINKS)("the link to $name in $path leads to it", ({ name, path, isFunction }) => {
  const file = resolve(DOCS, path);
  expect(existsSync(file)).toBe(true);
  if (isFunction) expect(declares(readFileSync(file, "utf8"), name)).toBe(true);
});

test("the page links functions", () => {
  expect(LINKS.filter(({ isFunction }) => isFunction).length).toBeGreaterThan(20);
});

test("each linked folder and file exists", () => {
  const named = [...TEXT.matchAll(/`(src\/[\w/-]+)`/g)].map(([, path = ""]) => path);
  expect(named.filter((path) => !existsSync(join(DOCS, "..", path)))).toEqual([]);
});

const RULES: unknown = createRequire(import.meta.url)("../.dependency-cruiser.cjs");

/** What the rules allow, by folder or extra, the folder itself left out. */
function allowedBy(comment: RegExp): Record<string, readonly string[]> {
  const rules = [...JSON.stringify(RULES).matchAll(comment)].map(([, folder = "", imports = ""]) => [
    folder,
    imports.split(", ").filter((name) => name !== folder),
  ]);
  return Object.fromEntries(rules);
}

/** A column of a table of CONTRIBUTING, counted from its end, by folder. */
function tableOf(prefix: string, column: number): Record<string, readonly string[]> {
  const table = readFileSync(join(DOCS, "..", "CONTRIBUTING.md"), "utf8");
  const rows = [...table.matchAll(/^\| `src\/([\w/-]+)` \| (.*) \|$/gm)]
    .filter(([, folder = ""]) => folder.startsWith("extras/") === (prefix !== ""))
    .map(([, folder = "", cells = ""]) => {
      const cell = cells.split(" | ").at(column) ?? "";
      return [folder.slice(prefix.length), cell === "–" ? [] : cell.split(" ")];
    });
  return Object.fromEntries(rows);
}

test("CONTRIBUTING's table of the core matches the rules of each folder", () => {
  expect(tableOf("", -1)).toEqual(allowedBy(/"src\/(?!extras)([\w/-]+)\/ may import: ([\w/, -]+)\."/g));
});

test("CONTRIBUTING's table of the extras lists the extras that each may use", () => {
  expect(tableOf("extras/", -2)).toEqual(allowedBy(/"src\/extras\/([\w/-]+)\/ may import of extras: ([\w/, -]+)\."/g));
});

test("CONTRIBUTING's table of the extras lists the core folders that each may use", () => {
  expect(tableOf("extras/", -1)).toEqual(allowedBy(/"src\/extras\/([\w/-]+)\/ may import of the core: ([\w/, -]+);/g));
});

/** Runs the layer rules over a copy of the sources with added imports by file, and returns each broken rule with its file. */
function brokenBy(imports: Readonly<Record<string, string>>): readonly string[] {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-layers-")));
  try {
    for (const name of ["src", "package.json", "tsconfig.json", ".dependency-cruiser.cjs"])
      cpSync(join(ROOT, name), join(root, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
    for (const [from, to] of Object.entries(imports))
      appendFileSync(join(root, from), `export type * as planted from "${to}";\n`);
    const cruiser = join(ROOT, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
    const args = [
      cruiser,
      "--config",
      ".dependency-cruiser.cjs",
      "--focus",
      `^(${Object.keys(imports).join("|")})$`,
      "src",
    ];
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    return [...stdout.matchAll(/error ([\w-]+): (\S+)/g)].map(([, rule = "", file = ""]) => `${rule}: ${file}`);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("the layer rules refuse a cycle of folders, and an import past an extra's door", { tags: "deep" }, () => {
  const [verdict, response] = ["src/check/verdict.ts", "src/extras/llm/provider-response.ts"];
  const broken = brokenBy({ [verdict]: "../explain/wording.ts", [response]: "../../updates/policy.ts" });
  expect(broken).toEqual(expect.arrayContaining([`folder-check: ${verdict}`, `extra-llm-past-its-door: ${response}`]));
});
