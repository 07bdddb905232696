/**
 * Runs every check of the project, each to its end, and sums them up: `npm run check [-- stage …]`.
 * A test stage counts its tests, any other stage counts as one; the last line is `N passed, N failed`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Stage {
  readonly name: string;
  readonly script: string;
  /** True when the script is a Vitest run, whose tests are counted. */
  readonly tests?: boolean;
}

interface Tally {
  readonly passed: number;
  readonly failed: number;
}

const STAGES: readonly Stage[] = [
  { name: "build", script: "build" },
  { name: "types", script: "check:types" },
  { name: "lint", script: "lint" },
  { name: "layers", script: "check:layers" },
  { name: "unused", script: "check:unused" },
  { name: "package", script: "check:package" },
  { name: "size", script: "check:size" },
  { name: "unit", script: "test", tests: true },
  { name: "type-tests", script: "test:types" },
  { name: "e2e", script: "test:e2e", tests: true },
  { name: "faults", script: "faults" },
  { name: "examples", script: "examples" },
  { name: "demo", script: "demo" },
];

/** Runs one npm script with its output shown; true when it exits with 0. */
function runScript(script: string, args: readonly string[]): boolean {
  const { status } = spawnSync("npm", ["run", "--silent", script, "--", ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  return status === 0;
}

function numberAt(report: unknown, key: string): number {
  const value: unknown = typeof report === "object" && report !== null ? Reflect.get(report, key) : undefined;
  return typeof value === "number" ? value : 0;
}

/** Reads the counts of a Vitest JSON report; a run that wrote none has run no test. */
function readReport(path: string): Tally {
  try {
    const report: unknown = JSON.parse(readFileSync(path, "utf8"));
    return { passed: numberAt(report, "numPassedTests"), failed: numberAt(report, "numFailedTests") };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

function runTests(stage: Stage, directory: string): Tally {
  const report = join(directory, `${stage.name}.json`);
  const succeeded = runScript(stage.script, ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]);
  const tally = readReport(report);
  if (tally.passed + tally.failed === 0) console.log(`${stage.name}: no test ran`);
  // A run can fail without a failed test: a file that does not load, an unhandled rejection, no test at all.
  const broken = tally.failed === 0 && (!succeeded || tally.passed === 0);
  return broken ? { passed: tally.passed, failed: 1 } : tally;
}

function runStage(stage: Stage, directory: string): Tally {
  if (stage.tests === true) return runTests(stage, directory);
  return runScript(stage.script, []) ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** The named stages, or all of them; undefined when a name is unknown. */
function selectStages(names: readonly string[]): readonly Stage[] | undefined {
  if (names.length === 0) return STAGES;
  const chosen = STAGES.filter(({ name }) => names.includes(name));
  return chosen.length === new Set(names).size ? chosen : undefined;
}

function main(names: readonly string[]): Tally {
  const stages = selectStages(names);
  if (stages === undefined) {
    console.log(`Unknown stage in "${names.join(" ")}". Stages: ${STAGES.map(({ name }) => name).join(", ")}.`);
    return { passed: 0, failed: 1 };
  }
  const directory = mkdtempSync(join(tmpdir(), "veritest-ci-"));
  const lines: string[] = [];
  const total = { passed: 0, failed: 0 };
  for (const stage of stages) {
    const started = performance.now();
    console.log(`\n==> ${stage.name} (npm run ${stage.script})`);
    const { passed, failed } = runStage(stage, directory);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    total.passed += passed;
    total.failed += failed;
    lines.push(`${failed === 0 ? "pass" : "FAIL"}  ${stage.name.padEnd(12)} ${passed} of ${passed + failed} in ${seconds} s`);
  }
  rmSync(directory, { recursive: true, force: true });
  console.log(`\n${lines.join("\n")}\n`);
  return total;
}

const { passed, failed } = main(process.argv.slice(2));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
