import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

/** A process to run, and when to stop it. */
export interface ChildRequest {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly capSeconds: number;
}

/** What a process and all its own children did. */
export interface ChildRun {
  readonly exitCode: number | null;
  readonly output: string;
  /** User and system time in milliseconds; the cap when it was stopped. */
  readonly cpu: number;
  readonly stopped: boolean;
}

/** Of the shell's own report, the second line is that of the children it waited for. */
const TIMES = /^.*\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s/;

/**
 * Runs a program to its end, or to the cap. A shell starts it, because Node tells nobody the CPU time of its children's
 * children, and runners do their work in those.
 */
export async function runChild({ command, cwd, env = {}, capSeconds }: ChildRequest): Promise<ChildRun> {
  const script = '"$@"; code=$?; times >&3; exit $code';
  const child = spawn("bash", ["-c", script, "bash", ...command], {
    cwd,
    env: { ...inherited(), ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    // A group of its own, so that a stop reaches its children too.
    detached: true,
  });
  const timer = { stopped: false };
  const stop = setTimeout(() => {
    timer.stopped = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, capSeconds * 1000);
  const [stdout, stderr, times] = await Promise.all([
    outputOf(child, 1),
    outputOf(child, 2),
    outputOf(child, 3),
    ended(child),
  ]);
  clearTimeout(stop);
  const cpu = timer.stopped ? capSeconds * 1000 : millisecondsOf(times);
  return { exitCode: child.exitCode, output: `${stdout}${stderr}`, cpu, stopped: timer.stopped };
}

async function outputOf(child: ChildProcess, index: number): Promise<string> {
  const stream = child.stdio[index];
  return isReadable(stream) ? text(stream) : "";
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === "object" && stream !== null && "read" in stream;
}

async function ended(child: ChildProcess): Promise<void> {
  await once(child, "close");
}

function millisecondsOf(times: string): number {
  const found = TIMES.exec(times)?.slice(1).map(Number);
  const [userMinutes = Number.NaN, user = 0, systemMinutes = 0, system = 0] = found ?? [];
  return ((userMinutes + systemMinutes) * 60 + user + system) * 1000;
}

/** What a runner needs of this process's surroundings: nothing that makes it think of CI or of npm. */
function inherited(): Record<string, string> {
  const names = ["PATH", "HOME", "TMPDIR"];
  const passed = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), LC_ALL: "C", NO_COLOR: "1" };
}
