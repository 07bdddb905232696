// @module-tag deep
import { afterAll, expect, test } from "vitest";
import { type Files, changesOf } from "../../../test-support/file-changes.ts";
import { removeProjects } from "../../../test-support/trial-project.ts";
import { changedSettings } from "./changed-settings.ts";
import { newAbilities } from "./check-abilities.ts";
import type { GateFinding } from "./check-diff.ts";

afterAll(removeProjects, 120_000);

/** Findings about a change of a repository with some files; an empty text removes a file. */
async function findingsOf(before: Files, after: Files, what: "code" | "settings"): Promise<readonly string[]> {
  const { changes, tree, call } = await changesOf(before, after);
  const findings: readonly GateFinding[] =
    what === "code"
      ? await newAbilities(changes, tree, call)
      : await changedSettings(changes, { kept: new Set(["src/prepare.js"]), tree, project: "app", call });
  return findings.map(({ path, line, detail }) => `${path}:${line ?? ""} ${detail}`);
}

const SHOP = {
  "src/price.ts": `import express from "express";
import { readFileSync } from "node:fs";
const { env } = process;
export const price = (cents: number) => cents / 100;
export const port = () => Number(env.PORT) + readFileSync("a.txt").length;
`,
  "src/log.ts": "export const log = (text: string) => { console.log(text, Date.now()); };\n",
  "src/view.vue": `<template>\n  <p>{{ price }} of a process</p>\n</template>\n<script setup lang="ts">\nconst price = 1;\n</script>\n`,
  "test/clock.ts": "export const now = () => 1;\n",
  "vitest.config.ts": "export default {};\n",
};
const PRICE = SHOP["src/price.ts"];

test.each<readonly [string, Files, readonly string[]]>([
  [
    "another variable, and a changed line with the same",
    {
      "src/price.ts": PRICE.replace("cents / 100", "cents / (env.CI ? 1 : 100)").replace(
        "Number(env.PORT)",
        "(env.PORT ? 1 : 2)",
      ),
    },
    ["src/price.ts:4 new code uses process.env.CI: ", "src/price.ts:5 new code uses process.env.PORT: "],
  ],
  [
    "another file of the system",
    { "src/price.ts": PRICE.replace("cents / 100", 'cents / readFileSync("/proc/self/stat").length') },
    ['src/price.ts:4 new code uses node:fs.readFileSync("/proc/self/stat"): '],
  ],
  [
    "imports of a runner, of new packages, of tests and of computed modules",
    {
      "src/new.ts": [
        "vitest",
        "std-env",
        "../test/clock",
        "../vitest.config",
        "./price.ts?raw",
        "virtual:a",
        "./a.data",
        "./pr%69ce.ts",
        "./price.ts#a",
      ]
        .map((name) => `import "${name}";\n`)
        .join(""),
      "src/a.data": "1",
    },
    [
      "src/new.ts:1 it imports vitest, which belongs to a test runner: ",
      "src/new.ts:2 it imports std-env, which the code didn't import before: ",
      "src/new.ts:3 it imports ../test/clock, which belongs to the tests or the configuration: ",
      "src/new.ts:4 it imports ../vitest.config, which belongs to the tests or the configuration: ",
      "src/new.ts:5 it imports ./price.ts?raw, which a bundler computes: ",
      "src/new.ts:6 it imports virtual:a, which a bundler computes: ",
      "src/new.ts:7 it imports ./a.data, whose name isn't one of code: ",
      "src/new.ts:8 it imports ./pr%69ce.ts, which a bundler computes: ",
      "src/new.ts:9 it imports ./price.ts#a, which a bundler computes: ",
    ],
  ],
  [
    "imports of modules that aren't there",
    { "src/new.ts": 'try { await import("./nothing.ts"); } catch {}\nexport * from "./price.mjs";\n' },
    [
      "src/new.ts:1 it imports ./nothing.ts, which isn't in the repository: ",
      "src/new.ts:2 it imports ./price.mjs, which isn't in the repository: ",
    ],
  ],
  [
    "code of a test's folder that product code imports",
    {
      "test/clock.ts": "export const now = () => process.pid;\n",
      "src/new.ts": 'export { now } from "../test/clock";\n',
    },
    [
      "src/new.ts:1 it imports ../test/clock, which belongs to the tests or the configuration: ",
      "test/clock.ts:1 new code uses process.pid: ",
    ],
  ],
  [
    "a component's script and template",
    {
      "src/view.vue": SHOP["src/view.vue"].replace("{{ price", "{{ globalThis.a, price").replace("= 1", "= self.x"),
    },
    ["src/view.vue:5 new code uses self.x: ", "src/view.vue:2 new code uses globalThis: "],
  ],
  ["code that can't be parsed", { "src/new.js": "a b" }, ["src/new.js:1 new code uses code that veritest can't parse"]],
  [
    "an ability that moves from a test",
    { "src/new.ts": "export const pid = process.pid;\n" },
    ["src/new.ts:1 new code uses process.pid: "],
  ],
])("reports %s", async (_what, after, expected) => {
  const findings = await findingsOf(SHOP, after, "code");
  expect(findings).toHaveLength(expected.length);
  for (const [index, text] of expected.entries()) expect(findings[index]).toContain(text);
});

test.each<readonly [string, Files]>([
  [
    "a pure function",
    { "src/price.ts": `${PRICE}export const sum = (all: number[]) => all.reduce((a, b) => a + b, 0);\n` },
  ],
  [
    "a module that uses packages and modules of before",
    {
      "src/new.ts":
        'import express from "express";\nimport { price } from "./price.ts";\nexport const app = express().get("/", (_request, response) => response.json(price(1)));\n',
    },
  ],
  [
    "imports without extensions, of a folder, and by the name of compiled code",
    {
      "src/new.ts":
        'import "./price"; import "./price.js"; import "./view.vue"; import "."; import type { A } from "./a";\n',
      "src/index.tsx": 'import "./more"; import "./index.js"; import "../src";\n',
      "src/more/index.ts": 'export * from "..";\n',
    },
  ],
  [
    "a file that uses the clock and files as before",
    {
      "src/log.ts":
        "export const log = (text: string) => {\n  console.info(new Date(Date.now()).toISOString(), text);\n};\n",
    },
  ],
  ["a line that moves to another file", { "src/log.ts": "", "src/more/log.ts": SHOP["src/log.ts"] }],
  ["a line that moves within a file", { "src/price.ts": PRICE.split("\n").toReversed().join("\n") }],
  ["a component", { "src/view.vue": SHOP["src/view.vue"].replace("= 1", "= Math.max(1, 2)").replace("of", "and") }],
  [
    "a test",
    {
      "src/price.test.ts": 'import { test } from "vitest";\ntest("a", () => { process.exit(); });\n',
      "test/clock.ts": "export const now = () => process.pid;\n",
    },
  ],
])("doesn't report %s", async (_what, after) => {
  expect(await findingsOf(SHOP, after, "code")).toEqual([]);
});

const SETTINGS = {
  "package.json": `{ "name": "a", "version": "1.0.0", "scripts": { "test": "vitest run" }, "dependencies": {} }\n`,
  "tsconfig.json": `{ "compilerOptions": {} }\n`,
  "vitest.config.ts": `export default { test: { name: "unit" } };\n`,
  ".npmrc": "a=1\n",
  "src/prepare.js": "a();\n",
  "rates.json": "[1]\n",
  "src/rates.js": `import rates from "../rates.json";\n`,
};

test.each<readonly [string, Files, readonly string[]]>([
  [
    "scripts",
    { "package.json": SETTINGS["package.json"].replace("vitest run", "vitest") },
    ["package.json: it decides how checks run, by a new value of scripts"],
  ],
  [
    "fields of a resolver",
    {
      "package.json": SETTINGS["package.json"]
        .replace('"name"', '"exports": "./a.js", "jest": {}, "name"')
        .replace("{} }", '{ "a": "1" } }'),
    },
    ["package.json: it decides how checks run, by a new value of dependencies, exports, jest"],
  ],
  [
    "any setting of a runner",
    { "vitest.config.ts": `export default { test: { name: "unit", a: 1 } };\n` },
    ["vitest.config.ts: it decides how checks run, and the run changed it"],
  ],
  [
    "a set-up file",
    { "src/prepare.js": "b();\n" },
    ["src/prepare.js: it decides how checks run, and the run changed it"],
  ],
  [
    "what git shows",
    { ".gitattributes": "src/** -diff\n" },
    [".gitattributes: it decides what git shows, merges and exports, and the run changed it"],
  ],
  [
    "a mock that replaces a package in all tests",
    {
      "app/__mocks__/@shop/prices.js": "a();\n",
      "app/__mocks__/zod.js": "a();\n",
      "app/src/__mocks__/price.js": "b();\n",
    },
    [
      "app/__mocks__/@shop/prices.js: it decides how checks run, and the run changed it",
      "app/__mocks__/zod.js: it decides how checks run, and the run changed it",
    ],
  ],
  ["a removed setting", { ".npmrc": "" }, [".npmrc: it decides how checks run, and the run removed it"]],
  [
    "new settings of any tool",
    Object.fromEntries(
      [
        "biome.json",
        "app/x.toml",
        ".swcrc",
        "lib/tsconfig.build.json",
        ".husky/pre-commit",
        ".github/workflows/ci.yml",
        "package-lock.json",
        "jest.workspace.js",
        "babel.config.json",
      ].map((path) => [path, "{}\n"]),
    ),
    [
      ".github/workflows/ci.yml",
      ".husky/pre-commit",
      ".swcrc",
      "app/x.toml",
      "babel.config.json",
      "biome.json",
      "jest.workspace.js",
      "lib/tsconfig.build.json",
      "package-lock.json",
    ].map((path) => `${path}: it decides how checks run, and the run changed it`),
  ],
])("reports changes of %s", async (_what, after, expected) => {
  expect(await findingsOf(SETTINGS, after, "settings")).toEqual(expected);
});

test.each<readonly [string, Files]>([
  [
    "what describes a package",
    {
      "package.json": SETTINGS["package.json"].replace("1.0.0", "1.1.0").replace('"name"', '"keywords": ["a"], "name"'),
    },
  ],
  ["comments and spaces", { "vitest.config.ts": `// Runs all.\n\n  ${SETTINGS["vitest.config.ts"]}` }],
  [
    "files that no check reads",
    {
      ".gitignore": "a\n",
      ".prettierrc.json": "{}\n",
      ".editorconfig": "a\n",
      "README.md": "a\n",
      ".github/a.md": "a\n",
    },
  ],
  ["data that product code reads", { "rates.json": "[2]\n" }],
  ["code", { "src/rates.js": "a();\n", "src/new.json": "1\n" }],
])("doesn't report changes of %s", async (_what, after) => {
  expect(await findingsOf(SETTINGS, after, "settings")).toEqual([]);
});
