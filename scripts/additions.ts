/**
 * Adds a sample of each kind to a copy of the checkout by CONTRIBUTING's table, `npm run additions`, and checks the
 * copy: format, types, lint, layers, source, build, package size and the tests of each kind's table. Then both runners
 * and the command line use every sample in a project. `--keep` leaves the copy for a look.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addSample } from "./additions/add-sample.ts";
import { readAdditions } from "./additions/read-additions.ts";
import { SAMPLES } from "./additions/samples.ts";
import { REPOSITORY } from "./trial/repository.ts";

/** Tests that go over a table: an addition that breaks one isn't complete. Others quote a table in full. */
const TABLE_TESTS = [
  "scripts/additions/tables.test.ts",
  "src/reporter/docs.test.ts",
  "src/extras/traces/sources/sources.test.ts",
  "src/cli/exit-codes.test.ts",
  "src/redact/secret-corpus.test.ts",
];

function main(options: readonly string[]): void {
  const checkout = copyCheckout();
  try {
    const changed = addSamples(checkout);
    const node = (...args: readonly string[]): void => run(checkout, process.execPath, args);
    const npm = (...args: readonly string[]): void => run(checkout, "npm", ["run", "--silent", ...args]);
    const bin = (name: string, ...args: readonly string[]): void =>
      run(checkout, join(checkout, "node_modules/.bin", name), args);
    bin("biome", "format", "--write", ...changed);
    allowForSamples(checkout);
    npm("build");
    // No sample is in the examples or the page, which the other two projects of check:types compile.
    node("node_modules/typescript-native/bin/tsc", "-p", "tsconfig.json");
    bin("oxlint", "--type-aware", "--deny-warnings", ...changed);
    for (const check of ["check:layers", "check:source", "check:unused", "check:size"]) npm(check);
    bin("vitest", "run", ...TABLE_TESTS);
    node("scripts/additions/use-samples.ts");
    console.log(`additions: ${SAMPLES.length} samples added, checked and used`);
  } finally {
    if (options.includes("--keep")) console.log(`The copy is kept in ${checkout}`);
    else rmSync(checkout, { recursive: true, force: true });
  }
}

/** Copies the files of the checkout that git knows or would add; packages are linked. */
function copyCheckout(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), "veritest-additions-")));
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: REPOSITORY,
    encoding: "utf8",
    maxBuffer: 16 * 2 ** 20,
  });
  const deleted = spawnSync("git", ["ls-files", "-z", "--deleted"], { cwd: REPOSITORY, encoding: "utf8" });
  const gone = new Set(deleted.stdout.split("\0"));
  for (const path of listed.stdout.split("\0").filter((name) => name !== "" && !gone.has(name)))
    cpSync(join(REPOSITORY, path), join(copy, path), { verbatimSymlinks: true });
  symlinkSync(join(REPOSITORY, "node_modules"), join(copy, "node_modules"), "junction");
  return copy;
}

/** What all samples together may add to a budget, by its unit; the files that every test file loads get none. */
const ALLOWANCE: Readonly<Record<string, number>> = { kB: 0.5, MB: 0.01 };

/** Raises the copy's budgets of size by the allowance, because samples are code that a budget doesn't expect. */
function allowForSamples(checkout: string): void {
  const path = join(checkout, ".size-limit.json");
  const text = readFileSync(path, "utf8").replaceAll(
    /(?<="name": "(?:(?!every test file)[^"])*",(?:(?!"name")[^])*?"limit": ")([\d.]+) (kB|MB)(?=")/g,
    (_limit, size: string, unit: string) => `${Number(size) + (ALLOWANCE[unit] ?? 0)} ${unit}`,
  );
  writeFileSync(path, text);
}

/** Adds the sample of each kind of the table; returns the source files that changed. */
function addSamples(checkout: string): readonly string[] {
  const kinds = readAdditions(readFileSync(join(checkout, "CONTRIBUTING.md"), "utf8"));
  const unknown = SAMPLES.find(({ kind }) => !kinds.some((row) => row.kind === kind));
  if (unknown !== undefined) throw new Error(`CONTRIBUTING's table has no row for ${unknown.kind}.`);
  return kinds.flatMap((row) => {
    const sample = SAMPLES.find(({ kind }) => kind === row.kind);
    if (sample === undefined) throw new Error(`There is no sample of ${row.kind}.`);
    return addSample(checkout, row, sample);
  });
}

/** Runs a command in the copy; throws if it fails. */
function run(checkout: string, command: string, args: readonly string[]): void {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: checkout,
    encoding: "utf8",
    shell: process.platform === "win32",
    maxBuffer: 64 * 2 ** 20,
    env: { ...process.env, NO_COLOR: "1" },
  });
  const name = [command.split("/").at(-1), ...args.slice(0, 3)].join(" ");
  if (status !== 0) throw new Error(`${name} failed with the samples added:\n${stdout}\n${stderr}`);
  console.log(`pass  ${name} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
