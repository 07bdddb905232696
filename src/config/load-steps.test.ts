import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";
import { loadSteps } from "./load-steps.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const IMPORTS = `import { z } from "zod";\nimport { defineStep } from "${ROOT}/src/kernel/step/define-step.ts";\n`;
const STEP = (name: string): string =>
  `defineStep({ name: "${name}", input: z.object({}), output: z.object({}), run: () => ({ output: {} }) })`;

function project(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-steps-")));
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  for (const [name, text] of Object.entries({ "package.json": '{ "type": "module" }', ...files })) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

/** The names of the steps that a project's configuration names, or what is wrong with it. */
async function stepsOf(files: Readonly<Record<string, string>>): Promise<readonly string[] | string> {
  const root = project(files);
  const config = await loadConfig(root);
  if (!config.ok) return config.error.replaceAll(`${root}/`, "");
  const steps = await loadSteps(config.value);
  return steps.ok ? [...steps.value.keys()] : steps.error.replaceAll(`${root}/`, "");
}

const MODULE = `${IMPORTS}export const one = ${STEP("one")};\nexport const two = ${STEP("two")};\nexport const helper = () => 1;\nexport const limits = { max: 3 };\n`;

test.each<[string, string, string, readonly string[]]>([
  ["a function that imports a module", "() => import('./steps/index.ts')", MODULE, ["one", "two"]],
  [
    "a function that gives a list",
    "async () => { const m = await import('./steps/index.ts'); return [m.two, { step: m.one, adapters: {} }]; }",
    MODULE,
    ["two", "one"],
  ],
  [
    "a module whose default is a list",
    "() => import('./steps/index.ts')",
    `${IMPORTS}export default [${STEP("a")}, { step: ${STEP("b")}, baselines: "x/__baselines__" }];`,
    ["a", "b"],
  ],
  [
    "a module that exports a step and its entry",
    "() => import('./steps/index.ts')",
    `${IMPORTS}export const a = ${STEP("a")};\nexport const entry = { step: a, adapters: () => ({}) };`,
    ["a"],
  ],
  [
    "TypeScript that Node cannot take",
    "() => import('./steps/index.ts')",
    `${IMPORTS}enum Kind { a = "kind" }\nexport const a = ${STEP("a")};\nexport const kind = Kind.a;`,
    ["a"],
  ],
  [
    "modules that a compiler allows: require beside import",
    "() => import('./steps/index.ts')",
    `${IMPORTS}const { sep } = require("node:path");\nexport const a = ${STEP("a")};\nexport const path = sep;`,
    ["a"],
  ],
  [
    "imports of JSON without an attribute",
    "() => import('./steps/index.ts')",
    `${IMPORTS}import manifest from "../package.json";\nexport const a = ${STEP("a")};\nexport const { type } = manifest;`,
    ["a"],
  ],
])("loads %s", { tags: "deep" }, async (_, steps, module, names) => {
  expect(
    await stepsOf({ "veritest.config.ts": `export default { steps: ${steps} };`, "steps/index.ts": module }),
  ).toStrictEqual(names);
});

test("loads a list in the configuration itself", async () => {
  expect(await stepsOf({ "veritest.config.ts": `${IMPORTS}export default { steps: [${STEP("a")}] };` })).toStrictEqual([
    "a",
  ]);
});

test("loading the configuration doesn't load its steps", async () => {
  const root = project({
    "veritest.config.ts": "export default { steps: () => import('./steps/index.ts') };",
    "steps/index.ts": "throw new Error('loaded');",
  });
  const config = await loadConfig(root);
  expect(config.ok).toBe(true);
  if (!config.ok) return;
  expect(await loadSteps(config.value)).toStrictEqual({
    ok: false,
    error: "veritest.config.ts: the steps can't be loaded: loaded",
  });
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  [
    "JSX in a file that the steps import",
    { "index.ts": 'export * from "./mail";', "mail.js": "export const a = 1;\nexport const mail = <p/>;" },
    `Unexpected token '<' in steps/mail.js`,
  ],
  [
    "JSX in a TypeScript file",
    { "index.ts": "const a = 1;\nexport const mail = <p/>;" },
    "Expression expected in steps/index.ts:2",
  ],
  [
    "Flow types",
    { "index.ts": 'export * from "./mail.js";', "mail.js": "export const a = (x: string) => x;" },
    "Unexpected token ':' in steps/mail.js",
  ],
  [
    "other invalid syntax",
    { "index.ts": 'export * from "./mail.js";', "mail.js": "export const a = ];" },
    "Unexpected token ']' in steps/mail.js",
  ],
  [
    "JSX by the name of its file",
    { "index.ts": 'export * from "./mail.jsx";', "mail.jsx": "export const mail = <p/>;" },
    'Unknown file extension ".jsx" for steps/mail.jsx',
  ],
  [
    "a syntax error that the code throws itself",
    { "index.ts": "JSON.parse('<');" },
    "Unexpected token '<', \"<\" is not valid JSON",
  ],
  [
    "an import of a file that doesn't exist",
    { "index.ts": 'export * from "./nope";' },
    "Cannot find module 'steps/nope' imported from steps/index.ts",
  ],
  [
    "a required file that doesn't exist",
    { "index.ts": 'export * from "./mail.cjs";', "mail.cjs": 'require("./nope");' },
    "Cannot find module './nope' imported from steps/mail.cjs",
  ],
])("names the file with %s, and doesn't advise jiti", { tags: "deep" }, async (_what, files, problem) => {
  const paths = Object.fromEntries(Object.entries(files).map(([name, text]) => [`steps/${name}`, text]));
  const config = { "veritest.config.ts": "export default { steps: () => import('./steps/index.ts') };" };
  const root = project({ ...config, ...paths });
  rmSync(join(root, "node_modules"));
  const loaded = await loadConfig(root);
  const steps = loaded.ok ? await loadSteps(loaded.value) : loaded;
  expect(steps.ok ? "loaded" : steps.error.replaceAll(`${root}/`, "")).toBe(
    `veritest.config.ts: the steps can't be loaded: ${problem}`,
  );
});

test.each<[string, string, string]>([
  [
    "steps: 'steps/index.ts'",
    "",
    'veritest.config.ts: steps: expected a list of steps, or a function that gives them (() => import("./steps/index.ts")), got a string.',
  ],
  [
    "steps: [1]",
    "",
    "veritest.config.ts: steps: element 0 isn't a step: expected the result of defineStep, or { step, adapters?, baselines?, clock? }, got a number.",
  ],
  [
    "steps: [() => import('./steps/index.ts')]",
    "",
    "veritest.config.ts: steps: element 0 isn't a step: expected the result of defineStep, or { step, adapters?, baselines?, clock? }, got a function. Pass one function that returns all steps, without brackets.",
  ],
  [
    "steps: [{ step: {} }]",
    "",
    'veritest.config.ts: steps: element 0 isn\'t a step: expected the result of defineStep, or { step, adapters?, baselines?, clock? }, got an entry in which "step" is an object.',
  ],
  ["", "", 'veritest.config.ts names no steps. Add them: steps: () => import("./steps/index.ts")'],
  [
    "steps: () => import('./steps/index.ts')",
    "export const a = 1, b = {};",
    'veritest.config.ts: steps: the module exports "a", "b", none of which is a step. Export a step made with defineStep.',
  ],
  [
    "steps: () => import('./steps/index.ts')",
    "export {};",
    "veritest.config.ts: steps: the module exports nothing. Export a step made with defineStep.",
  ],
  [
    "steps: () => undefined",
    "",
    "veritest.config.ts: steps: expected steps, or a module that exports them, got undefined.",
  ],
  [
    "steps: () => [{ step: 1 }]",
    "",
    'veritest.config.ts: steps: element 0 isn\'t a step, but an entry in which "step" is a number.',
  ],
  [
    "steps: async () => { const { a } = await import('./steps/index.ts'); return [{ step: a, adapter: {} }]; }",
    `${IMPORTS}export const a = ${STEP("a")};`,
    "veritest.config.ts: steps: element 0 isn't a step, but an entry in which \"adapter\" isn't one of step, adapters, baselines, clock.",
  ],
  [
    "steps: async () => { const { a } = await import('./steps/index.ts'); return [{ step: a, clock: 'frosen' }]; }",
    `${IMPORTS}export const a = ${STEP("a")};`,
    'veritest.config.ts: steps: element 0 isn\'t a step, but an entry in which "clock" isn\'t "frozen" or a time: "frosen".',
  ],
  [
    "steps: async () => { const { a } = await import('./steps/index.ts'); return [{ step: a, baselines: 'here' }]; }",
    `${IMPORTS}export const a = ${STEP("a")};`,
    'veritest.config.ts: the baselines of "a" are in "here": the directory must be named __baselines__.',
  ],
  [
    "steps: () => import('./steps/index.ts')",
    `${IMPORTS}export const a = ${STEP("same")};\nexport const b = ${STEP("same")};`,
    'veritest.config.ts: two steps have the name "same". Baselines are found by the name of their step. Rename one of the steps.',
  ],
])("{ %s } with %j is an error that names the found value", async (key, module, message) => {
  expect(await stepsOf({ "veritest.config.ts": `export default { ${key} };`, "steps/index.ts": module })).toBe(message);
});

test("returns no steps without a configuration", async () => {
  expect(await stepsOf({})).toBe(
    'There is no veritest.config.ts here, and so no steps to run. In a monorepo, run the command in a package. To add one: export default defineConfig({ steps: () => import("./steps/index.ts") })',
  );
});

test("adapters are made when they are first requested, and once", async () => {
  const root = project({
    "veritest.config.ts": `${IMPORTS}let made = 0;\nexport default { steps: [{ step: ${STEP("a")}, adapters: () => ({ made: ++made }) }, { step: ${STEP("b")}, adapters: () => 1 }] };`,
  });
  const config = await loadConfig(root);
  const steps = config.ok ? await loadSteps(config.value) : undefined;
  if (steps?.ok !== true) throw new Error("not loaded");
  const [a, b] = [steps.value.get("a"), steps.value.get("b")];
  expect(await Promise.all([a?.adapters?.(), a?.adapters?.()])).toStrictEqual([{ made: 1 }, { made: 1 }]);
  await expect(b?.adapters?.()).rejects.toThrow('"adapters" must return an object, got number');
});
