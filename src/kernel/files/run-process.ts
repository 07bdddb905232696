import { MAX_TIMER_MS } from "../max-timer.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { startedCommand } from "./script-command.ts";
import { readSystemFile } from "./processes.ts";

/** A program to run, and what ends it early. */
interface ProcessCall {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Standard input; none if undefined. */
  readonly input?: string | undefined;
  /** Milliseconds until it is ended. */
  readonly timeoutMs: number;
  /** Ends it, as an interruption, when aborted. */
  readonly signal: AbortSignal;
  /** Milliseconds between the request to end and the end by force. */
  readonly graceMs: number;
  /** Called with each piece of standard output and standard error, in order. */
  readonly onOutput: (text: string) => void;
}

/** End of a program, with the last part of its output (untrusted text). */
export type ProcessEnd = { readonly tail: string } & Ending;

type Ending =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "timeout"; readonly afterMs: number }
  | { readonly kind: "interrupted" }
  | { readonly kind: "unstartable"; readonly problem: string };

/** Size of the output's end for notes, in UTF-16 code units. */
const TAIL = 4096;
/** Maximum wait for output after the end, if a process that left the group has the pipe open. */
const DRAIN_MS = 500;

/**
 * Runs a program in its own process group and waits for its end. The remaining processes of the group end with it.
 * After the timeout or an abort, the group gets a request to end and is then killed.
 */
export async function runProcess(call: ProcessCall): Promise<ProcessEnd> {
  if (call.signal.aborted) return { kind: "interrupted", tail: "" };
  if (call.timeoutMs <= 0) return { kind: "timeout", afterMs: 0, tail: "" };
  const { program, args, shell } = startedCommand(call.command);
  const child = spawn(program, args, {
    cwd: call.cwd,
    shell,
    env: call.environment,
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: [call.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  // The program may end without reading it.
  child.stdin?.on("error", () => undefined).end(call.input);
  let tail = "";
  const take = (text: string): void => {
    tail = (tail + text).slice(-TAIL);
    call.onOutput(text);
  };
  child.stdout?.setEncoding("utf8").on("data", take);
  child.stderr?.setEncoding("utf8").on("data", take);
  const end = await endOf(child, call);
  return { ...end, tail };
}

async function endOf(child: ChildProcess, call: ProcessCall): Promise<Ending> {
  let cause: Ending | undefined;
  let force: NodeJS.Timeout | undefined;
  const stop = (why: Ending): void => {
    if (cause !== undefined || child.pid === undefined) return;
    const { pid } = child;
    cause = why;
    signalGroup(pid, "SIGTERM");
    force = setTimeout(() => signalGroup(pid, "SIGKILL"), call.graceMs);
  };
  const interrupt = (): void => stop({ kind: "interrupted" });
  const timer = setTimeout(
    () => stop({ kind: "timeout", afterMs: call.timeoutMs }),
    Math.min(call.timeoutMs, MAX_TIMER_MS),
  );
  call.signal.addEventListener("abort", interrupt);
  const ending = await exitOf(child);
  // The remaining processes of the group would still write while the program's work is being checked.
  if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
  await drained(child);
  clearTimeout(timer);
  clearTimeout(force);
  call.signal.removeEventListener("abort", interrupt);
  return cause ?? ending;
}

async function exitOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once("error", (thrown) => resolve({ kind: "unstartable", problem: thrown.message }));
    child.once("exit", (code, signal) =>
      resolve(code === null ? { kind: "killed", signal: signal ?? "a signal" } : { kind: "exited", code }),
    );
  });
}

async function drained(child: ChildProcess): Promise<void> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null && !stream.closed);
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    Promise.all(streams.map(async (stream) => new Promise((resolve) => stream?.once("close", resolve)))),
    new Promise((resolve) => (timer = setTimeout(resolve, DRAIN_MS))),
  ]);
  clearTimeout(timer);
  for (const stream of streams) stream?.destroy();
}

/** Variable that marks every process of a run: a process passes it on, however far it moves from the group. */
export const RUN_VARIABLE = "VERITEST_RUN";

/** Sends a signal to a process and all of its group. A process that already ended is ignored. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    // Windows has no groups; taskkill walks the tree of children.
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true }).on(
      "error",
      () => undefined,
    );
    return;
  }
  signalOne(-pid, signal);
}

/**
 * Processes with a run's mark in their environment, in any directory or session. Empty if the system doesn't list them
 * (no `/proc`). Leaves out processes of other users, which can't be read.
 */
export function markedProcesses(runId: string): readonly number[] {
  const mark = `${RUN_VARIABLE}=${runId}`;
  return numbersOf("/proc").filter(
    (pid) => pid !== process.pid && readSystemFile(`/proc/${pid}/environ`)?.split("\0").includes(mark) === true,
  );
}

/** Kills every process of a run and waits until all have ended, at most five seconds. True if all have ended. */
export async function stopMarked(runId: string): Promise<boolean> {
  for (let round = 0; round < 200; round += 1) {
    const left = markedProcesses(runId);
    if (left.length === 0) return true;
    for (const pid of left) signalOne(pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already ended, or another user's. The caller that waits for it sees which.
  }
}

function numbersOf(directory: string): readonly number[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    // No /proc on this system.
    return [];
  }
}
