import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { editOf } from "../../kernel/diff/edit.ts";
import { CONFIG_FILES } from "../../kernel/files/nearest-config.ts";
import { startedCommand } from "../../kernel/files/script-command.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import { YES_OPTION } from "../common-options.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import { type DetectedProject, type RunnerName, detectProject } from "../init/detect-project.ts";
import { type Demo, demoSampleOf, runDemo } from "../init/run-demo.ts";
import {
  type ManualStep,
  type InitPlan,
  type PlannedFile,
  moduleFlag,
  planInit,
  runnerCommand,
  runTestsCommand,
  writePlan,
} from "../init/plan-init.ts";
import { GENERATED, driverLines, installDriver } from "../init/install-driver.ts";
import type { CliIo } from "../terminal/io.ts";
import { isInteractive, promptYes } from "../terminal/prompt.ts";
import { printRefusal, oneLine, printLines, printDiagnostics } from "../terminal/print.ts";

const RUNNERS: readonly RunnerName[] = ["vitest", "jest"];

/**
 * `veritest init`: sets up a project with a first step. Shows its plan and asks for confirmation; a second run changes
 * no file.
 */
export const initCommand: CliCommand = {
  options: [
    YES_OPTION,
    { flags: "--runner <name>", description: "if the project has both runners, or none", choices: RUNNERS },
    { flags: "--install", description: "install missing packages with the project's package manager" },
    { flags: "--gitattributes", description: "set up git to merge baselines by field, and GitHub to collapse them" },
    { flags: "--demo", description: "run the sample, then run it with a changed step to show a failure and its page" },
  ],
  examples: [
    "veritest init                   # shows the changes, and prompts for confirmation",
    "veritest init --yes --install   # makes the changes, and installs missing packages",
    "veritest init --install --demo  # ends with a sample failure",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const runner = RUNNERS.find((name) => name === input.text("runner"));
  const detected = await detectProject(cliPaths(io), runner, io.environment);
  if (!detected.ok) return printRefusal(io, detected.error);
  const project = detected.value;
  const plan = planInit(project);
  const demo = input.flag("demo") ? prepareDemo({ io, project }, plan, input) : ok(undefined);
  if (!demo.ok) return printRefusal(io, demo.error);
  printLines(io, [oneLine(found(project)), "", ...planned(plan)]);
  const missing = input.flag("install") ? project.missing : [];
  if (plan.files.length + missing.length > 0) {
    const refused = await confirm(input, missing, { io, project });
    if (refused !== undefined) return refused;
    const done = act(plan, missing, { io, project });
    if (done !== undefined) return done;
  }
  if (input.flag("gitattributes")) {
    const set = installDriver(project.root, [GENERATED]);
    if (!set.ok) return printRefusal(io, set.error);
    printLines(io, [...driverLines(set.value), ""]);
  }
  if (demo.value !== undefined && plan.manualSteps === undefined) {
    const lines = runDemo(demo.value, io);
    if (!lines.ok) return printRefusal(io, lines.error);
    printLines(io, lines.value);
  }
  const left = input.flag("install") ? [] : project.missing;
  printLines(io, nextLines(project, left).map(oneLine));
  return plan.manualSteps === undefined ? EXIT.clean : EXIT.regressions;
}

/** Returns the sample that `--demo` runs. The error is one sentence on why there is no demo. */
function prepareDemo({ io, project }: Setting, plan: InitPlan, input: CommandInput): Result<Demo, string> {
  const { missing } = project;
  if (missing.length > 0 && !input.flag("install"))
    return err(`--demo runs the sample, which needs ${missing.join(", ")}. Add --install.`);
  const sample = demoSampleOf(project, plan.files, io.environment);
  if (!sample.ok) return sample;
  const flag = moduleFlag(project);
  return ok({
    ...sample.value,
    project,
    runner: runnerCommand(project).split(" "),
    variables: flag === undefined ? {} : { NODE_OPTIONS: flag },
  });
}

interface Setting {
  readonly io: CliIo;
  readonly project: DetectedProject;
}

function found({ runner, configFile, manager, typescript }: DetectedProject): string {
  const configured = configFile === undefined ? "" : ` (${configFile})`;
  const name = runner === "vitest" ? "Vitest" : "Jest";
  return `${name}${configured}, ${typescript ? "TypeScript" : "JavaScript"}, ${manager.name}`;
}

function planned({ files, manualSteps, remarks }: InitPlan): string[] {
  const blocks = [
    ...files.map((file) => fileLines(file)),
    ...(manualSteps === undefined ? [] : [handLines(manualSteps)]),
    ...(remarks.length === 0 ? [] : [remarks]),
  ];
  if (blocks.length === 0) return ["The project is already set up. No files need to change.", ""];
  return blocks.flatMap((lines) => [...lines.map(oneLine), ""]);
}

/** Maximum number of changed lines. Above it, a configuration is shown by its name only. */
const MAX_EDITS = 200;

/**
 * Renders a planned file as a diff: all lines of a new file, or the changed lines with one line of context. Not safe to
 * print.
 */
function fileLines({ path, before, after }: PlannedFile): string[] {
  if (before === undefined) return [`${path} (new)`, ...textLines(after).map((line) => `  + ${line}`.trimEnd())];
  const edit = editOf(textLines(before), textLines(after));
  const steps = edit.filter(({ kind }) => kind !== "same").length > MAX_EDITS ? [] : edit;
  const near = (index: number): boolean =>
    [-1, 0, 1].some((offset) => (steps[index + offset]?.kind ?? "same") !== "same");
  const rendered = steps.flatMap(({ kind, item }, index) => {
    if (near(index)) return [`  ${SIGNS[kind]} ${item}`.trimEnd()];
    return near(index - 1) && index < steps.length - 1 ? ["  …"] : [];
  });
  return [path, ...rendered];
}

function textLines(text: string): string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

/** Renders a manual step. Not safe to print. */
function handLines({ path, reason, lines }: ManualStep): string[] {
  return [`${path} can't be edited: ${reason}. Add these lines by hand:`, ...lines.map((line) => `  ${line}`)];
}

/** Returns the exit code if the user declines. */
async function confirm(
  input: CommandInput,
  missing: readonly string[],
  { io, project }: Setting,
): Promise<ExitCode | undefined> {
  if (input.flag("yes")) return undefined;
  if (!isInteractive(io))
    return printRefusal(io, "Not interactive, so no file was changed. Run: npx veritest init --yes");
  const install = missing.length === 0 ? "" : ` and run ${[...project.manager.add, ...missing].join(" ")}`;
  return (await promptYes(`Write this${install}?`, io))
    ? undefined
    : printRefusal(io, "No file was changed.", EXIT.regressions);
}

/** Returns the exit code on failure. */
function act({ files }: InitPlan, missing: readonly string[], { io, project }: Setting): ExitCode | undefined {
  const written = writePlan(files, project.root);
  if (!written.ok) return printRefusal(io, written.error);
  if (files.length > 0) printLines(io, [oneLine(`Written: ${files.map(({ path }) => path).join(", ")}`), ""]);
  if (missing.length === 0) return undefined;
  const { program, args, shell } = startedCommand([...project.manager.add, ...missing]);
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: project.root,
    env: io.environment,
    encoding: "utf8",
    shell,
  });
  printDiagnostics(io, `${stdout ?? ""}${stderr ?? ""}`);
  return status === 0
    ? undefined
    : printRefusal(
        io,
        `${[program, ...args].join(" ")} failed. The files were written. Install ${missing.join(", ")} by hand.`,
      );
}

/** Lists the next commands: installing missing packages first, then the everyday commands of this set-up. */
function nextLines(project: DetectedProject, missing: readonly string[]): string[] {
  const { manager, root } = project;
  const configured = CONFIG_FILES.some((name) => existsSync(join(root, name)));
  const commands: readonly (readonly [string, string])[] = [
    ...(missing.length === 0
      ? []
      : ([[[...manager.add, ...missing].join(" "), "the packages that aren't in package.json yet"]] as const)),
    [runTestsCommand(project), "captures new baselines, which you review and commit. With CI=1, it only compares"],
    ...(configured
      ? ([[`${manager.exec} veritest diff`, "shows how a change affects each baseline, and why"]] as const)
      : []),
    [`${manager.exec} veritest review`, "shows each pending change, so that you can accept or reject it"],
  ];
  const width = Math.max(...commands.map(([command]) => command.length));
  return ["Next:", ...commands.map(([command, what]) => `  ${command.padEnd(width)}   ${what}`)];
}
