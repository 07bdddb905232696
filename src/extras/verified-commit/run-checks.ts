import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { escapeText } from "../../kernel/text.ts";
import type { VerifyCommand } from "../../updates/policy.ts";
import { durationText } from "../../kernel/duration.ts";
import { commandLine } from "../../kernel/files/command-line.ts";
import { type ProcessEnd, runProcess, stopMarked } from "../../kernel/files/run-process.ts";
import { removeChangedCaches } from "./caches.ts";
import { inodeOf, removeFolder } from "./own-repository.ts";
import { type OutputSource, type RunContext, type RunDiscard, markedEnvironment } from "./run-options.ts";

/** A program of the run: its command, or one of its checks. */
export interface RunProgram {
  /** Name of the program in receipts. */
  readonly gate: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
  /** Standard input; none if undefined. */
  readonly input?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** True if it is only watched: its result is not a gate of the run. */
  readonly isWatched?: boolean;
  /** Called when it fails: true if that isn't a failure of the run. */
  readonly forgives?: () => boolean;
}

/**
 * Runs one program of the run in the project's folder of a work tree, within its own time limit and the remaining
 * budget. All processes that it started have ended when it returns. Undefined if it exits with 0.
 */
export async function runProgram(
  context: RunContext,
  tree: string,
  program: RunProgram,
): Promise<RunDiscard | undefined> {
  const { options, confinement } = context;
  if (program.gate !== "command") removeChangedCaches(context);
  const started = options.clock();
  const left = context.deadline - started;
  options.onProgress(`${program.gate}: ${commandLine(program.command)}`);
  const end = await runProcess({
    command: confinement.wrap(program.command),
    cwd: projectIn(context, tree),
    environment: { ...markedEnvironment(options), ...temporaryFolder(context, program), ...program.environment },
    timeoutMs: Math.min(left, program.timeoutMs),
    signal: options.signal,
    graceMs: options.graceMs,
    onOutput: (text) => options.onOutput(text, sourceOf(program)),
    input: program.input,
  });
  // A process that left the program's group would continue to write while its work is being checked.
  await stopMarked(options.runId);
  // Writing to a link in its place would change the user's files.
  if (inodeOf(context.folder) !== context.inode || inodeOf(tree) === undefined)
    throw new Error(`${program.gate} removed, moved or replaced the run's folder ${context.folder}`);
  const problem = endingText(
    end,
    left <= program.timeoutMs
      ? `the budget of ${durationText(options.budgetMs)}`
      : `its limit of ${durationText(program.timeoutMs)}`,
  );
  if (problem !== undefined && end.kind === "exited" && program.forgives?.() === true) return undefined;
  if (program.isWatched !== true)
    context.gates.push({
      name: program.gate,
      ok: problem === undefined,
      ms: options.clock() - started,
      ...(problem === undefined ? {} : { detail: problem }),
    });
  if (problem === undefined) return undefined;
  return { gate: program.gate, summary: `${commandLine(program.command)} ${problem}.`, details: lastLines(end.tail) };
}

/**
 * A check's own folder for temporary files: in the system's, code could find what the command left for it, and runners
 * the caches that another program wrote.
 */
function temporaryFolder({ folder }: RunContext, { gate }: RunProgram): Readonly<Record<string, string>> {
  if (gate === "command") return {};
  const path = join(folder, "tmp");
  removeFolder(path);
  mkdirSync(path, { recursive: true });
  return { TMPDIR: path, TEMP: path, TMP: path };
}

function sourceOf({ gate, isWatched }: RunProgram): OutputSource {
  if (isWatched === true) return "watched";
  return gate === "command" ? "command" : "check";
}

/** Time limit of a single check. */
export function timeOf({ timeoutMs }: VerifyCommand): number {
  return timeoutMs > 0 ? timeoutMs : Infinity;
}

function endingText(end: ProcessEnd, limit: string): string | undefined {
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? undefined : `exited with ${end.code}`;
    case "killed":
      return `was killed by ${end.signal}`;
    case "timeout":
      return `didn't finish within ${limit}`;
    case "interrupted":
      return "was interrupted";
    case "unstartable":
      return `could not be started (${escapeText(end.problem)})`;
  }
}

function lastLines(tail: string): readonly string[] {
  return escapeText(tail.trimEnd())
    .split("\n")
    .slice(-20)
    .filter((line) => line !== "");
}

/** The project's folder inside a work tree of the run. */
export function projectIn({ options, repository }: RunContext, tree: string): string {
  return join(tree, relative(repository.top, options.paths.root));
}
