import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { childEnv } from "./child-env.ts";

/** A signal to a child and everything it started, as Ctrl-C in a terminal sends it. */
export interface Interruption {
  readonly signal: NodeJS.Signals;
  /** The signal is sent when this file exists. */
  readonly when: string;
}

/** How a child process is started. */
export interface ChildOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The user to run as; only the superuser may choose. */
  readonly uid?: number;
  readonly interrupt?: Interruption | undefined;
}

/** What a child process left. */
export interface ChildResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end without a terminal and gathers what it prints. */
export async function runChild(
  command: string,
  args: readonly string[],
  { cwd, env, uid, interrupt }: ChildOptions,
): Promise<ChildResult> {
  const child = spawn(command, args, {
    cwd,
    env: childEnv(env),
    stdio: ["ignore", "pipe", "pipe"],
    detached: interrupt !== undefined,
    ...(uid === undefined ? {} : { uid }),
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  const { pid } = child;
  const timer =
    interrupt === undefined || pid === undefined
      ? undefined
      : setInterval(() => {
          if (!existsSync(interrupt.when)) return;
          clearInterval(timer);
          process.kill(-pid, interrupt.signal);
        }, 20);
  const exitCode = await new Promise<number | null>((resolve, reject) =>
    child.once("error", reject).once("close", resolve),
  );
  clearInterval(timer);
  return { exitCode, stdout: Buffer.concat(stdout).toString("utf8"), stderr: Buffer.concat(stderr).toString("utf8") };
}
