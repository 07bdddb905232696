import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REQUIRE_ASSERTIONS, isSilent, measured, testRunOf } from "../src/extras/verified-commit/runner-results.ts";
import { installDirectory } from "./harness/install.ts";
import { runChild } from "./harness/run-child.ts";
import { runners } from "./harness/runners.ts";

/** One file of every end that a test may have, in words that Vitest and Jest share, and one that cannot be loaded. */
const TESTS = `describe("group", () => {
  test("passes", () => { expect(1 + 1).toBe(2); });
  test("fails", () => { expect(1 + 1).toBe(3); });
  test.skip("is skipped", () => {});
  test.each([1, 2])("case %i", (n) => { expect(n).toBeGreaterThan(0); });
});
test.todo("is to do");
`;
const NODE_TESTS = `import { describe, test } from "node:test";
import assert from "node:assert";
describe("group", () => {
  test("passes", () => { assert.equal(1 + 1, 2); });
  test("fails", () => { assert.equal(1 + 1, 3); });
  test.skip("is skipped", () => {});
  for (const n of [1, 2]) test("case " + n, () => { assert.ok(n > 0); });
});
test.todo("is to do");
`;
const ENDS = [
  "ends.test.mjs group > case 1: passed",
  "ends.test.mjs group > case 2: passed",
  "ends.test.mjs group > fails: failed",
  "ends.test.mjs group > is skipped: not-run",
  "ends.test.mjs group > passes: passed",
  "ends.test.mjs is to do: not-run",
  "torn.test.mjs : failed",
];

async function endsOf(folder: string, command: readonly string[], end: string): Promise<readonly string[]> {
  const known = testRunOf(command, folder);
  if (known === undefined) throw new Error(`${command.join(" ")} is not known`);
  const {
    command: [program = "", ...args],
    environment,
    read,
  } = measured(known, join(folder, "results.json"));
  await runChild(program, args, { cwd: folder, env: environment });
  const results = read(folder) ?? [];
  return results.map((result) => `${result.file} ${result.name}: ${result.end}`.replace(`.${end}`, ".mjs")).toSorted();
}

function project(folder: string, files: Readonly<Record<string, string>>): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test.each(runners)("$name reports the result of each test", async ({ name, kind }) => {
  const home = installDirectory({ name, kind });
  const end = kind === "jest" ? "js" : "mjs";
  const folder = project(join(home, "work", "results"), {
    "package.json": `{ "scripts": { "test": "${kind === "jest" ? "jest" : "vitest run --globals"}" } }\n`,
    [`ends.test.${end}`]: TESTS,
    [`torn.test.${end}`]: kind === "jest" ? `require("./nothing.js");\n` : `import "./nothing.mjs";\n`,
  });
  expect(await endsOf(folder, ["npm", "test"], end)).toStrictEqual(ENDS);
});

const SILENCE = `test("speaks", () => { expect(1).toBe(1); });
test("is silent", () => { for (const n of []) expect(n).toBe(1); });
`;

test.each(runners)("$name reports tests that executed no assertion", async ({ name, kind }) => {
  const home = installDirectory({ name, kind });
  const folder = project(join(home, "work", "silence"), {
    "package.json": `{ "scripts": { "test": "${kind === "jest" ? "jest" : "vitest run --globals"}" } }\n`,
    [`silence.test.${kind === "jest" ? "js" : "mjs"}`]: SILENCE,
  });
  const known = testRunOf(["npm", "test"], folder);
  if (known === undefined) throw new Error("npm test is not known");
  const run = measured(known, join(folder, "results.json"), kind === "jest" ? [] : [REQUIRE_ASSERTIONS]);
  const [program = "", ...args] = run.command;
  await runChild(program, args, { cwd: folder, env: run.environment });
  expect(run.read(folder)?.map((result) => [result.name, isSilent(result)])).toStrictEqual([
    ["speaks", false],
    ["is silent", true],
  ]);
});

test("node:test reports the result of each test", async () => {
  const [first] = runners;
  if (first === undefined) throw new Error("no runner is installed");
  const folder = project(join(installDirectory(first), "work", "node results"), {
    "package.json": `{ "scripts": { "test": "node --test" } }\n`,
    "ends.test.mjs": NODE_TESTS,
    "torn.test.mjs": `import "./nothing.mjs";\n`,
  });
  expect(await endsOf(folder, ["npm", "run", "test"], "mjs")).toStrictEqual(ENDS);
});
