/** The tutorial on stored runs, followed from an installed package: its shell lines, files, output and test. */
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { startPostgres } from "../fixtures/postgres.ts";
import { REPOSITORY } from "./harness/install.ts";
import { type ChildResult, runChild } from "./harness/run-child.ts";

const page = readFileSync(join(REPOSITORY, "docs/stored-runs/README.md"), "utf8");
const blocks = (language: string): readonly (readonly [name: string, text: string])[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}([^\\n]*)\\n(.*?)\`\`\``, "gs"))].map(([, name = "", text = ""]) => [
    name.trim(),
    text,
  ]);
const files = Object.fromEntries(blocks("ts"));
const output = Object.fromEntries(blocks("txt"))["output"] ?? "";
const [installed = "", decided = "", withPostgres = ""] = blocks("sh").map(([, lines]) => lines);

/** A run that waits for a person, and one that goes on after the decision. */
const LARGE = `import { waitForRun } from "veritest/runner";
import { runner, store } from "./service.ts";
await runner.start();
if (process.argv[2] === "start")
  await runner.startRun({ workflow: "invoices", step: "split", runId: "i-3", input: { text: "desk 300" } });
else while ((await store.load("invoices", "i-3")).value.status === "running") await new Promise((done) => setTimeout(done, 20));
const run = await waitForRun({ store, workflowId: "invoices", runId: "i-3", pollMs: 20 });
console.log(run.value.status, run.value.computed);
await runner.stop();
await store.close();
`;

const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-stored-runs-")));
const NPM = { npm_config_prefer_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };

/** Runs lines of the page in a shell, and stops at the first that fails. */
async function shell(lines: string, env: Readonly<Record<string, string>> = {}): Promise<ChildResult> {
  return runChild("sh", ["-ec", lines], { cwd: root, env: { ...NPM, VERITEST_ACTOR: "human", ...env } });
}

async function printed(lines: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await shell(lines, env);
  expect([lines, exitCode], stdout + stderr).toEqual([lines, 0]);
  return stdout;
}

beforeAll(async () => {
  writeFileSync(join(root, "package.json"), "{}\n");
  // The package isn't taken from the registry.
  expect(installed).toBe("npm install veritest zod\nnpm pkg set type=module\n");
  await printed(installed.replace("veritest", inject("tarball")));
  for (const [name, text] of Object.entries(files)) if (!name.includes(" ")) writeFileSync(join(root, name), text);
});
afterAll(async () => rm(root, { recursive: true, force: true }));

test("the service of docs/stored-runs runs from the package, its commands decide, and its test replays", async () => {
  expect(page).toContain("Run it with `node main.ts`:");
  expect(await printed("node main.ts")).toBe(output);

  const [list = "", resolve = ""] = decided.trimEnd().split("\n");
  // All of the page's runs are decided.
  expect(await printed(list)).toBe("No run is blocked.\n");
  writeFileSync(join(root, "large.ts"), LARGE);
  expect(await printed("node large.ts start")).toMatch(/^blocked \{/);
  const open = await printed(list);
  const [, block = ""] = /^ {2}npx veritest runs resolve (sha256:\S+) /m.exec(open) ?? [];
  expect(open).toMatch(/^review of invoices\/i-3 by sum, since \S+: The total is high\.\n {2}\{"total":30000\}\n/);
  await printed(resolve.replace("<block>", block));
  expect(await printed(list)).toBe("No run is blocked.\n");
  expect(await printed("node large.ts")).toMatch(/^paid \{ cents: 30000 \} 71\ncompleted \{/);

  expect(page).toContain("Install Vitest with\n`npm install -D vitest`");
  await printed("npm install -D vitest");
  expect(page).toContain("Run the test with `npx vitest run`.");
  expect(await printed("npx vitest run")).toContain("Baselines  1 captured");
  expect(await printed("npx vitest run", { CI: "1" })).toContain("Baselines  1 clean");
});

test("the service of docs/stored-runs prints the same with PostgreSQL and pg-boss", async () => {
  const server = await startPostgres();
  onTestFinished(async () => server.stop());
  const lines = withPostgres.replace("postgres://user:password@localhost:5432/app", server.url);
  expect(lines).not.toBe(withPostgres);
  expect(await printed(lines)).toContain("The store is ready, schema version 3.\n");
  writeFileSync(join(root, "service.ts"), files["service.ts (PostgreSQL)"] ?? "");
  expect(await printed("node main.ts", { DATABASE_URL: server.url })).toBe(output);
});
