import { escapeText, quote } from "../base/text.ts";
import type { VerifyCommand } from "../settle/policy.ts";
import { durationText } from "./duration.ts";
import { type RunContext, markedEnvironment, projectIn } from "./run-context.ts";
import type { RunFailure } from "./run-options.ts";
import { type ProcessEnd, runProcess } from "./run-process.ts";
import { stopMarked } from "./stop-processes.ts";

/** A program of the run: its command, or one of its checks. */
export interface RunProgram {
  /** As receipts name it. */
  readonly gate: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
}

/** Runs every check in a work tree, one after the other, up to the first that fails. */
export async function runChecks(
  context: RunContext,
  tree: string,
  prefix: "check" | "fresh check",
): Promise<RunFailure | undefined> {
  for (const check of context.options.checks) {
    const failure = await runProgram(context, tree, {
      gate: `${prefix} ${check.name}`,
      command: check.run,
      timeoutMs: timeOf(check),
    });
    if (failure !== undefined) return failure;
    context.options.onStep?.(`${prefix}ed`);
  }
  return undefined;
}

/**
 * Runs one program of the run in the project's folder of a work tree, within its own time and what is left of the
 * budget. Nothing that it started is left when it returns. Undefined when it exits with 0.
 */
export async function runProgram(
  context: RunContext,
  tree: string,
  program: RunProgram,
): Promise<RunFailure | undefined> {
  const { options } = context;
  const started = options.clock();
  const left = context.deadline - started;
  options.onProgress(`${program.gate}: ${commandLine(program.command)}`);
  const end = await runProcess({
    command: program.command,
    cwd: projectIn(context, tree),
    environment: markedEnvironment(options),
    timeoutMs: Math.min(left, program.timeoutMs),
    signal: options.signal,
    graceMs: options.graceMs,
    onOutput: options.onOutput,
  });
  // What moved out of the program's group would go on writing while its work is being judged.
  await stopMarked(options.runId);
  const problem = problemOf(
    end,
    left <= program.timeoutMs
      ? `the budget of ${durationText(options.budgetMs)}`
      : `its time of ${durationText(program.timeoutMs)}`,
  );
  context.gates.push({
    name: program.gate,
    ok: problem === undefined,
    ms: options.clock() - started,
    ...(problem === undefined ? {} : { detail: problem }),
  });
  if (problem === undefined) return undefined;
  return { gate: program.gate, summary: `${commandLine(program.command)} ${problem}.`, details: lastLines(end.tail) };
}

/** A command as a line to read: words that hold more than plain characters in quotes. */
export function commandLine(command: readonly string[]): string {
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word))).join(" ");
}

function timeOf({ timeoutMs }: VerifyCommand): number {
  return timeoutMs > 0 ? timeoutMs : Infinity;
}

function problemOf(end: ProcessEnd, limit: string): string | undefined {
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? undefined : `exited with ${end.code}`;
    case "killed":
      return `was ended by ${end.signal}`;
    case "timeout":
      return `did not end within ${limit}`;
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
