import { spawn } from "node:child_process";
import type { FaultRunner } from "./runner-project.ts";

/** A run of a test runner in a process group of its own. */
export interface StartedRun {
  /** The exit code; null for one that was killed. */
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
  readonly isOver: () => boolean;
  /** Signals the runner and all its workers. */
  readonly signal: (signal: NodeJS.Signals) => void;
}

/** What a run is told by its environment. */
export interface RunSettings {
  readonly value: string;
  readonly args?: readonly string[];
  /** The test file whose worker dies, or, with " fails", whose last test does. */
  readonly death?: string;
  /** Milliseconds each test file waits at its end. */
  readonly pause?: number;
}

/** What a child needs of the system; others change what runners write: CI's, agents', this harness's own. */
const KEPT: ReadonlySet<string> = new Set(["PATH", "HOME", "TMPDIR", "LANG"]);

/** Starts a run in a project. */
export function startRun(
  project: string,
  runner: FaultRunner,
  { value, args = [], death = "", pause = 0 }: RunSettings,
): StartedRun {
  const kept = Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.has(name)));
  const env = {
    ...kept,
    NO_COLOR: "1",
    CI: "false",
    XDG_STATE_HOME: `${project}/.home`,
    FAULT_VALUE: value,
    FAULT_DEATH: death,
    FAULT_PAUSE: String(pause),
  };
  const child = spawn(process.execPath, [...runner.command, ...args], {
    cwd: project,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => void chunks.push(chunk));
  let over = false;
  const ended = new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      over = true;
      resolve({ code, output: chunks.join("") });
    });
  });
  return { ended, isOver: () => over, signal: (signal) => signalGroup(child.pid, signal) };
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (thrown) {
    // It ended by itself a moment ago.
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH")) throw thrown;
  }
}
