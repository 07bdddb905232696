import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { projectPaths } from "../src/kernel/files/project-paths.ts";
import { type Project, litterOf, makeProject, removeProjects } from "../test-support/trial-project.ts";
import { installDirectory } from "./harness/install.ts";
import { type Runner, newest } from "./harness/runners.ts";
import type { VerifiedCommitOptions } from "../src/extras/verified-commit/run-options.ts";

afterAll(removeProjects, 120_000);

const VITEST = ["node", "node_modules/vitest/vitest.mjs", "run"];
const JEST = ["node", "node_modules/jest/bin/jest.js"];
const NODE = ["node", "--test"];

type Files = Readonly<Record<string, string | null>>;

/**
 * A repository of these files, with the packages of a runner if its tests need one. A run looks at each installed file
 * several times, so that ten thousand packages' files cost more than the tests.
 */
function repository(files: Files, runner?: Runner["kind"]): Project {
  const project = makeProject();
  put(project, { ".gitignore": "node_modules\n", "test/add.test.js": null, ...files });
  project.git("add", "--all");
  project.git("commit", "--quiet", "-m", "files");
  const installed = newest.find(({ kind }) => kind === runner);
  if (installed !== undefined)
    symlinkSync(join(installDirectory(installed), "node_modules"), join(project.root, "node_modules"));
  return project;
}

function put(project: Project, files: Files): void {
  for (const [path, text] of Object.entries(files))
    if (text === null) project.git("rm", "--quiet", "--force", "--", path);
    else project.put(path, text);
}

/** A run that writes these files, and what became of it: `committed`, or the rules that stood against it. */
async function ended(project: Project, files: Files, options: Partial<VerifiedCommitOptions> = {}): Promise<string> {
  const code = Object.entries(files).map(([path, text]) =>
    text === null
      ? `fs.rmSync(${JSON.stringify(path)})`
      : `fs.mkdirSync(require("path").dirname(${JSON.stringify(path)}), { recursive: true }); fs.writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(text)})`,
  );
  const lines: string[] = [];
  const outcome = await project.run({
    command: ["node", "-e", `const fs = require("fs"); ${code.join("; ")}`],
    budgetMs: 800_000,
    onOutput: (text) => void lines.push(text),
    ...options,
  });
  expect(litterOf(project)).toStrictEqual([]);
  if (outcome.kind !== "discarded") return outcome.kind === "committed" ? "committed" : JSON.stringify(outcome);
  const { gate, summary, details } = outcome.failure;
  const rules = details.map((line) => /\(([\w-]+)\)$/.exec(line)?.[1]);
  return rules.includes(undefined) || rules.length === 0
    ? [`${gate}: ${summary}`, ...details, ...lines].join("\n")
    : `${gate}: ${rules.join(", ")}`;
}

function check(run: readonly string[]): Pick<VerifiedCommitOptions, "checks"> {
  return { checks: [{ name: "tests", run, timeoutMs: 600_000 }] };
}

const ESM = `{ "type": "module", "scripts": { "test": "vitest run" } }\n`;
/** Tests of node:test start in a tenth of the time: they show what doesn't depend on the runner. */
const NODE_ESM = `{ "type": "module", "scripts": { "test": "node --test" } }\n`;
const WRONG = "export const add = (a, b) => a - b;\n";
const RIGHT = "export const add = (a, b) => a + b;\n";
const VITEST_TEST = `import { expect, test } from "vitest";
import { add } from "./add.js";
test("adds nothing", () => { expect(add(2, 0)).toBe(2); });
`;
const NODE_TEST = `import { test } from "node:test";
import assert from "node:assert/strict";
import { add } from "./add.js";
test("adds nothing", () => { assert.equal(add(2, 0), 2); });
`;

test.concurrent("a fix with a test that fails without it is committed", async () => {
  const project = repository({ "package.json": ESM, "add.js": WRONG, "add.test.js": VITEST_TEST }, "vitest");
  const added = `${VITEST_TEST}test("adds", () => { expect(add(1, 2)).toBe(3); });\n`;
  expect(await ended(project, { "add.js": RIGHT, "add.test.js": added }, check(VITEST))).toBe("committed");
});

test.concurrent("a fix with a test that passes without it is refused, unless a person allows it", async () => {
  const project = repository({ "package.json": NODE_ESM, "add.js": WRONG, "add.test.js": NODE_TEST });
  const files = {
    "add.js": RIGHT,
    "add.test.js": `${NODE_TEST}test("adds", () => { assert.equal(add(1, 0), 1); });\n`,
  };
  expect(await ended(project, files, check(["npm", "test"]))).toBe("results: tests-insensitive");
  const { limits } = project.options();
  const allowed = { ...check(NODE), limits: { ...limits, allow: ["tests-insensitive"] as const } };
  expect(await ended(project, files, allowed)).toBe("committed");
});

test.concurrent("a refactoring needs no test", async () => {
  const project = repository({ "package.json": NODE_ESM, "add.js": RIGHT, "add.test.js": NODE_TEST });
  const files = { "add.js": "export function add(a, b) {\n  return b + a;\n}\n" };
  expect(await ended(project, files, check(NODE))).toBe("committed");
});

const JEST_TEST = `const { add } = require("./add.js");
test("adds", () => { expect(add(1, 2)).toBe(3); });
`;
const COMMON = "exports.add = (a, b) => a + b;\n";

test.concurrent("a new feature whose tests cannot even be loaded without it is committed (Jest)", async () => {
  const project = repository({ "package.json": "{}\n", "add.js": COMMON, "add.test.js": JEST_TEST }, "jest");
  const files = {
    "subtract.js": "exports.subtract = (a, b) => a - b;\n",
    "subtract.test.js": `const { subtract } = require("./subtract.js");\ntest("subtracts", () => { expect(subtract(2, 1)).toBe(1); });\n`,
  };
  expect(await ended(project, files, check(JEST))).toBe("committed");
});

test.concurrent("a change of tests alone is committed, unless a test of it executes no assertion (Jest)", async () => {
  const project = repository({ "package.json": "{}\n", "add.js": COMMON, "add.test.js": JEST_TEST }, "jest");
  const more = `${JEST_TEST}test("adds nothing", () => { expect(add(1, 0)).toBe(1); });\n`;
  expect(await ended(project, { "add.test.js": more }, check(JEST))).toBe("committed");
  const silent = more.replace(
    "expect(add(1, 2)).toBe(3);",
    "for (const sum of [add(1, 2)].slice(1)) expect(sum).toBe(3);",
  );
  expect(await ended(project, { "add.test.js": silent }, check(JEST))).toBe("results: assertions-gone");
  const empty = `${more}test("adds more", () => { add(2, 2); });\n`;
  expect(await ended(project, { "add.test.js": empty }, check(JEST))).toBe("results: no-assertion");
});

test.concurrent("a test whose first assertion fails on the new code is reported (Jest)", async () => {
  const project = repository({ "package.json": "{}\n", "add.js": COMMON, "add.test.js": JEST_TEST }, "jest");
  const files = { "add.js": COMMON.replace("+", "-"), "add.test.js": JEST_TEST.replace("toBe(3)", "toBe(-1)") };
  const { limits } = project.options();
  const allowed = { ...check(JEST), limits: { ...limits, allow: ["test-changed"] as const } };
  expect(await ended(project, files, allowed)).toBe("results: expectation-changed");
});

test.concurrent("a test that no longer executes an assertion is reported (Vitest)", async () => {
  const several = VITEST_TEST.replace("expect(add(2, 0)).toBe(2);", "for (const n of [2]) expect(add(n, 0)).toBe(n);");
  const project = repository({ "package.json": ESM, "add.js": RIGHT, "add.test.js": several }, "vitest");
  const silent = several.replace("[2]", "[2].slice(1)");
  expect(await ended(project, { "add.test.js": silent }, check(VITEST))).toBe("results: assertions-gone");
  const more = { "add.test.js": several.replace("[2]", "[2, 3]") };
  expect(await ended(project, more, check(VITEST))).toBe("results: test-changed");
  const { limits } = project.options();
  const approved = { ...check(VITEST), limits: { ...limits, approvedTests: ["adds nothing"] } };
  expect(await ended(project, more, approved)).toBe("committed");
});

test.concurrent("a run whose tests can't be counted is refused, unless a person allows it", async () => {
  const project = repository({ "package.json": NODE_ESM, "add.js": WRONG, "add.test.js": NODE_TEST });
  const { limits } = project.options();
  const by = check(["sh", "-c", "node --test"]);
  const strict = { ...by, limits: { ...limits, allow: [] } };
  expect(await ended(project, { "add.js": RIGHT }, strict)).toBe("results: tests-not-measured");
  expect(await ended(project, { "README.md": "# Add\n" }, strict)).toBe("committed");
  expect(await ended(project, { "add.js": RIGHT }, by)).toBe("committed");
});

test.concurrent("a changed snapshot beside changed code is a changed expectation, which a person approves by the test's name", async () => {
  const snapshot = (sum: number): string =>
    `// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[\`adds 1\`] = \`${sum}\`;\n`;
  const source = `import { expect, test } from "vitest";\nimport { add } from "./add.js";\ntest("adds", () => { expect(add(1, 2)).toMatchSnapshot(); });\n`;
  const project = repository(
    {
      "package.json": ESM,
      "add.js": WRONG,
      "add.test.js": source,
      "__snapshots__/add.test.js.snap": snapshot(-1),
    },
    "vitest",
  );
  const files = { "add.js": RIGHT, "__snapshots__/add.test.js.snap": snapshot(3) };
  expect(await ended(project, files, check(VITEST))).toBe("results: expectation-changed");
  const { limits } = project.options();
  const approved = { ...check(VITEST), limits: { ...limits, approvedTests: ["adds"] } };
  expect(await ended(project, files, approved)).toBe("committed");
});

test.concurrent("TypeScript: a test for a fix of a type's method", async () => {
  const box = (body: string): string =>
    `export class Box {\n  readonly size: number;\n  constructor(size: number) { this.size = size; }\n  double(): number { return ${body}; }\n}\n`;
  const source = (title: string, size: number): string =>
    `import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { Box } from "./box.ts";\ntest(${JSON.stringify(title)}, () => { assert.equal(new Box(${size}).double(), ${size * 2}); });\n`;
  const project = repository({
    "package.json": NODE_ESM,
    "box.ts": box("this.size + 2"),
    "box.test.ts": source("doubles", 2),
  });
  const good = { "box.ts": box("this.size * 2"), "more.test.ts": source("doubles three", 3) };
  const idle = { "box.ts": box("this.size * 2"), "more.test.ts": source("doubles again", 2) };
  expect(await ended(project, idle, check(NODE))).toBe("results: tests-insensitive");
  expect(await ended(project, good, check(NODE))).toBe("committed");
});

test.concurrent("a test that the configuration leaves out does not run now", async () => {
  const project = repository(
    {
      "package.json": ESM,
      "add.js": RIGHT,
      "add.test.js": VITEST_TEST,
      "b.test.js": VITEST_TEST.replace("adds nothing", "b"),
    },
    "vitest",
  );
  const config = `export default { test: { exclude: ["b.test.js", "**/node_modules/**"] } };\n`;
  expect(await ended(project, { "vitest.config.mjs": config }, check(VITEST))).toBe("results: test-not-run");
});

test.concurrent("a package of a monorepo is measured in its own folder", async () => {
  const project = repository({
    "packages/one/package.json": `{ "type": "module", "scripts": { "test": "node --test" } }\n`,
    "packages/one/add.js": WRONG,
    "packages/one/add.test.js": NODE_TEST,
  });
  const paths = projectPaths(join(project.root, "packages/one"), project.options().environment);
  const idle = { "add.js": RIGHT, "add.test.js": `${NODE_TEST}test("adds", () => { assert.equal(add(1, 0), 1); });\n` };
  const good = { ...idle, "add.test.js": idle["add.test.js"].replace("add(1, 0), 1", "add(1, 2), 3") };
  expect(await ended(project, idle, { ...check(["npm", "test"]), paths })).toBe("results: tests-insensitive");
  expect(await ended(project, good, { ...check(["npm", "run", "test"]), paths })).toBe("committed");
});

test.concurrent("a flaky test outside the run is not evidence for it", async () => {
  const flaky = (file: string): string =>
    `import fs from "node:fs";\ntest("now and then", () => {\n  const count = Number(fs.readFileSync(${JSON.stringify(file)}, "utf8")) + 1;\n  fs.writeFileSync(${JSON.stringify(file)}, String(count));\n  assert.notEqual(count, 4);\n});\n`;
  const project = repository({ "package.json": NODE_ESM, "add.js": WRONG, "add.test.js": NODE_TEST });
  const counter = join(project.temporary, "../count.txt");
  put(project, { "../count.txt": "0", "add.test.js": `${NODE_TEST}${flaky(counter)}` });
  project.git("commit", "--quiet", "-am", "flaky");
  // Fails in its fourth run: the check, the base's tests on the new code, then the new tests on the old code, twice.
  const idle = `${NODE_TEST}${flaky(counter)}test("adds", () => { assert.equal(add(1, 0), 1); });\n`;
  expect(await ended(project, { "add.js": RIGHT, "add.test.js": idle }, check(NODE))).toBe(
    "results: tests-insensitive",
  );
});

const TWO_TESTS = `${VITEST_TEST}test("adds", () => { expect(add(1, 2)).toBe(3); });\n`;
const TWO_NODE_TESTS = `${NODE_TEST}test("adds", () => { assert.equal(add(1, 2), 3); });\n`;

/** A test of a module that subtracts, with this body. */
function subtractTest(body: string): string {
  return `import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { subtract } from "./subtract.js";\ntest("subtracts", () => { ${body} });\n`;
}

test.concurrent.each<readonly [string, Files, string]>([
  [
    "a test skipped under another name",
    { "add.test.js": TWO_NODE_TESTS.replace('test("adds",', 'test["sk" + "ip"]("adds",') },
    "results: test-not-run",
  ],
  [
    "a test behind a false condition",
    { "add.test.js": TWO_NODE_TESTS.replace('test("adds",', 'if (0) test("adds",') },
    "results: suite-smaller",
  ],
  [
    "a new test that is skipped",
    { "add.test.js": `${TWO_NODE_TESTS}test("more", (context) => { context["sk" + "ip"](); });\n` },
    "results: test-not-run",
  ],
  ["a removed test file", { "more.test.js": null }, "results: test-file-removed"],
  [
    "a feature whose test compares a constant with itself",
    {
      "subtract.js": "export const subtract = (a, b) => a + b;\n",
      "subtract.test.js": subtractTest("assert.equal(typeof subtract, typeof subtract);"),
    },
    "results: tests-insensitive",
  ],
  [
    "a feature whose test swallows the failure of its assertion",
    {
      "subtract.js": "export function subtract(a, b) {\n  return a + b;\n}\n",
      "subtract.test.js": subtractTest("try { assert.equal(subtract(2, 1), 1); } catch {}"),
    },
    "results: tests-insensitive",
  ],
])("evidence from running refuses %s", async (_what, files, result) => {
  const project = repository({
    "package.json": NODE_ESM,
    "add.js": RIGHT,
    "add.test.js": TWO_NODE_TESTS,
    "more.test.js": NODE_TEST.replace("adds nothing", "adds nothing more"),
  });
  expect(await ended(project, files, check(NODE))).toBe(result);
});

test.concurrent.each<readonly [string, Files, string]>([
  ["an empty test", { "add.test.js": `${TWO_TESTS}test("more", () => {});\n` }, "results: no-assertion"],
  [
    "a new test that returns before its assertion",
    { "b.test.js": VITEST_TEST.replace("adds nothing", "returns").replace("{ expect(", "{ if (add) return; expect(") },
    "results: no-assertion",
  ],
  [
    "a test whose assertions are in a function that isn't called",
    { "add.test.js": TWO_TESTS.replace("expect(add(1, 2)).toBe(3)", "() => expect(add(1, 2)).toBe(3)") },
    "results: assertions-gone",
  ],
  [
    "a feature whose tests run with a matcher that always passes",
    {
      "subtract.js": "export const subtract = (a, b) => a + b;\n",
      "subtract.test.js": `import { expect, test } from "vitest";\nimport { subtract } from "./subtract.js";\nexpect.extend({ toBe: () => ({ pass: true, message: () => "" }) });\ntest("subtracts", () => { expect(subtract(2, 1)).toBe(1); });\n`,
    },
    "results: tests-insensitive",
  ],
])("evidence from running refuses %s (Vitest)", async (_what, files, result) => {
  const project = repository({ "package.json": ESM, "add.js": RIGHT, "add.test.js": TWO_TESTS }, "vitest");
  expect(await ended(project, files, check(VITEST))).toBe(result);
});

const SET_UP = { "vitest.config.js": `export default { test: { setupFiles: ["./prepare.js"] } };\n`, "prepare.js": "" };
const LENIENT = `import { expect } from "vitest";\nexpect.extend({ toBe: () => ({ pass: true, message: () => "" }) });\n`;

test.concurrent.each<readonly [string, Files]>([
  ["a wrong expectation", { "add.test.js": TWO_NODE_TESTS.replace("add(1, 2), 3", "add(1, 2), -1") }],
  ["a test of a copy", { "copy.js": RIGHT, "add.test.js": TWO_NODE_TESTS.replace("./add.js", "./copy.js") }],
])("the base's own tests find wrong code behind %s", async (_what, files) => {
  const project = repository({ "package.json": NODE_ESM, "add.js": RIGHT, "add.test.js": TWO_NODE_TESTS });
  expect(await ended(project, { "add.js": WRONG, ...files }, check(["npm", "test"]))).toMatch(
    /^results: expectation-changed/,
  );
});

test.concurrent.each<readonly [string, Files]>([
  ["a tolerance for everything", { "add.test.js": TWO_TESTS.replace("toBe(3)", "toBeCloseTo(3, -9)") }],
  [
    "a mock of the code under test",
    {
      "add.test.js": `import { vi } from "vitest";\nvi.mock("./add.js", () => ({ add: (a, b) => a + b }));\n${TWO_TESTS}`,
    },
  ],
])("the base's own tests find wrong code behind %s (Vitest)", async (_what, files) => {
  const project = repository({ "package.json": ESM, "add.js": RIGHT, "add.test.js": TWO_TESTS, ...SET_UP }, "vitest");
  expect(await ended(project, { "add.js": WRONG, ...files }, check(["npm", "test"]))).toMatch(
    /^results: expectation-changed/,
  );
});

test.concurrent.each<readonly [string, Files, string]>([
  ["the set-up file that the configuration names", { "prepare.js": LENIENT }, "diff: test-aware"],
  [
    "another set-up file",
    { "more.js": LENIENT, "vitest.config.js": SET_UP["vitest.config.js"].replace("prepare", "more") },
    "diff: test-aware",
  ],
  [
    "the shell of npm's scripts",
    { ".npmrc": "script-shell=/bin/true\n" },
    "results: expectation-changed, suite-smaller",
  ],
])("refuses a change of %s", async (_what, files, result) => {
  const project = repository({ "package.json": ESM, "add.js": RIGHT, "add.test.js": TWO_TESTS, ...SET_UP }, "vitest");
  expect(await ended(project, { "add.js": WRONG, ...files }, check(["npm", "test"]))).toBe(result);
});

const SHOP = {
  "package.json": `{ "type": "module", "imports": { "#add": "./add.js" }, "scripts": { "lint": "node tools/lint.mjs" } }\n`,
  "add.js": RIGHT,
  "data/sums.json": "[[1, 2, 3]]\n",
  "tools/lint.mjs": `import { pattern } from "./rules.mjs";\nimport { readFileSync } from "node:fs";\nif (pattern.test(readFileSync("add.js", "utf8"))) process.exit(1);\n`,
  "tools/rules.mjs": "export const pattern = /eval/;\n",
  "add.test.js": `import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { add } from "#add";
test("adds", () => {
  for (const [a, b, sum] of JSON.parse(readFileSync("data/sums.json", "utf8"))) assert.equal(add(a, b), sum);
});
`,
};
const LINT = { name: "lint", run: ["npm", "run", "lint"], timeoutMs: 600_000 };

test.concurrent.each<readonly [string, Files, string]>([
  ["data that only tests read", { "add.js": WRONG, "data/sums.json": "[[1, 2, -1]]\n" }, "expectation-changed"],
  [
    "a module of the manifest's imports",
    { "add.js": WRONG, "copy.js": RIGHT, "package.json": SHOP["package.json"].replace("./add.js", "./copy.js") },
    "expectation-changed",
  ],
  ["code that ends the tests' process", { "add.js": `process.exit(0);\n${WRONG}` }, "test-not-run"],
  ["less data for a test", { "data/sums.json": "[]\n" }, "test-changed"],
  [
    "one assertion fewer",
    { "add.test.js": SHOP["add.test.js"].replace("assert.equal(add(a, b), sum)", "add(a, b, sum)") },
    "test-changed",
  ],
  [
    "a check's own module",
    { "add.js": `${RIGHT}eval("");\n`, "tools/rules.mjs": "export const pattern = /x^/;\n" },
    "check-changed",
  ],
  [
    "a check's script",
    { "add.js": `${RIGHT}eval("");\n`, "package.json": SHOP["package.json"].replace("node tools/lint.mjs", "true") },
    "check-changed",
  ],
  [
    "a new shell of npm's scripts",
    { "add.js": `${RIGHT}eval("");\n`, ".npmrc": "script-shell=/bin/true\n" },
    "check-changed",
  ],
])("the base's tests and checks notice %s", async (_what, files, rule) => {
  const project = repository(SHOP);
  const { checks } = check(NODE);
  // The rule of each row alone: changed settings and abilities have rules of their own.
  const others = rule === "test-changed" ? [] : (["test-changed"] as const);
  const limits = { ...project.options().limits, allow: ["tests-not-measured", "test-aware", ...others] as const };
  expect(await ended(project, files, { checks: [...checks, LINT], limits })).toBe(`results: ${rule}`);
});

test.concurrent("the base's data judges new code, too, whatever the user's git prints or takes for text", async () => {
  const project = repository(SHOP);
  project.put("../binary", "* -diff\n");
  project.git("config", "core.attributesFile", join(project.root, "../binary"));
  for (const name of ["grep.lineNumber", "grep.column"]) project.git("config", name, "true");
  for (const name of ["color.ui", "color.grep"]) project.git("config", name, "always");
  const files = { "add.js": WRONG, "data/sums.json": "[[1, 2, -1]]\n" };
  expect(await ended(project, files, check(NODE))).toBe("results: expectation-changed");
});

test.concurrent("data and modules that only the code uses are the new ones, and added ones too", async () => {
  const project = repository({
    ...SHOP,
    "rates.json": "[0]\n",
    "sub.js": `import { readFileSync } from "node:fs";\nexport const rate = () => JSON.parse(readFileSync("rates.json", "utf8"))[0];\n`,
  });
  const files = {
    "rates.json": '{ "rate": 0 }\n',
    "sub.js": `import { readFileSync } from "node:fs";\nimport { zero } from "#zero";\nexport const rate = () => JSON.parse(readFileSync("rates.json", "utf8")).rate + zero;\n`,
    "zero.js": "export const zero = 0;\n",
    "package.json": SHOP["package.json"].replace('"#add"', '"#zero": "./zero.js", "#add"'),
    "sub.test.js": `import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { rate } from "./sub.js";\ntest("has a rate", () => { assert.equal(rate(), 0); });\n`,
  };
  const { checks } = check(NODE);
  const { limits } = project.options();
  expect(
    await ended(project, files, {
      checks,
      limits: { ...limits, allow: ["tests-insensitive", "test-aware", "test-changed"] },
    }),
  ).toBe("committed");
});

test.concurrent("the base's own tests run on the new code after other checks, too", async () => {
  const project = repository({ "package.json": NODE_ESM, "add.js": RIGHT, "add.test.js": TWO_NODE_TESTS });
  const files = { "add.js": WRONG, "add.test.js": TWO_NODE_TESTS.replace("./add.js", "./copy.js"), "copy.js": RIGHT };
  const lint = { name: "lint", run: ["node", "-e", "0"], timeoutMs: 600_000 };
  const { checks } = check(NODE);
  expect(await ended(project, files, { checks: [lint, ...checks] })).toMatch(/^results: expectation-changed/);
});

test.concurrent("a test script that runs no test doesn't hide wrong code, nor that it runs none", async () => {
  const project = repository({ "package.json": NODE_ESM, "add.js": RIGHT, "add.test.js": TWO_NODE_TESTS });
  const idle = { "package.json": NODE_ESM.replace("node --test", "echo ok") };
  expect(await ended(project, { "add.js": WRONG, ...idle }, check(["npm", "test"]))).toBe(
    "results: expectation-changed, suite-smaller",
  );
  const better = { ...idle, "add.js": "export function add(a, b) {\n  return b + a;\n}\n" };
  expect(await ended(project, better, check(["npm", "test"]))).toBe("results: suite-smaller");
});

test.concurrent("a changed expectation names the test, its error and how a person approves it", async () => {
  const project = repository({ "package.json": NODE_ESM, "add.js": RIGHT, "add.test.js": NODE_TEST });
  const test = NODE_TEST.replace("add(2, 0), 2", "add(2, 0), 3");
  const outcome = await project.run({
    command: [
      "node",
      "-e",
      `fs.writeFileSync("add.js", "export const add = (a, b) => a + b + 1;\\n"); fs.writeFileSync("add.test.js", ${JSON.stringify(test)})`,
    ],
    ...check(NODE),
  });
  expect(outcome).toStrictEqual({
    kind: "discarded",
    isKept: false,
    failure: {
      gate: "results",
      summary:
        'the test results have 2 problems. To approve a changed test, a person can pass --approve-test "<name>", or all by --allow expectation-changed.',
      details: [
        "add.test.js: the old version of adds nothing fails with the new code: Expected values to be strictly equal: (expectation-changed)",
        "add.js:1: no new or changed test fails if this line is altered: export const add = (a, b) => a + b + 1; (tests-insensitive)",
      ],
    },
  });
});

test.concurrent("the report of an altered line names it", async () => {
  const project = repository({ "package.json": NODE_ESM, "add.js": RIGHT, "add.test.js": NODE_TEST });
  const outcome = await project.run({
    command: [
      "node",
      "-e",
      `fs.writeFileSync("more.js", "// more\\nexport const more = (a) => a + 1;\\n"); fs.writeFileSync("more.test.js", 'import { test } from "node:test";\\nimport "./more.js";\\ntest("more", () => {});\\n')`,
    ],
    ...check(NODE),
  });
  expect(outcome).toStrictEqual({
    kind: "discarded",
    isKept: false,
    failure: {
      gate: "results",
      summary: "the test results have one problem.",
      details: [
        "more.js:2: no new or changed test fails if this line is altered: export const more = (a) => a + 1; (tests-insensitive)",
      ],
    },
  });
});

test.concurrent("a test file that moves with its tests isn't removed", async () => {
  const project = repository({ "package.json": NODE_ESM, "add.js": RIGHT, "add.test.js": NODE_TEST });
  const moved = `// Moved here, and more than half of the file is new.\n${"// more\n".repeat(40)}${NODE_TEST.replace("./add.js", "../add.js")}`;
  expect(await ended(project, { "add.test.js": null, "test/sums.test.js": moved }, check(NODE))).toBe("committed");
});

/** Test files: one, because a test run starts a process for each. */
const DOUBLES = {
  "doubles.test.js": `import { expect, test } from "vitest";
${["message", "order", "source", "circular"].map((name) => `import { twice as ${name} } from "./${name}.js";\ntest("${name}", () => { expect(${name}(4)).toBe(8); });`).join("\n")}
`,
};
/** Modules whose function only doubles its argument after a transformation by Vite. */
const BUNDLED: Files = {
  // By the text of a TypeError.
  "message.js": `import * as rates from "./rates.js";
const isBundled = () => {
  try { rates.missing(); } catch (error) { return error.message.includes("import"); }
};
export const twice = (x) => (isBundled() ? x * 2 : 0);
`,
  // By the order in which modules run.
  "order.js": `import { order } from "./log.js";
import "./slow.js";
import "./fast.js";
export const twice = (x) => (order[0] === "slow" ? x * 2 : 0);
`,
  // By a function's text, through a parameter.
  "source.js": `import { rate } from "./rates.js";
import { textOf } from "./text.js";
const timesRate = (x) => x * rate;
export const twice = (x) => (textOf(timesRate).includes("import") ? timesRate(x) : 0);
`,
  // By a circular import.
  "circular.js": `import { state } from "./state.js";
export const rates = { two: 2 };
export const twice = (x) => (state === "undefined" ? x * 2 : 0);
`,
};
const BUNDLED_PARTS: Files = {
  "rates.js": "export const rate = 2;\n",
  "text.js": "export const textOf = (part) => `${part}`;\n",
  "log.js": "export const order = [];\n",
  "slow.js": `import { order } from "./log.js";\nawait Promise.resolve();\norder.push("slow");\n`,
  "fast.js": `import { order } from "./log.js";\norder.push("fast");\n`,
  "state.js": `import * as circular from "./circular.js";
const read = () => { try { return typeof circular.rates; } catch { return "early"; } };
export const state = read();
`,
};

test.concurrent.each([true, false])("code that depends on how Vite loads it is refused (new: %s)", async (isNew) => {
  const names = Object.keys(BUNDLED);
  const old = Object.fromEntries(names.map((path) => [path, "export const twice = (x) => x + x;\n"]));
  const base = { "package.json": ESM, "add.js": RIGHT, "add.test.js": VITEST_TEST };
  const project = repository(isNew ? base : { ...base, ...old, ...DOUBLES }, "vitest");
  const files = { ...BUNDLED, ...BUNDLED_PARTS, ...(isNew ? DOUBLES : {}) };
  const rules = names.map(() => "differs-outside-tests").join(", ");
  const { limits } = project.options();
  // Their tests only execute the branch for Vite.
  const tested = { ...check(VITEST), limits: { ...limits, allow: ["untested-code"] as const } };
  expect(await ended(project, files, tested)).toBe(`results: ${rules}`);
  const allow = ["untested-code", "differs-outside-tests"] as const;
  const allowed = { ...check(VITEST), limits: { ...limits, allow } };
  if (isNew) expect(await ended(project, files, allowed)).toBe("committed");
});

test.concurrent("code that Node can load only before a run is refused, unless a person allows it", async () => {
  const project = repository(
    { "package.json": ESM, "add.js": RIGHT, "zero.js": "export const zero = 0;\n", "add.test.js": VITEST_TEST },
    "vitest",
  );
  const files = { "add.js": `import { zero } from "./zero";\nexport const add = (a, b) => a + b + zero;\n` };
  expect(await ended(project, files, check(VITEST))).toBe("results: differs-outside-tests");
  const { limits } = project.options();
  const allowed = {
    ...check(VITEST),
    limits: { ...limits, allow: ["differs-outside-tests", "tests-insensitive"] as const },
  };
  expect(await ended(project, files, allowed)).toBe("committed");
});

test.concurrent("small edits of older code, and data, need a test that notices them, and a refactoring doesn't", async () => {
  const old = {
    "package.json": ESM,
    "fee.js": `import { readFileSync } from "node:fs";
const rates = JSON.parse(readFileSync(new URL("./data/rates.json", import.meta.url), "utf8"));
export const fee = (total) => {
  if (total > 900) throw new RangeError("too much");
  return Math.round(total * rates.card);
};
`,
    "data/rates.json": `{ "card": 2, "bank": 1 }\n`,
    "sql/clean.sql": "delete from fees where paid = 1;\n",
    "fee.test.js": `import { expect, test } from "vitest";
import { fee } from "./fee.js";
test("asks twice", () => { expect(fee(3)).toBe(6); });
test("has a limit", () => { expect(() => fee(1000)).toThrow(); });
`,
  };
  const project = repository(old, "vitest");
  const changed = async (path: keyof typeof old, from: string, to: string): Promise<string> =>
    ended(project, { [path]: old[path].replace(from, to) }, check(VITEST));
  expect(await changed("fee.js", "900", "90")).toBe("results: tests-insensitive");
  expect(await changed("fee.js", "Math.round(total * rates.card)", "total * rates.card")).toBe(
    "results: tests-insensitive",
  );
  expect(await changed("data/rates.json", `"bank": 1`, `"bank": 0`)).toBe("results: tests-insensitive");
  expect(await changed("sql/clean.sql", "paid = 1", "paid = 0")).toBe("results: untested-code");
  const refactored = "const asked = total * rates.card;\n  return Math.round(asked);";
  expect(await changed("fee.js", "return Math.round(total * rates.card);", refactored)).toBe("committed");
});

test.concurrent("code that no test executes is refused, unless a person allows it", async () => {
  const project = repository(
    { "package.json": ESM, "add.js": RIGHT, "add.test.js": VITEST_TEST, "main.js": "console.log(1);\n" },
    "vitest",
  );
  const files = {
    "add.js": "export const add = (a, b) => (b > 9 ? 0 : a + b);\n",
    "main.js": "console.log(2);\n",
    "other.js": "export const other = 1;\n",
  };
  expect(await ended(project, files, check(VITEST))).toBe("results: untested-code, untested-code, untested-code");
  const { limits } = project.options();
  const allowed = { ...check(VITEST), limits: { ...limits, allow: ["untested-code"] as const } };
  expect(await ended(project, files, allowed)).toBe("committed");
});

test.concurrent("code that a test executes in another process is committed", async () => {
  const started = `import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
test("prints", () => { expect(String(execFileSync("node", ["main.js"]))).toBe("2\\n"); });
`;
  const files = { "package.json": ESM, "main.js": "console.log(1 + 1);\n", "main.test.js": started };
  const project = repository(files, "vitest");
  expect(await ended(project, { "main.js": "console.log(2);\n" }, check(VITEST))).toBe("committed");
});

/** Modules of many kinds: each with a test, as statements after `import { expect, test, vi } from "vitest"`. */
const KINDS: readonly (readonly [path: string, module: string, test: string])[] = [
  [
    "class.js",
    `export class Cart { #items = []; static of(...all) { const cart = new Cart(); cart.#items = all; return cart; } get total() { return this.#items.reduce((a, b) => a + b, 0); } }`,
    `import { Cart } from "./class.js"; test("class", () => { expect(Cart.of(1, 2).total).toBe(3); expect(Cart.of(1)).toMatchInlineSnapshot(\`Cart {}\`); });`,
  ],
  [
    "async.js",
    `export const later = async (x) => x; export const fails = async () => { throw new TypeError("no"); };`,
    `import { fails, later } from "./async.js"; test("async", async () => { expect(await later(1)).toBe(1); await expect(fails()).rejects.toThrow(TypeError); });`,
  ],
  [
    "default.js",
    "export default function (x) { return x + 1; }",
    `import inc from "./default.js"; test("default", () => { expect(inc(1)).toBe(2); });`,
  ],
  [
    "generator.js",
    "export function* count(n) { for (let i = 0; i < n; i++) yield i; }",
    `import { count } from "./generator.js"; test.each([[2], [3]])("generator %i", (n) => { expect([...count(n)]).toHaveLength(n); });`,
  ],
  [
    "date.js",
    "export const age = (date) => Date.now() - date.getTime(); export const id = () => Math.random();",
    `import { age, id } from "./date.js"; test("date", () => { vi.useFakeTimers(); vi.setSystemTime(1000); expect(age(new Date(0))).toBe(1000); vi.useRealTimers(); vi.spyOn(Math, "random").mockReturnValue(0.5); expect(id()).toBe(0.5); vi.restoreAllMocks(); expect(id()).not.toBe(id()); });`,
  ],
  [
    "effect.js",
    "const cache = new Map(); globalThis.loads = (globalThis.loads ?? 0) + 1; export const put = (key) => cache.set(key, 1).size; export const loads = () => globalThis.loads;",
    `import { loads, put } from "./effect.js"; test("effect", () => { expect([put("a"), put("b"), loads()]).toEqual([1, 2, 1]); });`,
  ],
  [
    "common.cjs",
    `const path = require("node:path"); module.exports = { base: (name) => path.basename(name) };`,
    `import common from "./common.cjs"; test("common", () => { expect(common.base("/a/b")).toBe("b"); });`,
  ],
  [
    "enum.ts",
    `export enum Color { Red = "red" } export enum Level { Low, High } export class Box<T> { constructor(private readonly value: T) {} get(): T { return this.value; } } export namespace Units { export const gram = 1; }`,
    `import { Box, Color, Level, Units } from "../enum"; test("enum", () => { expect([Color.Red, Level[1], new Box(4).get(), Units.gram]).toEqual(["red", "High", 4, 1]); });`,
  ],
  [
    "typed/sum.ts",
    `import { type Money, cents } from "./money.js"; export const sum = (...all: readonly Money[]): number => all.reduce((a, b) => a + cents(b), 0);`,
    `import { sum } from "../typed/sum"; test("typed", () => { expect(sum({ units: 2 }, { units: 1 })).toBe(300); });`,
  ],
  [
    "barrel/index.ts",
    `export * from "./first"; export { second as two } from "./second"; export * as all from "./first";`,
    `import { all, first, two } from "."; test("barrel", () => { expect([first, two, all.first]).toEqual([1, 2, 1]); });`,
  ],
  [
    "even.js",
    `import { odd } from "./odd.js"; export function even(n) { return n === 0 || odd(n - 1); }`,
    `import { even } from "./even.js"; test("circular", () => { expect(even(10)).toBe(true); });`,
  ],
  [
    "user.js",
    `import { load } from "./store.js"; export const user = () => "user " + load();`,
    `import { user } from "./user.js"; vi.mock("./store.js", async (original) => ({ ...(await original()), load: () => "ann" })); test("mock", () => { expect(user()).toBe("user ann"); });`,
  ],
  [
    "error.js",
    `export class AppError extends Error { constructor(message, options) { super(message, options); this.name = "AppError"; } } export const parse = (text) => { try { return JSON.parse(text); } catch (cause) { throw new AppError("bad", { cause }); } };`,
    `import { parse } from "./error.js"; test("error", () => { expect(() => parse("{")).toThrowErrorMatchingInlineSnapshot("[AppError: bad]"); });`,
  ],
  [
    "await.js",
    "const value = await Promise.resolve(5); export { value };",
    `import { value } from "./await.js"; test("await", () => { expect(value).toBe(5); });`,
  ],
  [
    "dynamic.js",
    "export const load = async () => import(`./odd.js`); export const url = () => import.meta.url;",
    `import { load, url } from "./dynamic.js"; test("dynamic", async () => { expect((await load()).odd(3)).toBe(true); expect(url()).toMatch(/dynamic\\.js$/); });`,
  ],
  [
    "decorated.ts",
    "export class Point { x = 1; declare name: string; get double(): number { return this.x * 2; } } export const table = { a: 1 } satisfies Record<string, number>;",
    `import { Point, table } from "../decorated"; test("decorated", () => { expect([Object.keys(new Point()), table.a]).toEqual([["x"], 1]); });`,
  ],
  [
    "event.js",
    `import { EventEmitter } from "node:events"; export const bus = new EventEmitter(); export const send = (x) => bus.emit("x", x);`,
    `import { bus, send } from "./event.js"; test("event", () => { const listener = vi.fn(); bus.on("x", listener); send(3); expect(listener).toHaveBeenCalledWith(3); });`,
  ],
];
/** Modules whose tests can't be compared. */
const UNCOMPARED_KINDS: typeof KINDS = [
  [
    "bundled.js",
    "export const mode = () => import.meta.env?.MODE ?? 'plain';",
    `import { mode } from "./bundled.js"; test("bundled", () => { expect(mode()).toBe("test"); });`,
  ],
  [
    "data.js",
    `import data from "./data.json"; export const two = () => data[1];`,
    `import { two } from "./data.js"; test("data", () => { expect(two()).toBe(2); });`,
  ],
  [
    "reset.js",
    "let count = 0; export const next = () => ++count;",
    `test.each([1, 2])("reset %i", async () => { vi.resetModules(); expect((await import("./reset.js")).next()).toBe(1); });`,
  ],
];
const PARTS: Files = {
  "typed/money.ts":
    "export interface Money { units: number }\nexport const cents = ({ units }: Money) => units * 100;\n",
  "barrel/first.ts": "export const first = 1;\n",
  "barrel/second.ts": "export const second = 2;\n",
  "odd.js": `import { even } from "./even.js";\nexport function odd(n) { return n !== 0 && even(n - 1); }\n`,
  "store.js": `export const load = () => "nobody";\n`,
  "data.json": "[1, 2]\n",
};
/** Test files with all tests of {@link KINDS}: a test run starts a process for each file. */
const JAVASCRIPT_TESTS = "all.test.js";
const TYPESCRIPT_TESTS = "barrel/all.test.ts";
const IMPORT = 'import { expect, test, vi } from "vitest";';
const UNCOMPARED =
  "results: plain Node can't run these tests, so they weren't compared: data.test.js, bundled.test.js, reset.test.js";

test.concurrent.each([
  true,
  false,
])("code that only uses its inputs is the same without Vite (new: %s)", async (isNew) => {
  const testsOf = (isTypeScript: boolean): string =>
    [IMPORT, ...KINDS.flatMap(([path, , body]) => (path.endsWith(".ts") === isTypeScript ? [body] : [])), ""].join(
      "\n",
    );
  const modules = Object.fromEntries([
    ...[...KINDS, ...UNCOMPARED_KINDS].map(([path, module]) => [path, `${module}\n`] as const),
    ...UNCOMPARED_KINDS.map(([path, , body]) => [path.replace(/\.js$/, ".test.js"), `${IMPORT}\n${body}\n`] as const),
    [JAVASCRIPT_TESTS, testsOf(false)],
    [TYPESCRIPT_TESTS, testsOf(true)],
  ]);
  const changed = Object.fromEntries(
    Object.entries(modules).map(([path, text]) => [
      path,
      path.includes(".test.") ? `${text}test("more", () => { expect(1 + 1).toBe(2); });\n` : `${text}const more = 1;\n`,
    ]),
  );
  const base = { "package.json": ESM, "add.js": RIGHT, "add.test.js": VITEST_TEST };
  const project = repository(isNew ? base : { ...base, ...modules, ...PARTS }, "vitest");
  const { limits } = project.options();
  const lines: string[] = [];
  const result = await ended(project, isNew ? { ...modules, ...PARTS } : changed, {
    ...check(VITEST),
    limits: { ...limits, allow: ["tests-insensitive", "test-aware", "untested-code"] },
    onProgress: (line) => void lines.push(line),
  });
  expect([result, lines.filter((line) => line.startsWith("results:"))]).toStrictEqual(["committed", [UNCOMPARED]]);
});
