import { spawnSync } from "node:child_process";
import { cliPlaces } from "../cli-places.ts";
import type { CommandInput } from "../command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { askYes, fileLines, handLines, nextLines } from "../init/show-plan.ts";
import { type DetectedProject, type RunnerName, detectProject } from "../init/detect-project.ts";
import { type InitPlan, planInit, writePlan } from "../init/plan-init.ts";
import type { CliIo } from "../io.ts";
import { refuse, oneLine, say } from "../say.ts";

const RUNNERS: readonly RunnerName[] = ["vitest", "jest"];

/**
 * `veritest init`: sets a project up, and gives it a first step. Shows what it does and asks; a second time changes
 * nothing.
 */
export const initCommand: CliCommand = {
  options: [
    { flags: "--yes", description: "do it without asking" },
    { flags: "--runner <name>", description: "where both are there, or none", choices: RUNNERS },
    { flags: "--install", description: "install what is missing, with the project's own package manager" },
  ],
  examples: [
    "veritest init                   # shows what it would do, and asks",
    "veritest init --yes --install   # does it, and installs what is missing",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const asked = RUNNERS.find((name) => name === input.text("runner"));
  const detected = await detectProject(cliPlaces(io), asked, io.environment);
  if (!detected.ok) return refuse(io, detected.error);
  const project = detected.value;
  const plan = planInit(project);
  say(io, [oneLine(found(project)), "", ...planned(plan)]);
  const missing = input.flag("install") ? project.missing : [];
  if (plan.files.length + missing.length > 0) {
    const refused = await confirm(input, missing, { io, project });
    if (refused !== undefined) return refused;
    const done = act(plan, missing, { io, project });
    if (done !== undefined) return done;
  }
  const left = input.flag("install") ? [] : project.missing;
  say(io, nextLines(project, left).map(oneLine));
  return plan.byHand === undefined ? EXIT.clean : EXIT.regressions;
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

function planned({ files, byHand }: InitPlan): string[] {
  const blocks = [...files.map((file) => fileLines(file)), ...(byHand === undefined ? [] : [handLines(byHand)])];
  if (blocks.length === 0) return ["Nothing to write: it is set up.", ""];
  return blocks.flatMap((lines) => [...lines.map(oneLine), ""]);
}

/** The exit code where it is not to be done. */
async function confirm(
  input: CommandInput,
  missing: readonly string[],
  { io, project }: Setting,
): Promise<ExitCode | undefined> {
  if (input.flag("yes")) return undefined;
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true)
    return refuse(io, "Nothing was changed: nobody can be asked here. Do it with: veritest init --yes");
  const install = missing.length === 0 ? "" : ` and run ${[...project.manager.add, ...missing].join(" ")}`;
  return (await askYes(`Write this${install}?`, io)) ? undefined : refuse(io, "Nothing was changed.", EXIT.regressions);
}

/** The exit code where it could not be done. */
function act({ files }: InitPlan, missing: readonly string[], { io, project }: Setting): ExitCode | undefined {
  const written = writePlan(files, project.root);
  if (!written.ok) return refuse(io, written.error);
  if (files.length > 0) say(io, [oneLine(`Written: ${files.map(({ path }) => path).join(", ")}`), ""]);
  if (missing.length === 0) return undefined;
  const [program = "", ...args] = [...project.manager.add, ...missing];
  // Only names of this file reach the shell that Windows needs to find it.
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: project.root,
    env: io.environment,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  io.stderr.write(`${stdout ?? ""}${stderr ?? ""}`);
  return status === 0
    ? undefined
    : refuse(
        io,
        `${[program, ...args].join(" ")} failed. What was to be written is; install ${missing.join(", ")} by hand.`,
      );
}
