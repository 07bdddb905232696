/**
 * Runs every check of the project, each to its end, and sums them up: `npm run check [-- stage …] [--full]`.
 * `--full` adds the stages that take many minutes; named ones need no flag. It also runs each end-to-end test on all
 * versions of its runners.
 * A test stage counts its tests, any other stage counts as one. Stages that use one processor run two at a time.
 * Failures are named again at the end, where the reader of a long log looks first; the last line is
 * `N passed, N failed`.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTestReport } from "./ci/test-report.ts";

interface Stage {
  readonly name: string;
  readonly script: string;
  /** True when the script is a Vitest run, whose tests are counted. */
  readonly tests?: boolean;
  /** True when the script shows failing runs on purpose: its output appears only when the script itself fails. */
  readonly showsFailures?: boolean;
  /** True for a stage that runs only if it is named, or with `--full`. */
  readonly full?: boolean;
  /** True when the script uses one processor and writes only temporary files: another one runs at the same time. */
  readonly isSingle?: boolean;
}

interface Tally {
  readonly passed: number;
  readonly failed: number;
  /** A line or more for each failed test. */
  readonly failures: readonly string[];
}

const STAGES: readonly Stage[] = [
  { name: "build", script: "build" },
  { name: "package", script: "check:package" },
  { name: "size", script: "check:size" },
  // The longest first: at the end no long one runs alone.
  { name: "additions", script: "additions", isSingle: true },
  { name: "types", script: "check:types", isSingle: true },
  { name: "faults", script: "faults", isSingle: true },
  { name: "examples", script: "examples", showsFailures: true, isSingle: true },
  { name: "type-tests", script: "test:types", isSingle: true },
  { name: "lint", script: "lint", isSingle: true },
  { name: "unused", script: "check:unused", isSingle: true },
  { name: "layers", script: "check:layers", isSingle: true },
  { name: "source", script: "check:source", isSingle: true },
  { name: "notices", script: "check:notices", isSingle: true },
  { name: "format", script: "check:format", isSingle: true },
  { name: "demo", script: "demo", showsFailures: true, isSingle: true },
  { name: "unit", script: "test:deep", tests: true },
  { name: "e2e", script: "test:e2e", tests: true },
  { name: "site", script: "docs:build", full: true },
  { name: "signal", script: "bench:signal", full: true },
];

const LINES_OF_A_FAILURE = 12;

/** Runs one npm script; true when it exits with 0. */
async function runScript(stage: Stage, args: readonly string[]): Promise<boolean> {
  // A stage that runs with another one, or shows failures on purpose, prints its output when it has ended.
  const isHeld = stage.isSingle === true || stage.showsFailures === true;
  const output = isHeld ? "pipe" : "inherit";
  const child = spawn("npm", ["run", "--silent", stage.script, "--", ...args], {
    stdio: ["ignore", output, output],
    env: environment,
    shell: process.platform === "win32",
  });
  const held: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => held.push(chunk));
  const status = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (status !== 0 || stage.showsFailures !== true) process.stdout.write(Buffer.concat(held));
  return status === 0;
}

function firstLines(text: string): string {
  return text.split("\n", LINES_OF_A_FAILURE).join("\n    ");
}

/** Counts of a run's report; a run without a report has run no test. */
function tallyOf(path: string): Tally {
  try {
    const { passed, failed, failures } = readTestReport(path);
    const lines = failures.map(
      ({ file, title, message }) => `${file}${title === "" ? "" : ` > ${title}`}\n    ${firstLines(message)}`,
    );
    return { passed, failed, failures: lines };
  } catch (error) {
    return { passed: 0, failed: 0, failures: [`no report of the tests: ${String(error)}`] };
  }
}

async function runTests(stage: Stage, directory: string): Promise<Tally> {
  const report = join(directory, `${stage.name}.json`);
  const succeeded = await runScript(stage, ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]);
  const tally = tallyOf(report);
  if (tally.passed + tally.failed === 0) console.log(`${stage.name}: no test ran`);
  // A run can fail without a failed test: a file that does not load, an unhandled rejection, no test at all.
  const broken = tally.failed === 0 && (!succeeded || tally.passed === 0);
  return broken ? { ...tally, failed: 1 } : tally;
}

async function runStage(stage: Stage, directory: string): Promise<Tally> {
  if (stage.tests === true) return runTests(stage, directory);
  return (await runScript(stage, [])) ? { passed: 1, failed: 0, failures: [] } : { passed: 0, failed: 1, failures: [] };
}

const FULL = "--full";

/**
 * Environment of the scripts, with one cache of compiled code: compilers and runners start hundreds of times. `sampled`
 * in e2e/harness/runners.ts reads VERITEST_E2E.
 */
const environment = {
  ...process.env,
  NODE_COMPILE_CACHE: join(tmpdir(), "veritest-ci-compiled"),
  ...(process.argv.includes(FULL) && { VERITEST_E2E: "full" }),
};

/** The named stages, or all of them; undefined when a name is unknown. */
function selectStages(args: readonly string[]): readonly Stage[] | undefined {
  const names = args.filter((arg) => arg !== FULL);
  if (names.length === 0) return STAGES.filter(({ full }) => full !== true || args.includes(FULL));
  const chosen = STAGES.filter(({ name }) => names.includes(name));
  return chosen.length === new Set(names).size ? chosen : undefined;
}

/** Runs the stages in their order, those that use one processor two at a time. */
async function runStages(stages: readonly Stage[], run: (stage: Stage) => Promise<void>): Promise<void> {
  const rest = [...stages];
  const readAlong = async (): Promise<void> => {
    for (let stage = rest[0]; stage?.isSingle === true; stage = rest[0]) {
      rest.shift();
      await run(stage);
    }
  };
  while (rest.length > 0) {
    await Promise.all([readAlong(), readAlong()]);
    const stage = rest.shift();
    if (stage !== undefined) await run(stage);
  }
}

async function main(names: readonly string[]): Promise<Pick<Tally, "passed" | "failed">> {
  const stages = selectStages(names);
  if (stages === undefined) {
    console.log(`Unknown stage in "${names.join(" ")}". Stages: ${STAGES.map(({ name }) => name).join(", ")}.`);
    return { passed: 0, failed: 1 };
  }
  const directory = mkdtempSync(join(tmpdir(), "veritest-ci-"));
  const lines: string[] = [];
  const recap: string[] = [];
  const total = { passed: 0, failed: 0 };
  await runStages(stages, async (stage) => {
    const started = performance.now();
    console.log(`\n==> ${stage.name} (npm run ${stage.script})`);
    const { passed, failed, failures } = await runStage(stage, directory);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    total.passed += passed;
    total.failed += failed;
    recap.push(...failures);
    lines.push(
      `${failed === 0 ? "pass" : "FAIL"}  ${stage.name.padEnd(12)} ${passed} of ${passed + failed} in ${seconds} s`,
    );
  });
  rmSync(directory, { recursive: true, force: true });
  console.log(`\n${[...lines, ...recap].join("\n")}\n`);
  return total;
}

const { passed, failed } = await main(process.argv.slice(2));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
