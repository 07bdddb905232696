import { spawnSync } from "node:child_process";
import { escapeText, truncate } from "../base/text.ts";
import type { VerifyCommand } from "./policy.ts";

/** Characters of a failed command's output that are quoted. */
const MAX_OUTPUT = 400;

/**
 * Runs a command a policy asks for, without a shell: undefined when it exits with 0, else one sentence with its last
 * words.
 */
export function runVerify({ name, run, timeoutMs }: VerifyCommand, cwd: string): string | undefined {
  const [program, ...args] = run;
  if (program === undefined) return `policy.verify "${name}" names no program.`;
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status === 0) return undefined;
  const how =
    error !== undefined && status === null && signal === null ? error.message : ending(status, signal, timeoutMs);
  const words = escapeText(`${stdout ?? ""}${stderr ?? ""}`.trim().slice(-MAX_OUTPUT));
  return `policy.verify "${name}" ${how}.${words === "" ? "" : ` It said: ${truncate(words, MAX_OUTPUT)}`}`;
}

function ending(status: number | null, signal: string | null, timeoutMs: number): string {
  return signal === null
    ? `ended with ${status ?? "no status"}`
    : `was stopped by ${signal} (its limit is ${timeoutMs} ms)`;
}
