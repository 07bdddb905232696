import { recordIn } from "../../../kernel/json/read-data.ts";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { readVariable } from "../../../kernel/environment.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { isTestFileName } from "../../../baseline/baseline-paths.ts";
import { plainCount, reviewLine } from "../../../explain/wording.ts";
import type { ProjectPaths } from "../../../kernel/files/project-paths.ts";
import { readText } from "../../../kernel/files/read.ts";
import { isCi } from "../../../kernel/write-policy.ts";
import { readPending } from "../../../updates/pending/pending-store.ts";
import { type ProcessEnd, runProcess } from "../../../kernel/files/run-process.ts";
import { cliPaths } from "../../../cli/terminal/cli-paths.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import type { CliCommand } from "../../../cli/command.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import { type RunnerName, detectProject } from "../../../cli/init/detect-project.ts";
import { directModuleFlag } from "../../../cli/init/plan-init.ts";
import { sourceFiles } from "../../../kernel/files/source-files.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { handleSignals } from "../../../cli/terminal/on-signals.ts";
import { oneLine, printRefusal, printLines, printWarning } from "../../../cli/terminal/print.ts";

const MINUTES = 10;
const RUNS = 1000;
/** Time that a round may take beyond the minutes: its result is written at its end. */
const GRACE_MS = 60_000;
/** Time limit of a test in a round, in milliseconds: it generates more cases than usual. */
const TEST_TIMEOUT = 3_600_000;

/**
 * `veritest properties`: runs the tests that check properties of steps again and again, each time with other inputs,
 * and stages failing inputs for review.
 */
export const propertiesCommand: CliCommand = {
  arguments: [{ name: "[files...]", description: "test files (default: all that call toSatisfyProperties)" }],
  options: [
    { flags: "--minutes <count>", description: `duration of the search (${MINUTES})` },
    { flags: "--runs <count>", description: `number of inputs that each test generates per round (default: ${RUNS})` },
    { flags: "--runner <name>", description: "test runner, if a project has both", choices: ["vitest", "jest"] },
  ],
  examples: [
    "veritest properties --minutes 60                     # at night",
    "veritest properties --minutes 1 src/orders.test.ts   # one file, for one minute",
  ],
  run: explore,
};

/** Property that fails in a round. */
interface FailedTest {
  readonly subject: string;
  readonly property: string;
  readonly target: string;
}

interface Exploration {
  readonly paths: ProjectPaths;
  readonly command: readonly string[];
  /** Flag of Node that the runner needs. */
  readonly flag: string | undefined;
  readonly minutes: number;
  readonly runs: string;
}

async function explore(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const paths = cliPaths(io);
  const exploration = await explorationOf(input, io, paths);
  if (!exploration.ok) return printRefusal(io, exploration.error);
  const aborter = new AbortController();
  const release = handleSignals(() => aborter.abort());
  const began = Date.now();
  const failures: FailedTest[] = [];
  let rounds = 0;
  let end: ProcessEnd;
  try {
    do {
      const known = new Set(testedProperties(paths).map(({ target }) => target));
      end = await round(exploration.value, {
        io,
        failures,
        signal: aborter.signal,
        until: began + exploration.value.minutes * 60_000,
      });
      if (end.kind === "unstartable") return printRefusal(io, `The runner can't be started: ${end.problem}.`);
      rounds += 1;
      const fresh = testedProperties(paths).filter(({ target }) => !known.has(target));
      for (const failure of fresh) printWarning(io, wordsOf(failure));
      failures.push(...fresh);
      // If tests fail for other reasons, more rounds don't help.
      if (fresh.length === 0 && rounds === 1 && !passed(end)) return failing(io, end);
    } while (!aborter.signal.aborted && Date.now() - began < exploration.value.minutes * 60_000);
  } finally {
    release();
  }
  if (aborter.signal.aborted) return EXIT.usage;
  return report(io, { found: failures, rounds });
}

async function explorationOf(
  input: CommandInput,
  io: CliIo,
  paths: ProjectPaths,
): Promise<Result<Exploration, string>> {
  const minutes = Number(input.text("minutes") ?? MINUTES);
  if (!(minutes > 0 && minutes <= 1440)) return err("--minutes must be a number above 0, up to 1440.");
  const runs = input.text("runs") ?? String(RUNS);
  if (!/^[1-9]\d{0,6}$/.test(runs)) return err("--runs must be an integer from 1 to 9999999.");
  const named = input.text("runner");
  const runner = named === "vitest" || named === "jest" ? named : undefined;
  const project = await detectProject(paths, runner, io.environment);
  if (!project.ok) return project;
  const files = filesOf(input.operands, io.cwd, paths);
  if (!files.ok) return files;
  const command = commandOf(project.value.runner, files.value, paths.root);
  const flag = directModuleFlag(project.value);
  return command.ok ? ok({ paths, command: command.value, flag, minutes, runs }) : command;
}

/** The test files that are meant, relative to the project's root. */
function filesOf(operands: readonly string[], cwd: string, { root }: ProjectPaths): Result<readonly string[], string> {
  const missing = operands.find((file) => !existsSync(resolve(cwd, file)));
  if (missing !== undefined) return err(`There is no file ${missing}.`);
  if (operands.length > 0) return ok(operands.map((file) => relative(root, resolve(cwd, file))));
  const testFiles: string[] = [];
  for (const path of sourceFiles(root))
    if (isTestFileName(path) && readText(path)?.includes("toSatisfyProperties") === true)
      testFiles.push(relative(root, path));
  return testFiles.length > 0 ? ok(testFiles) : err(`No test file below ${root} calls toSatisfyProperties.`);
}

function commandOf(runner: RunnerName, files: readonly string[], root: string): Result<readonly string[], string> {
  const program = programOf(runner, root);
  if (program === undefined) return err(`${runner} isn't installed in ${root}.`);
  const options = runner === "vitest" ? ["run"] : ["--runTestsByPath", "--ci=false"];
  return ok([process.execPath, program, ...options, `--testTimeout=${TEST_TIMEOUT}`, ...files]);
}

/** Returns the runner's own file, which needs no shell; undefined if it isn't installed. */
function programOf(runner: RunnerName, root: string): string | undefined {
  try {
    const manifest = createRequire(join(root, "package.json")).resolve(`${runner}/package.json`);
    const { bin } = recordIn(JSON.parse(readText(manifest) ?? "{}"));
    const file = typeof bin === "string" ? bin : recordIn(bin)[runner];
    return typeof file === "string" ? join(dirname(manifest), file) : undefined;
  } catch {
    // It can't be resolved.
    return undefined;
  }
}

interface Round {
  readonly io: CliIo;
  readonly failures: readonly FailedTest[];
  readonly signal: AbortSignal;
  /** Time in Unix milliseconds. */
  readonly until: number;
}

async function round(
  { paths, command, flag, runs }: Exploration,
  { io, failures, signal, until }: Round,
): Promise<ProcessEnd> {
  return runProcess({
    command,
    cwd: paths.root,
    environment: {
      ...io.environment,
      ...(flag === undefined
        ? {}
        : { NODE_OPTIONS: `${readVariable(io.environment, "NODE_OPTIONS") ?? ""} ${flag}`.trim() }),
      VERITEST_SEED: "random",
      VERITEST_PROPERTIES_RUNS: runs,
      // Each property fails once: every round would report the same bug again.
      VERITEST_PROPERTIES_FAILED: JSON.stringify(failures.map(({ subject, property }) => [subject, property])),
    },
    timeoutMs: until - Date.now() + GRACE_MS,
    signal,
    graceMs: 5000,
    onOutput: () => undefined,
  });
}

/** The counterexamples that wait for review. */
function testedProperties({ state }: ProjectPaths): FailedTest[] {
  return readPending(state).changes.flatMap(({ target, text }) => {
    if (text === undefined || !text.includes('"counterexampleOf"')) return [];
    const { counterexampleOf, law } = recordIn(recordIn(JSON.parse(text))["value"]);
    return typeof counterexampleOf === "string" && typeof law === "string"
      ? [{ subject: counterexampleOf, property: law, target }]
      : [];
  });
}

function wordsOf({ subject, property, target }: FailedTest): string {
  return `${subject} fails ${property}  ${target}`;
}

function passed(end: ProcessEnd): boolean {
  return end.kind === "exited" && end.code === 0;
}

function failing(io: CliIo, { tail }: ProcessEnd): ExitCode {
  printLines(io, [
    "Some tests fail for a reason other than a property. Fix these tests first. Test output:",
    "",
    ...tail.trimEnd().split("\n").map(oneLine),
  ]);
  return EXIT.regressions;
}

function report(
  io: CliIo,
  { found: failures, rounds }: { readonly found: readonly FailedTest[]; readonly rounds: number },
): ExitCode {
  if (failures.length === 0) {
    printLines(io, [`All properties passed in ${plainCount(rounds, "round", "rounds")}.`]);
    return EXIT.clean;
  }
  const location = isCi(io.environment) ? "upload" : "project";
  printLines(io, [
    `${plainCount(failures.length, "property fails", "properties fail")}, ` +
      `found in ${plainCount(rounds, "round", "rounds")}:`,
    ...failures.map((failure) => oneLine(`  ${wordsOf(failure)}`)),
    "",
    `${failures.length === 1 ? "It is" : "They are"} pending: ${reviewLine(location)}`,
  ]);
  return EXIT.regressions;
}
