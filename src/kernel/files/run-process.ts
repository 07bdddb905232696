import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";

/** A program to run, and what ends it early. */
interface ProcessCall {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Milliseconds until it is ended. */
  readonly timeoutMs: number;
  /** Ends it, as an interruption, when aborted. */
  readonly signal: AbortSignal;
  /** Milliseconds between the request to end and the end by force. */
  readonly graceMs: number;
  /** Told of each piece of standard output and standard error, in the order they come. */
  readonly onOutput: (text: string) => void;
}

/** How a program ended, with the last of what it printed (untrusted text). */
export type ProcessEnd = { readonly tail: string } & Ending;

type Ending =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "timeout"; readonly afterMs: number }
  | { readonly kind: "interrupted" }
  | { readonly kind: "unstartable"; readonly problem: string };

/** How much of the output is kept for notes, in UTF-16 code units. */
const TAIL = 4096;
/** How long output may still come after the end, where a process that left the group holds the pipe. */
const DRAIN_MS = 500;

/**
 * Runs a program in a process group of its own and waits for its end; what it started and left behind in the group
 * ends with it. It reads nothing: standard input is empty. Past the time, or aborted, the group is asked to end and
 * then ended.
 */
export async function runProcess(call: ProcessCall): Promise<ProcessEnd> {
  if (call.signal.aborted) return { kind: "interrupted", tail: "" };
  if (call.timeoutMs <= 0) return { kind: "timeout", afterMs: 0, tail: "" };
  const [program = "", ...args] = call.command;
  const child = spawn(program, args, {
    cwd: call.cwd,
    env: call.environment,
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let tail = "";
  const take = (text: string): void => {
    tail = (tail + text).slice(-TAIL);
    call.onOutput(text);
  };
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
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
    Math.min(call.timeoutMs, 2 ** 31 - 1),
  );
  call.signal.addEventListener("abort", interrupt);
  const ending = await exitOf(child);
  // What the program left behind in its group would go on writing while its work is being judged.
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

/** Tells every process of a run: its own variable, which a process hands down however far it moves from the group. */
export const RUN_VARIABLE = "VERITEST_RUN";

/** Sends a signal to a process and all of its group. One that is gone is no trouble. */
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
 * The processes that carry a run's mark in their environment, wherever they moved: also those that made a session of
 * their own. Empty where the system does not tell (no `/proc`); processes of other users cannot be read and are left
 * out.
 */
export function markedProcesses(runId: string): readonly number[] {
  const mark = `${RUN_VARIABLE}=${runId}`;
  return numbersOf("/proc").filter((pid) => pid !== process.pid && environOf(pid).split("\0").includes(mark));
}

/** Kills every process of a run and waits until none is left, at most five seconds. True when none is. */
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
    // Gone already, or not ours to end: whoever waits for it sees which.
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

function environOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    // Ended meanwhile, or another user's.
    return "";
  }
}
