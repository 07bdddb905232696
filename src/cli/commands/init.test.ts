import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { main } from "../../command-line.ts";
import type { Ran } from "../../../test-support/pending-project.ts";
import { runCount } from "../../../test-support/run-count.ts";

type Files = Readonly<Record<string, string>>;

function makeProject(files: Files): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-init-")));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

interface Terminal {
  /** What somebody types; without it nobody is there. */
  readonly typed?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

async function init(root: string, argv: readonly string[], { typed, environment = {} }: Terminal = {}): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const isTTY = typed !== undefined;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  stdin.end(typed);
  const io = {
    stdout: { write: (text: string) => out.push(text), isTTY },
    stderr: { write: (text: string) => err.push(text) },
    stdin,
  };
  const code = await main(["init", ...argv], { ...io, environment, cwd: root });
  return { code, out: out.join(""), err: err.join("") };
}

function filesOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));
  return Object.fromEntries(paths.toSorted().map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

const VITEST = {
  "package.json": `{ "type": "module", "devDependencies": { "vitest": "^5", "zod": "^4", "veritest": "^1" } }\n`,
};
const CONFIG = `import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({ plugins: [veritest()] });
`;

test("sets up an empty project: the configuration, and a step with a test, which the commands find", async () => {
  const root = makeProject(VITEST);
  const { code, out, err } = await init(root, ["--yes"]);
  expect({ code, err }).toStrictEqual({ code: 0, err: "" });
  expect(filesOf(root)).toStrictEqual({
    ...VITEST,
    "vitest.config.js": CONFIG,
    "steps/read-order.js": expect.stringContaining(
      `import { defineStep } from "veritest";\nimport { z } from "zod";\n`,
    ),
    "steps/read-order.test.js": expect.stringContaining(
      `import { expect, test } from "vitest";\nimport { readOrder } from "./read-order.js";\n`,
    ),
    "veritest.config.js": `// The steps that the command line runs: npx veritest test
import { defineConfig } from "veritest";

export default defineConfig({ steps: () => import("./steps/read-order.js") });
`,
  });
  expect(
    out.startsWith(`Vitest, JavaScript, npm

vitest.config.js (new)
  + import { veritest } from "veritest/plugin";
  + import { defineConfig } from "vitest/config";
  +
  + export default defineConfig({ plugins: [veritest()] });

steps/read-order.js (new)
`),
  ).toBe(true);
  expect(
    out.slice(out.indexOf("Written:")),
  ).toBe(`Written: vitest.config.js, steps/read-order.js, steps/read-order.test.js, veritest.config.js

Next:
  npx vitest run        captures new baselines, which you review and commit. With CI=1, it only compares
  npx veritest diff     shows how a change affects each baseline, and why
  npx veritest review   shows each pending change, so that you can accept or reject it
`);
});

test("the sample compiles with the defaults of ts-jest without a tsconfig.json", async () => {
  const root = makeProject({
    "package.json": `{ "devDependencies": { "jest": "^30", "ts-jest": "^29", "typescript": "^6", "zod": "^4", "veritest": "^1" } }\n`,
  });
  await init(root, ["--yes"]);
  const sample = filesOf(root)["steps/read-order.ts"] ?? "";
  expect(sample).toContain("message.match(");
  // Later than ES2015.
  expect(sample).not.toMatch(/matchAll|replaceAll|\.at\(|toSorted|toReversed|fromEntries|Object\.entries|\.flat/);
});

test("a project with steps of its own gets no command that needs a configuration it has not", async () => {
  const { out } = await init(makeProject({ ...VITEST, "a.js": "defineStep(" }), ["--yes"]);
  expect(out.slice(out.indexOf("Next:"))).toBe(`Next:
  npx vitest run        captures new baselines, which you review and commit. With CI=1, it only compares
  npx veritest review   shows each pending change, so that you can accept or reject it
`);
});

test("shows only changed lines of a configuration", { tags: "deep" }, async () => {
  const config = `import { defineConfig } from "vitest/config";\n\nconst name = "\u001b[2J";\n\nexport default defineConfig({\n  test: { name },\n  // all\n});\n`;
  const root = makeProject({ ...VITEST, "vitest.config.js": config, "a.js": "defineStep(" });
  const { out } = await init(root, ["--yes"]);
  expect(out.slice(0, out.indexOf("Written"))).toBe(`Vitest (vitest.config.js), JavaScript, npm

vitest.config.js
  + import { veritest } from "veritest/plugin";
    import { defineConfig } from "vitest/config";
  …
    export default defineConfig({
  +   plugins: [veritest()],
      test: { name },
  …

`);
});

test("asks in a terminal, and accepts only yes", async () => {
  for (const typed of ["n\n", "\n", "", "maybe\n"]) {
    const root = makeProject(VITEST);
    const { code, out, err } = await init(root, [], { typed });
    expect({ code, err }).toStrictEqual({ code: 1, err: "veritest: No file was changed.\n" });
    expect(out.endsWith(`Write this? [y/N] ${typed === "" ? "\n" : ""}`)).toBe(true);
    expect(filesOf(root)).toStrictEqual(VITEST);
  }
  const root = makeProject(VITEST);
  expect(await init(root, [], { typed: "y\n" })).toMatchObject({ code: 0, err: "" });
  expect(existsSync(join(root, "vitest.config.js"))).toBe(true);
});

test("lists the changes and makes none if it isn't interactive", async () => {
  const root = makeProject(VITEST);
  const { code, out, err } = await init(root, []);
  expect({ code, err }).toStrictEqual({
    code: 2,
    err: "veritest: Not interactive, so no file was changed. Run: npx veritest init --yes\n",
  });
  expect(out).toContain("steps/read-order.js (new)\n");
  expect(filesOf(root)).toStrictEqual(VITEST);
});

test("lists steps that it leaves to the user, does the others, and exits with 1", async () => {
  const config = `import base from "./base.js";\n\nexport default { ...base };\n`;
  const root = makeProject({ ...VITEST, "vitest.config.js": config });
  const { code, out } = await init(root, ["--yes"]);
  expect(code).toBe(1);
  expect(readFileSync(join(root, "vitest.config.js"), "utf8")).toBe(config);
  expect(
    out,
  ).toContain(`vitest.config.js can't be edited: an object that is spread into it might have plugins. Add these lines by hand:
  import { veritest } from "veritest/plugin";
  plugins: [veritest()]
`);
  expect(out).toContain("No sample was written: vitest.config.js doesn't match a test file of the sample.\n");
  expect(existsSync(join(root, "steps/read-order.js"))).toBe(false);
});

test("leaves the projects of a workspace to the user", async () => {
  const root = makeProject({
    ...VITEST,
    "vitest.workspace.ts": `export default ["packages/*"];\n`,
    "a.ts": "defineStep(",
  });
  expect(await init(root, ["--yes"])).toMatchObject({
    code: 1,
    out: expect.stringContaining(
      "vitest.workspace.ts can't be edited: each of its projects needs the plugin (in a package, run veritest init there). Add these lines by hand:\n",
    ),
  });
});

test.each<[string, Files, readonly string[]]>([
  [
    "Vitest and CommonJS",
    { "package.json": `{ "devDependencies": { "vitest": "5" } }` },
    ["steps/read-order.mjs", "steps/read-order.test.mjs", "veritest.config.mjs", "vitest.config.mjs"],
  ],
  [
    "Vitest and TypeScript",
    { ...VITEST, "tsconfig.json": "{}" },
    ["steps/read-order.test.ts", "steps/read-order.ts", "veritest.config.js", "veritest.d.ts", "vitest.config.ts"],
  ],
  [
    "TypeScript with endings, in src",
    {
      "package.json": `{ "devDependencies": { "vitest": "5" } }`,
      "tsconfig.json": `{ "compilerOptions": { "allowImportingTsExtensions": true } }`,
      "src/a.ts": "",
    },
    [
      "src/steps/read-order.test.ts",
      "src/steps/read-order.ts",
      "src/veritest.d.ts",
      "veritest.config.ts",
      "vitest.config.mts",
    ],
  ],
  [
    "nothing at all",
    { "package.json": "{}" },
    ["steps/read-order.mjs", "steps/read-order.test.mjs", "veritest.config.mjs", "vitest.config.mjs"],
  ],
  [
    "Jest",
    { "package.json": `{ "devDependencies": { "jest": "30" } }` },
    ["jest.config.js", "steps/read-order.js", "steps/read-order.test.js", "veritest.config.mjs"],
  ],
  [
    "Jest and ES modules",
    { "package.json": `{ "type": "module", "devDependencies": { "jest": "30" } }` },
    ["jest.config.cjs", "steps/read-order.js", "steps/read-order.test.js", "veritest.config.js"],
  ],
  [
    "Jest and TypeScript without a transform",
    { "package.json": `{ "devDependencies": { "jest": "30", "typescript": "6" } }` },
    ["jest.config.js", "steps/read-order.js", "steps/read-order.test.js", "veritest.config.mjs"],
  ],
  [
    "Jest and ts-jest",
    {
      "package.json": `{ "devDependencies": { "jest": "30", "ts-jest": "29", "typescript": "6" } }`,
      "jest.config.js": `module.exports = { preset: "ts-jest" };\n`,
    },
    ["steps/read-order.test.ts", "steps/read-order.ts", "veritest.config.mjs", "veritest.d.ts"],
  ],
  ["a project that has steps", { ...VITEST, "lib/a.ts": "export const a = defineStep({})" }, ["vitest.config.js"]],
  [
    "a project that has a configuration of veritest",
    { ...VITEST, "veritest.config.js": "export default {};\n" },
    ["steps/read-order.js", "steps/read-order.test.js", "vitest.config.js"],
  ],
])("writes suitable files for %s", async (_what, files, added) => {
  const root = makeProject(files);
  expect(await init(root, ["--yes"])).toMatchObject({ code: 0, err: "" });
  expect(Object.keys(filesOf(root)).filter((path) => !Object.hasOwn(files, path))).toStrictEqual(added);
});

test.each<[string, Files]>([
  ["jest.config.mjs", { "jest.config.mjs": `import nextJest from "next/jest.js";\nexport default nextJest()({});\n` }],
  [
    "package.json",
    { "package.json": JSON.stringify({ babel: { presets: ["next/babel"] }, devDependencies: { jest: "30" } }) },
  ],
  ["a configuration of Babel", { ".babelrc": '{ "presets": ["next/babel"] }' }],
])("writes TypeScript for tests that Next.js transforms by %s", async (_what, files) => {
  const root = makeProject({
    "package.json": `{ "devDependencies": { "jest": "30", "typescript": "6" } }`,
    "tsconfig.json": "{}",
    ...files,
  });
  const { code, out } = await init(root, ["--yes"]);
  expect(code).toBe(0);
  expect(out).not.toContain("swc");
  const written = Object.keys(filesOf(root));
  expect(written).toEqual(expect.arrayContaining(["steps/read-order.ts", "steps/read-order.test.ts", "veritest.d.ts"]));
});

test.each<[string, Files, string | undefined]>([
  ["Vitest", { ...VITEST, "tsconfig.json": "{}" }, '/// <reference types="veritest/vitest" />\n'],
  [
    "ts-jest",
    { ...dependsOn("jest", "ts-jest", "@types/jest"), "tsconfig.json": "{}" },
    '/// <reference types="jest" />\n/// <reference types="veritest/jest" />\n',
  ],
  [
    "a project that has steps",
    { ...VITEST, "tsconfig.json": "{}", "lib/a.ts": "export const a = defineStep({})" },
    '/// <reference types="veritest/vitest" />\n',
  ],
  [
    "a project whose tsconfig names them",
    { ...VITEST, "tsconfig.json": '{ "types": ["veritest/vitest"] }' },
    undefined,
  ],
  [
    "ts-jest without a tsconfig",
    dependsOn("jest", "ts-jest", "typescript", "@types/jest"),
    '/// <reference types="jest" />\n/// <reference types="veritest/jest" />\n',
  ],
  ["TypeScript without a tsconfig", { ...dependsOn("vitest", "typescript") }, undefined],
  ["JavaScript", VITEST, undefined],
  ["Jest that doesn't transform TypeScript", { ...dependsOn("jest"), "tsconfig.json": "{}" }, undefined],
])("adds the types of the matchers to all tests by a file: %s", async (_what, files, expected) => {
  const root = makeProject(files);
  await init(root, ["--yes"]);
  expect(filesOf(root)["veritest.d.ts"]).toBe(expected);
  expect(await init(root, ["--yes"])).toMatchObject({ code: 0, err: "" });
});

function dependsOn(...names: readonly string[]): Files {
  const devDependencies = Object.fromEntries(names.map((name) => [name, "*"]));
  return { "package.json": JSON.stringify({ type: "module", devDependencies }) };
}

test.each<[string, readonly string[], string]>([
  ["OpenAI", ["vitest", "openai"], "veritest({ fetch: true })"],
  ["Anthropic", ["vitest", "@anthropic-ai/sdk"], "veritest({ fetch: true })"],
  ["LangChain", ["vitest", "@langchain/openai"], "veritest({ fetch: true })"],
  ["Groq", ["vitest", "groq-sdk"], "veritest({ fetch: true })"],
  ["ky", ["vitest", "ky"], "veritest({ fetch: true })"],
  ["the AI SDK 7", ["vitest", "ai"], "veritest({ aiSdk: true })"],
  ["two clients", ["vitest", "ai", "openai"], "veritest({ fetch: true, aiSdk: true })"],
  ["none", ["vitest", "express"], "veritest()"],
])("writes the recorders of %s into a new configuration and an existing one", async (_what, names, plugin) => {
  const [fresh, own] = [dependsOn(...names), "export default { test: {} };\n"];
  const root = makeProject(fresh);
  await init(root, ["--yes"]);
  const [limit, remark] =
    plugin === "veritest()"
      ? ["", ""]
      : [
          ", test: { testTimeout: 60_000 }",
          "The first run of a test waits for the model, but a test fails after 5 seconds. " +
            "To allow more time, set in vitest.config.js: test: { testTimeout: 60_000 }\n",
        ];
  expect(filesOf(root)["vitest.config.js"]).toContain(`defineConfig({ plugins: [${plugin}]${limit} });`);
  const edited = makeProject({ ...fresh, "vitest.config.js": own });
  const { out } = await init(edited, ["--yes"]);
  expect(filesOf(edited)["vitest.config.js"]).toContain(`export default { plugins: [${plugin}], test: {} };`);
  expect(/^The first run.*\n/m.exec(out)?.[0] ?? "").toBe(remark);
});

test.each([
  ["^6.0.0", "veritest({ fetch: true })"],
  ["~4.3", "veritest({ fetch: true })"],
  ["7.0.1", "veritest({ aiSdk: true })"],
])("the AI SDK %s is recorded by %s", async (range, plugin) => {
  const root = makeProject({
    "package.json": `{ "devDependencies": { "vitest": "5" }, "dependencies": { "ai": "${range}" } }`,
  });
  await init(root, ["--yes"]);
  expect(filesOf(root)["vitest.config.mjs"]).toContain(plugin);
});

test.each<[string, string | undefined, string]>([
  [
    "a new configuration",
    undefined,
    'module.exports = { preset: "veritest/jest", setupFiles: ["veritest/fetch-setup"], testTimeout: 60_000 };\n',
  ],
  [
    "an empty one",
    "module.exports = {};\n",
    'module.exports = { preset: "veritest/jest", setupFiles: ["veritest/fetch-setup"] };\n',
  ],
  [
    "one whose set-up files may build clients",
    "module.exports = { setupFiles: ['./clients.js'] };\n",
    "module.exports = { preset: 'veritest/jest', setupFiles: ['veritest/fetch-setup', './clients.js'] };\n",
  ],
])("Jest's fetch recorder is the first setup file of %s", async (_what, before, after) => {
  const root = makeProject({
    "package.json": `{ "devDependencies": { "jest": "30", "openai": "6" } }`,
    ...(before !== undefined && { "jest.config.js": before }),
  });
  await init(root, ["--yes"]);
  expect([filesOf(root)["jest.config.js"]]).toStrictEqual([after]);
});

test("names recorders that only the project's code can add", async () => {
  const root = makeProject(dependsOn("vitest", "@modelcontextprotocol/sdk"));
  expect((await init(root, ["--yes"])).out).toContain(
    'To record an MCP server, wrap its transport: client.connect(recordTransport(transport)). Import it from "veritest/mcp".\n',
  );
});

test.each<[string, Files, string | undefined, string | undefined]>([
  [
    "include names another folder",
    { ...VITEST, "vitest.config.js": 'export default { test: { include: ["test/**/*.spec.js"] } };\n' },
    "test/read-order.spec.js",
    'import { readOrder } from "../steps/read-order.js";',
  ],
  [
    "include is of picomatch",
    { ...VITEST, "vitest.config.js": 'export default { test: { include: ["**/*.+(spec|test).?(c|m)[jt]s?(x)"] } };\n' },
    "steps/read-order.test.js",
    'import { readOrder } from "./read-order.js";',
  ],
  [
    "include takes every file",
    { ...VITEST, "vitest.config.js": 'export default { test: { include: ["**/*.js"] } };\n' },
    undefined,
    undefined,
  ],
  [
    "exclude has its folder",
    { ...VITEST, "vitest.config.js": 'export default { test: { exclude: [...defaults, "steps/**"] } };\n' },
    "test/read-order.test.js",
    'import { readOrder } from "../steps/read-order.js";',
  ],
  [
    "include isn't a list of texts",
    { ...VITEST, "vitest.config.js": "export default { test: { include: patterns } };\n" },
    undefined,
    undefined,
  ],
  [
    "testMatch names a folder",
    {
      "package.json": `{ "devDependencies": { "jest": "30" }, "jest": { "testMatch": ["<rootDir>/checks/**/__tests__/*.js"] } }`,
    },
    "checks/__tests__/read-order.js",
    'const { readOrder } = require("../../steps/read-order.js");',
  ],
  [
    "testRegex",
    {
      "package.json": `{ "devDependencies": { "jest": "30" } }`,
      "jest.config.js": `module.exports = { testRegex: "/tests/.*\\\\.spec\\\\.js$" };\n`,
    },
    "tests/read-order.spec.js",
    'const { readOrder } = require("../steps/read-order.js");',
  ],
  [
    "testRegex with an escape that the flag u refuses",
    {
      "package.json": `{ "devDependencies": { "jest": "30" } }`,
      "jest.config.js": `module.exports = { testRegex: "\\\\.e2e\\\\-spec\\\\.js$" };\n`,
      "steps/a.e2e-spec.js": "",
    },
    undefined,
    undefined,
  ],
  [
    "projects of Jest",
    {
      "package.json": `{ "devDependencies": { "jest": "30" } }`,
      "jest.config.js": `module.exports = { projects: ["<rootDir>/steps", "<rootDir>/web/jest.config.js"] };\n`,
    },
    "steps/read-order.test.js",
    'const { readOrder } = require("./read-order.js");',
  ],
  [
    "projects of Vitest in place",
    {
      ...VITEST,
      "vitest.config.js":
        'export default { test: { projects: ["packages/*", { test: { include: ["unit/**/*.spec.js"] } }] } };\n',
    },
    "unit/read-order.spec.js",
    'import { readOrder } from "../steps/read-order.js";',
  ],
  [
    "projects in packages",
    { ...VITEST, "vitest.config.js": 'export default { test: { projects: ["packages/*"] } };\n' },
    undefined,
    undefined,
  ],
  [
    "roots and ignored paths",
    {
      "package.json": `{ "devDependencies": { "jest": "30" } }`,
      "jest.config.js": `module.exports = { roots: ["<rootDir>/src"], testPathIgnorePatterns: ["/steps/"] };\n`,
      "src/a.js": "",
    },
    "src/read-order.test.js",
    'const { readOrder } = require("./steps/read-order.js");',
  ],
])("the runner finds the sample's test: %s", async (_what, files, path, line) => {
  const root = makeProject(files);
  const { out } = await init(root, ["--yes"]);
  const written = Object.entries(filesOf(root)).filter(([, text]) => text.includes('test("two articles"'));
  expect(written.map(([name]) => name)).toStrictEqual(path === undefined ? [] : [path]);
  if (line !== undefined) expect(written[0]?.[1].split("\n")).toContain(line);
  expect(out.includes("No sample was written")).toBe(path === undefined);
});

test("a package of a workspace uses the runner and packages of the directories above it", async () => {
  const root = makeProject({
    "package.json": `{ "workspaces": ["packages/*"], "devDependencies": { "jest": "30", "veritest": "1", "zod": "4" } }`,
    "packages/a/package.json": `{ "name": "a" }`,
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/objects/x": "",
    ".git/refs/x": "",
  });
  const { out } = await init(join(root, "packages/a"), ["--yes"]);
  expect(out).toMatch(/^Jest, JavaScript, npm\n/);
  expect(out).not.toContain("npm install");
  expect(filesOf(root)["packages/a/jest.config.js"]).toBe('module.exports = { preset: "veritest/jest" };\n');
});

test.each<[string, Files]>([
  ["JavaScript", { "packages/a/src/a.js": "" }],
  ["TypeScript", { "packages/a/src/a.tsx": "", "packages/a/eslint.config.js": "" }],
  ["JavaScript", { "packages/a/src/a.js": "", "packages/a/index.d.ts": "" }],
  ["TypeScript", { "packages/a/vitest.config.js": "" }],
  ["TypeScript", { "packages/a/src/a.vue": "", "packages/a/.eslintrc.cjs": "" }],
])("a package below one that installs TypeScript gets a sample in %s if its code is %j", async (language, files) => {
  const root = makeProject({
    "package.json": `{ "devDependencies": { "vitest": "5", "typescript": "7", "veritest": "1", "zod": "4" } }`,
    "packages/a/package.json": `{ "type": "module" }`,
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/objects/x": "",
    ".git/refs/x": "",
    ...files,
  });
  const { out } = await init(join(root, "packages/a"), ["--yes"]);
  expect(out.split("\n")[0]).toMatch(new RegExp(`^Vitest.*, ${language}, npm$`));
});

test.each<[string, Files, readonly string[], number]>([
  ["runs the tests of all packages", {}, [], 1],
  [
    "has projects",
    { "vitest.config.js": `export default { test: { projects: ["packages/*"] } };\n` },
    ["vitest.config.mjs"],
    0,
  ],
  [
    "isn't used by the package's script",
    { "packages/a/package.json": `{ "scripts": { "test": "vitest run" } }` },
    ["vitest.config.mjs"],
    0,
  ],
])("a package below a configuration that %s", async (_what, files, written, code) => {
  const root = makeProject({
    "package.json": `{ "devDependencies": { "vitest": "5", "veritest": "1", "zod": "4" } }`,
    "vitest.config.js": `export default { test: { include: ["packages/**/*.spec.js", "packages/**/*.spec.mjs"] } };\n`,
    "packages/a/package.json": "{}",
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/objects/x": "",
    ".git/refs/x": "",
    ...files,
  });
  const ran = await init(join(root, "packages/a"), ["--yes"]);
  expect(ran.code).toBe(code);
  expect(
    Object.keys(filesOf(join(root, "packages/a"))).filter((path) => path.startsWith("vitest.config")),
  ).toStrictEqual(written);
  expect(ran.out.includes("../../vitest.config.js can't be edited: it also runs the tests of other packages.")).toBe(
    code === 1,
  );
  expect(existsSync(join(root, "packages/a/steps/read-order.spec.mjs"))).toBe(code === 1);
});

test.each<[string, Files]>([
  [
    "Vitest",
    {
      "package.json": `{ "workspaces": ["packages/*"], "devDependencies": { "vitest": "5" } }`,
      "vitest.config.js": `export default { test: { projects: ["packages/*"] } };\n`,
      "packages/a/vitest.config.js": `import { veritest } from "veritest/plugin";\n`,
    },
  ],
  [
    "Jest",
    {
      "package.json": `{ "workspaces": ["packages/*"], "devDependencies": { "jest": "30" } }`,
      "jest.config.js": `module.exports = { projects: ["<rootDir>/packages/a"], reporters: ["default", "veritest/reporter/jest"] };\n`,
      "packages/a/jest.config.js": `module.exports = { preset: "veritest/jest" };\n`,
    },
  ],
])("the root of a workspace whose packages are set up needs no change: %s", async (_runner, files) => {
  const root = makeProject({ ...files, "packages/a/step.js": "defineStep(" });
  const { code, out } = await init(root, ["--yes"]);
  expect({ code, lines: out.split("\n").slice(2, 6) }).toStrictEqual({
    code: 0,
    lines: ["The project is already set up. No files need to change.", "", "Next:", expect.stringMatching(/^ {2}npx /)],
  });
});

test("the root of a Jest workspace without the reporter isn't set up", async () => {
  const root = makeProject({
    "package.json": `{ "workspaces": ["packages/*"], "devDependencies": { "jest": "30" } }`,
    "jest.config.js": `module.exports = { projects: ["<rootDir>/packages/a"] };\n`,
    "packages/a/jest.config.js": `module.exports = { preset: "veritest/jest" };\n`,
    "packages/a/step.js": "defineStep(",
  });
  const { code, out } = await init(root, ["--yes"]);
  expect({ code, lines: out.split("\n").slice(2, 4) }).toStrictEqual({
    code: 1,
    lines: [
      "jest.config.js can't be edited: it needs the reporter, because Jest ignores reporters of projects. Add these lines by hand:",
      `  reporters: ["default", "veritest/reporter/jest"]`,
    ],
  });
});

test("doesn't set up the root of a workspace without a runner", async () => {
  const root = makeProject({ "package.json": `{ "workspaces": ["packages/*"] }` });
  expect(await init(root, ["--yes"])).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: ${root} is a workspace, and its package.json has no test runner. Run init in the package with your steps.\n`,
  });
});

/** A project with a runner that prints the sample step, and fails if a word of it changed. */
function demoProject(script: string): string {
  const root = makeProject({ ...VITEST, "bin/npx": script });
  chmodSync(join(root, "bin/npx"), 0o755);
  return root;
}

const FAILING = `#!/bin/sh
echo "$@ $VERITEST_REPORT" >> ran.txt
grep -q today steps/read-order.js || { echo red >&2; exit 1; }
`;

test("--demo captures the sample, and shows a failure and a report of a change, which it undoes", {
  tags: "deep",
}, async () => {
  const root = demoProject(FAILING);
  const environment = { PATH: `${join(root, "bin")}${delimiter}${process.env["PATH"]}` };
  const { code, out, err } = await init(root, ["--yes", "--demo"], { environment });
  expect({ code, err }).toStrictEqual({ code: 0, err: "red\n" });
  expect(filesOf(root)["ran.txt"]).toBe(
    "vitest run steps/read-order.test.js \nvitest run steps/read-order.test.js html\n",
  );
  expect(filesOf(root)["steps/read-order.js"]).toContain("\\btoday\\b");
  expect(out).toContain(
    `You get such a failure after a change. The demo replaced \\btoday\\b by \\bnow\\b in steps/read-order.js, and restored it.
No change is pending.
To see it as a page, open: veritest-report/report.html
`,
  );
  // The sample that is there already runs again.
  expect((await init(root, ["--yes", "--demo"], { environment })).code).toBe(0);
});

test.each<[string, string, NodeJS.ProcessEnv, string]>([
  [
    "the sample fails",
    "#!/bin/sh\nexit 1\n",
    {},
    "npx vitest run steps/read-order.test.js failed, and its output is above. The demo needs a test that passes.",
  ],
  [
    "the change isn't noticed",
    "#!/bin/sh\nexit 0\n",
    {},
    "npx vitest run steps/read-order.test.js passed although the step changed. Check that this configuration sets up veritest.",
  ],
  ["it runs in CI", "", { CI: "1" }, "--demo captures baselines, which CI never writes. Run it on your machine."],
])("--demo reports that %s", async (_what, script, more, problem) => {
  const root = demoProject(script);
  const environment = { PATH: `${join(root, "bin")}${delimiter}${process.env["PATH"]}`, ...more };
  expect(await init(root, ["--yes", "--demo"], { environment })).toMatchObject({
    code: 2,
    err: `veritest: ${problem}\n`,
  });
});

test.each<[string, Files, string]>([
  [
    "packages are missing",
    { "package.json": `{ "devDependencies": { "vitest": "5" } }` },
    "--demo runs the sample, which needs veritest, zod. Add --install.",
  ],
  [
    "there are other steps",
    { ...VITEST, "a.js": "defineStep(" },
    "--demo changes the sample step that init writes, but this project doesn't have that step, or it was edited. Run --demo in a new project.",
  ],
  [
    "the sample was edited",
    { ...VITEST, "steps/read-order.js": "// mine\n" },
    "--demo changes the sample step that init writes, but this project doesn't have that step, or it was edited. Run --demo in a new project.",
  ],
])("--demo is refused before any file is written if %s", async (_what, files, problem) => {
  const root = makeProject(files);
  expect(await init(root, ["--yes", "--demo"])).toStrictEqual({ code: 2, out: "", err: `veritest: ${problem}\n` });
  expect(filesOf(root)).toStrictEqual(files);
});

test("--gitattributes makes git merge baselines, and GitHub collapse them, once", { tags: "deep" }, async () => {
  const root = makeProject({ ...VITEST, "node_modules/veritest/dist/merge-driver.js": "// merges\n" });
  spawnSync("git", ["init", "--quiet"], { cwd: root });
  const { code, out } = await init(root, ["--yes", "--gitattributes"]);
  expect(code).toBe(0);
  expect(out).toContain("written  .gitattributes: **/__baselines__/**/*.json linguist-generated\n");
  const lines = "**/__baselines__/**/*.json merge=veritest\n**/__baselines__/**/*.json linguist-generated\n";
  expect(filesOf(root)[".gitattributes"]).toBe(lines);
  await init(root, ["--yes", "--gitattributes"]);
  expect(filesOf(root)[".gitattributes"]).toBe(lines);
  expect(filesOf(root)[".git/config"]).toContain('[merge "veritest"]');
});

test("--gitattributes requires a repository", async () => {
  const root = makeProject(VITEST);
  expect(await init(root, ["--yes", "--gitattributes"])).toMatchObject({
    code: 2,
    err: `veritest: ${root} isn't in a git repository. Run this command in a repository, or create one first: git init\n`,
  });
});

test("writes CommonJS for Jest, without imports of Jest's globals", async () => {
  const root = makeProject({ "package.json": `{ "devDependencies": { "jest": "30" } }` });
  await init(root, ["--yes"]);
  const {
    "steps/read-order.js": step = "",
    "steps/read-order.test.js": own = "",
    "jest.config.js": config,
  } = filesOf(root);
  expect(step.startsWith(`const { defineStep } = require("veritest");\nconst { z } = require("zod");\n`)).toBe(true);
  expect(step.endsWith("\nmodule.exports = { readOrder };\n")).toBe(true);
  expect(own.startsWith(`const { readOrder } = require("./read-order.js");\n\ntest("two articles"`)).toBe(true);
  expect(config).toBe(`module.exports = { preset: "veritest/jest" };\n`);
});

test.each([
  "ts-jest",
  "@swc/jest",
])("a new configuration of Jest has the transform of %s for TypeScript", async (name) => {
  const root = makeProject({
    "package.json": `{ "devDependencies": { "jest": "30", "${name}": "1", "@types/jest": "30", "typescript": "6" } }`,
  });
  await init(root, ["--yes"]);
  const { "jest.config.js": config, "steps/read-order.test.ts": own } = filesOf(root);
  expect(config).toBe(`module.exports = { preset: "veritest/jest", transform: { "\\\\.tsx?$": "${name}" } };\n`);
  expect(own?.split("\n").slice(0, 3)).toStrictEqual([
    '/// <reference types="jest" />',
    '/// <reference types="veritest/jest" />',
    'import { readOrder } from "./read-order";',
  ]);
});

test.each<[string, Files, string]>([
  ["its own configuration", { "tsconfig.json": '{ "compilerOptions": { "module": "NodeNext" } }' }, ".js"],
  [
    "one that it extends",
    {
      "tsconfig.json": '{ "extends": ["./base/strict", "./base/node.json"] }',
      "base/strict.json": "{}",
      "base/node.json": '{ "extends": "../root.json" }',
      "root.json": '{ "extends": "./tsconfig.json", "compilerOptions": { "module": "node16" } }',
    },
    ".js",
  ],
  ["none", { "tsconfig.json": '{ "extends": "./lost.json", "compilerOptions": { "module": "esnext" } }' }, ""],
])("imports by TypeScript's rules of modules, from %s", async (_what, files, extension) => {
  const root = makeProject({
    "package.json": `{ "type": "module", "devDependencies": { "vitest": "5", "veritest": "1", "zod": "4" } }`,
    ...files,
  });
  await init(root, ["--yes"]);
  expect(filesOf(root)["steps/read-order.test.ts"]).toContain(
    `import { readOrder } from "./read-order${extension}";\n`,
  );
});

test.each<[string, Files, boolean]>([
  ["nothing transforms it", {}, true],
  ["its configuration has no transform", { "jest.config.js": "module.exports = {};\n" }, true],
  ["Babel does", { "babel.config.js": "module.exports = {};\n" }, false],
  ["its configuration has a transform", { "jest.config.js": "module.exports = { transform: {} };\n" }, false],
])("TypeScript with Jest: init says what to install if %s", async (_what, files, isLacking) => {
  const root = makeProject({
    "package.json": `{ "devDependencies": { "jest": "30", "veritest": "1", "zod": "4", "typescript": "6" } }`,
    "tsconfig.json": "{}",
    ...files,
  });
  const { out } = await init(root, ["--yes"]);
  const path = "jest.config.js" in files ? "jest.config.js" : "jest.config";
  const remark =
    "Jest doesn't read TypeScript here. Run npm install --save-dev @swc/core @swc/jest, " +
    `and add to ${path}: transform: { "\\\\.tsx?$": "@swc/jest" }`;
  expect(out.includes(remark)).toBe(isLacking);
});

test("adds to the Jest configuration in package.json", async () => {
  const root = makeProject({
    "package.json": `{\n  "devDependencies": { "jest": "30" },\n  "jest": { "verbose": true }\n}\n`,
  });
  await init(root, ["--yes"]);
  expect(filesOf(root)["package.json"]).toBe(
    `{\n  "devDependencies": { "jest": "30" },\n  "jest": { "preset": "veritest/jest", "verbose": true }\n}\n`,
  );
});

test.each<[string, Files, NodeJS.ProcessEnv, string]>([
  [
    "pnpm by its lock file",
    { "pnpm-lock.yaml": "" },
    { npm_config_user_agent: "yarn/4" },
    "  pnpm add --save-dev veritest zod   the packages that aren't in package.json yet\n  pnpm exec vitest run ",
  ],
  [
    "yarn by its field",
    {
      "package-lock.json": "",
      "package.json": `{ "packageManager": "yarn@4.1.0", "devDependencies": { "vitest": "5" } }`,
    },
    {},
    "  yarn add --dev veritest zod   the packages that aren't in package.json yet\n  yarn vitest run ",
  ],
  [
    "bun by what started it",
    {},
    { npm_config_user_agent: "bun/1.2 linux" },
    "  bun add --dev veritest zod   the packages that aren't in package.json yet\n  bunx vitest run ",
  ],
  [
    "npm otherwise",
    {},
    {},
    "  npm install --save-dev veritest zod   the packages that aren't in package.json yet\n  npx vitest run ",
  ],
])("uses %s", async (_what, files, environment, next) => {
  const root = makeProject({ "package.json": `{ "devDependencies": { "vitest": "5" } }`, ...files });
  expect((await init(root, ["--yes"], { environment })).out).toContain(`Next:\n${next}`);
});

test.each<[string, Files, boolean]>([
  ["nothing transforms", {}, true],
  ["Babel transforms", { "babel.config.js": "" }, false],
  ["a transform of its own does", { "jest.config.cjs": `module.exports = { transform: {} };\n` }, false],
  [
    "its script says so",
    {
      "package.json": `{ "type": "module", "scripts": { "test": "node --experimental-vm-modules jest" }, "devDependencies": { "jest": "30" } }`,
    },
    false,
  ],
])("Jest requires a flag for ES modules that %s", async (_what, files, flagged) => {
  const root = makeProject({
    "package.json": `{ "type": "module", "devDependencies": { "jest": "30", "veritest": "1", "zod": "4" } }`,
    ...files,
  });
  expect((await init(root, ["--yes"])).out.includes("  NODE_OPTIONS=--experimental-vm-modules npx jest ")).toBe(
    flagged,
  );
});

test("installs what is missing only on request, with the project's package manager", async () => {
  const root = makeProject({
    "package.json": `{ "devDependencies": { "vitest": "5" } }`,
    "bin/npm": `#!/bin/sh\necho "$@" > ran.txt\n`,
  });
  chmodSync(join(root, "bin/npm"), 0o755);
  const environment = { PATH: `${join(root, "bin")}${delimiter}${process.env["PATH"]}` };
  expect(await init(root, ["--yes", "--install"], { environment })).toMatchObject({
    code: 0,
    out: expect.not.stringContaining("npm install"),
  });
  expect(filesOf(root)["ran.txt"]).toBe("install --save-dev veritest zod\n");
  const broken = makeProject({
    "package.json": `{ "devDependencies": { "vitest": "5" } }`,
    "bin/npm": "#!/bin/sh\necho no network >&2\nexit 1\n",
  });
  chmodSync(join(broken, "bin/npm"), 0o755);
  expect(await init(broken, ["--yes", "--install"], { environment: { PATH: join(broken, "bin") } })).toMatchObject({
    code: 2,
    err: "no network\nveritest: npm install --save-dev veritest zod failed. The files were written. Install veritest, zod by hand.\n",
  });
});

test.each<[string, Files, readonly string[], string]>([
  [
    "no package.json",
    { "veritest.config.js": "" },
    [],
    `ROOT doesn't have a package.json. To create one, run: npm init -y`,
  ],
  ["a package.json that is none", { "package.json": "[]" }, [], "ROOT/package.json doesn't contain a JSON object."],
  [
    "both runners",
    { "package.json": `{ "devDependencies": { "vitest": "5", "jest": "30" } }` },
    [],
    "This project has Vitest and Jest. Choose one: --runner vitest or --runner jest.",
  ],
])("%s is an error with advice", async (_what, files, argv, problem) => {
  const root = makeProject(files);
  expect(await init(root, argv)).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: ${problem.replace("ROOT", root)}\n`,
  });
});

test("--runner selects one of two installed runners", async () => {
  const root = makeProject({ "package.json": `{ "devDependencies": { "vitest": "5", "jest": "30" } }` });
  expect(await init(root, ["--yes", "--runner", "jest"])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Jest, /),
  });
});

test("never overwrites a file, or one that changed meanwhile", async () => {
  const root = makeProject({ ...VITEST, "steps/read-order.js": "mine\n", "steps/other.js": "" });
  expect(await init(root, ["--yes"])).toMatchObject({ code: 0 });
  expect(filesOf(root)["steps/read-order.js"]).toBe("mine\n");
  expect(existsSync(join(root, "steps/read-order.test.js"))).toBe(false);
});

test("a second run changes no file, in any project", { tags: "deep" }, async () => {
  const dependencies = fc.subarray(["vitest", "jest", "typescript", "zod", "ts-jest", "veritest"]);
  const manifests = fc.record({
    type: fc.constantFrom("module", "commonjs"),
    devDependencies: dependencies.map((names) => Object.fromEntries(names.map((name) => [name, "1"]))),
  });
  const configs = fc.constantFrom<Files>(
    {},
    { "vitest.config.mjs": "export default {};\n" },
    { "vitest.config.mjs": "export default { ...base };\n" },
    { "vite.config.js": "module.exports = { plugins: [] };\n" },
    { "jest.config.json": "{}\n" },
    { "jest.config.cjs": `module.exports = { preset: "ts-jest", reporters: ["default"] };\n` },
    { "jest.config.js": "module.exports = require('./base');\n" },
    { "tsconfig.json": "{}\n" },
    { "veritest.config.mjs": "export default {};\n" },
  );
  await fc.assert(
    fc.asyncProperty(manifests, configs, fc.constantFrom("vitest", "jest"), async (manifest, config, runner) => {
      const root = makeProject({ ...config, "package.json": JSON.stringify(manifest) });
      const first = await init(root, ["--yes", "--runner", runner]);
      const once = filesOf(root);
      const second = await init(root, ["--yes", "--runner", runner]);
      expect(filesOf(root)).toStrictEqual(once);
      expect({ code: second.code, written: second.out.includes("Written:") }).toStrictEqual({
        code: first.code,
        written: false,
      });
    }),
    { numRuns: runCount(250) },
  );
});

test("adds a paragraph on baselines to an existing AGENTS.md once", async () => {
  const files = { "package.json": `{ "type": "module", "devDependencies": { "vitest": "^5", "zod": "^4" } }` };
  const root = makeProject({ ...files, "AGENTS.md": "# Rules\n\nBe kind.\n" });
  await init(root, ["--yes"]);
  const rules = readFileSync(join(root, "AGENTS.md"), "utf8");
  expect(rules).toBe(`# Rules

Be kind.

## veritest

Files in \`__baselines__\` are the expected results of tests. When a test with a baseline fails, read
\`node_modules/veritest/SKILL.md\` first. Don't run tests with \`-u\` or edit baselines unless the user asks for it.
`);
  await init(root, ["--yes"]);
  expect(readFileSync(join(root, "AGENTS.md"), "utf8")).toBe(rules);
  const without = makeProject(files);
  await init(without, ["--yes"]);
  expect(existsSync(join(without, "AGENTS.md"))).toBe(false);
});
