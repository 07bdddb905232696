import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { plainCount, reviewLine } from "../../../explain/wording.ts";
import type { ProjectPaths } from "../../../kernel/files/project-paths.ts";
import { readText } from "../../../kernel/files/read.ts";
import { isCi } from "../../../kernel/write-policy.ts";
import { readPending } from "../../../updates/pending/pending-changes.ts";
import { type ProcessEnd, runProcess } from "../../../kernel/files/run-process.ts";
import { cliPaths } from "../../../cli/terminal/cli-paths.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import type { CliCommand } from "../../../cli/command.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import { type RunnerName, detectProject } from "../../../cli/init/detect-project.ts";
import { sourceFiles } from "../../../cli/inspect/find-obsolete-groups.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { handleSignals } from "../../../cli/terminal/on-signals.ts";
import { oneLine, printRefusal, printLines } from "../../../cli/terminal/print.ts";

const MINUTES = 10;
const RUNS = 1000;
/** What a round may take beyond the minutes: what it found is written at its end. */
const GRACE_MS = 60_000;
/** Milliseconds a test may take in a round: it draws more than it does by day. */
const TEST_TIMEOUT = 3_600_000;

/**
 * `veritest properties`: runs the tests that check properties of steps again and again, each time with other inputs,
 * and stages failing inputs for review.
 */
export const propertiesCommand: CliCommand = {
  arguments: [{ name: "[files...]", description: "test files; without any, all that call toSatisfyProperties" }],
  options: [
    { flags: "--minutes <count>", description: `how long to look (${MINUTES})` },
    { flags: "--runs <count>", description: `inputs that each test draws in a round (${RUNS})` },
    { flags: "--runner <name>", description: "the test runner, where a project has both", choices: ["vitest", "jest"] },
  ],
  examples: [
    "veritest properties --minutes 60                     # at night",
    "veritest properties --minutes 1 src/orders.test.ts   # of one file",
  ],
  run: explore,
};

/** A law that a round found broken. */
interface Found {
  readonly subject: string;
  readonly law: string;
  readonly target: string;
}

interface Exploration {
  readonly places: ProjectPaths;
  readonly command: readonly string[];
  readonly minutes: number;
  readonly runs: string;
}

async function explore(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const paths = cliPaths(io);
  const asked = await explorationOf(input, io, paths);
  if (!asked.ok) return printRefusal(io, asked.error);
  const aborter = new AbortController();
  const release = handleSignals(() => aborter.abort());
  const began = Date.now();
  const found: Found[] = [];
  let rounds = 0;
  let end: ProcessEnd;
  try {
    do {
      const known = new Set(testedProperties(paths).map(({ target }) => target));
      end = await round(asked.value, {
        io,
        found,
        signal: aborter.signal,
        until: began + asked.value.minutes * 60_000,
      });
      if (end.kind === "unstartable") return printRefusal(io, `The runner cannot be started: ${end.problem}.`);
      rounds += 1;
      const fresh = testedProperties(paths).filter(({ target }) => !known.has(target));
      for (const one of fresh) io.stderr.write(`veritest: ${oneLine(wordsOf(one))}\n`);
      found.push(...fresh);
      // Tests that fail by themselves find nothing, however often they are run.
      if (fresh.length === 0 && rounds === 1 && !passed(end)) return failing(io, end);
    } while (!aborter.signal.aborted && Date.now() - began < asked.value.minutes * 60_000);
  } finally {
    release();
  }
  if (aborter.signal.aborted) return EXIT.usage;
  return report(io, { found, rounds });
}

async function explorationOf(
  input: CommandInput,
  io: CliIo,
  paths: ProjectPaths,
): Promise<Result<Exploration, string>> {
  const minutes = Number(input.text("minutes") ?? MINUTES);
  if (!(minutes > 0 && minutes <= 1440)) return err("--minutes takes a number above 0, of 1440 at most.");
  const runs = input.text("runs") ?? String(RUNS);
  if (!/^[1-9]\d{0,6}$/.test(runs)) return err("--runs takes a whole number from 1 to 9999999.");
  const named = input.text("runner");
  const runner = named === "vitest" || named === "jest" ? named : undefined;
  const project = await detectProject(paths, runner, io.environment);
  if (!project.ok) return project;
  const files = filesOf(input.operands, io.cwd, paths);
  if (!files.ok) return files;
  const command = commandOf(project.value.runner, files.value, paths.root);
  return command.ok ? ok({ places: paths, command: command.value, minutes, runs }) : command;
}

/** The test files that are meant, relative to the project's root. */
function filesOf(operands: readonly string[], cwd: string, { root }: ProjectPaths): Result<readonly string[], string> {
  const missing = operands.find((file) => !existsSync(resolve(cwd, file)));
  if (missing !== undefined) return err(`There is no file ${missing}.`);
  if (operands.length > 0) return ok(operands.map((file) => relative(root, resolve(cwd, file))));
  const found: string[] = [];
  for (const path of sourceFiles(root))
    if (/[.-](?:test|spec)\.[cm]?[jt]sx?$/.test(path) && readText(path)?.includes("toSatisfyProperties") === true)
      found.push(relative(root, path));
  return found.length > 0 ? ok(found) : err(`No test file below ${root} calls toSatisfyProperties.`);
}

function commandOf(runner: RunnerName, files: readonly string[], root: string): Result<readonly string[], string> {
  const program = programOf(runner, root);
  if (program === undefined) return err(`${runner} is not installed in ${root}.`);
  const options = runner === "vitest" ? ["run"] : ["--runTestsByPath", "--ci=false"];
  return ok([process.execPath, program, ...options, `--testTimeout=${TEST_TIMEOUT}`, ...files]);
}

/** The runner's own file, which needs no shell; undefined where it is not installed. */
function programOf(runner: RunnerName, root: string): string | undefined {
  try {
    const manifest = createRequire(join(root, "package.json")).resolve(`${runner}/package.json`);
    const { bin }: Record<string, unknown> = recordOf(JSON.parse(readText(manifest) ?? "{}"));
    const file = typeof bin === "string" ? bin : recordOf(bin)[runner];
    return typeof file === "string" ? join(dirname(manifest), file) : undefined;
  } catch {
    // It is resolved to nothing.
    return undefined;
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return isPlainObject(value) ? value : {};
}

interface Round {
  readonly io: CliIo;
  readonly found: readonly Found[];
  readonly signal: AbortSignal;
  /** Unix milliseconds. */
  readonly until: number;
}

async function round(
  { places: paths, command, runs }: Exploration,
  { io, found, signal, until }: Round,
): Promise<ProcessEnd> {
  return runProcess({
    command,
    cwd: paths.root,
    environment: {
      ...io.environment,
      VERITEST_SEED: "random",
      VERITEST_PROPERTIES_RUNS: runs,
      // Each law is found once: every round would find the same bug in other words.
      VERITEST_PROPERTIES_FAILED: JSON.stringify(found.map(({ subject, law }) => [subject, law])),
    },
    timeoutMs: until - Date.now() + GRACE_MS,
    signal,
    graceMs: 5000,
    onOutput: () => undefined,
  });
}

/** The counterexamples that wait for review. */
function testedProperties({ state }: ProjectPaths): Found[] {
  return readPending(state).changes.flatMap(({ target, text }) => {
    if (text === undefined || !text.includes('"counterexampleOf"')) return [];
    const { counterexampleOf, law } = recordOf(recordOf(JSON.parse(text))["value"]);
    return typeof counterexampleOf === "string" && typeof law === "string"
      ? [{ subject: counterexampleOf, law, target }]
      : [];
  });
}

function wordsOf({ subject, law, target }: Found): string {
  return `${subject} breaks ${law}  ${target}`;
}

function passed(end: ProcessEnd): boolean {
  return end.kind === "exited" && end.code === 0;
}

function failing(io: CliIo, { tail }: ProcessEnd): ExitCode {
  printLines(io, [
    "The tests fail, and not for a law that was found now. Run them first. They print:",
    "",
    ...tail.trimEnd().split("\n").map(oneLine),
  ]);
  return EXIT.regressions;
}

function report(io: CliIo, { found, rounds }: { readonly found: readonly Found[]; readonly rounds: number }): ExitCode {
  if (found.length === 0) {
    printLines(io, [`No law is broken in ${plainCount(rounds, "round", "rounds")}.`]);
    return EXIT.clean;
  }
  const place = isCi(io.environment) ? "upload" : "project";
  printLines(io, [
    `${plainCount(found.length, "law is", "laws are")} broken, found in ${plainCount(rounds, "round", "rounds")}:`,
    ...found.map((one) => oneLine(`  ${wordsOf(one)}`)),
    "",
    `${found.length === 1 ? "It waits" : "They wait"} for review: ${reviewLine(place)}`,
  ]);
  return EXIT.regressions;
}
