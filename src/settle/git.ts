import { spawnSync } from "node:child_process";
import { type Result, err, ok } from "../base/result.ts";
import { gitEnvironment } from "./git-environment.ts";
import { GIT_SETTINGS } from "./git-settings.ts";

/** Where git runs. */
export interface GitCall {
  readonly cwd: string;
}

/** Runs git with these arguments, never by a shell, and waits for it: its output, or what it said when it failed. */
export function git(args: readonly string[], { cwd }: GitCall): Result<string, string> {
  const env = { ...gitEnvironment(process.env), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" };
  const { status, stdout, stderr, error } = spawnSync("git", [...GIT_SETTINGS, ...args], {
    cwd,
    env,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  if (error !== undefined) return err(error.message);
  return status === 0 ? ok(stdout) : err(stderr.trim() || `git ${args[0] ?? ""} ended with ${status}`);
}
