import { spawn } from "node:child_process";
import { childEnv } from "./child-env.ts";

/** How a child process is started. */
export interface ChildOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The user to run as; only the superuser may choose. */
  readonly uid?: number;
}

/** What a child process left. */
export interface ChildResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end without a terminal and gathers what it prints. */
export async function runChild(command: string, args: readonly string[], { cwd, env, uid }: ChildOptions): Promise<ChildResult> {
  const child = spawn(command, args, { cwd, env: childEnv(env), stdio: ["ignore", "pipe", "pipe"], ...(uid === undefined ? {} : { uid }) });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  const exitCode = await new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  return { exitCode, stdout: Buffer.concat(stdout).toString("utf8"), stderr: Buffer.concat(stderr).toString("utf8") };
}
