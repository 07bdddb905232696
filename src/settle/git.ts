import { spawnSync } from "node:child_process";
import { type Result, err, ok } from "../base/result.ts";

/** Where git runs. */
export interface GitCall {
  readonly cwd: string;
}

/** Variables by which a caller, such as a git hook, would point git at another repository than the one of `cwd`. */
const POINTERS: readonly string[] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX"];

/** Runs git with these arguments, never by a shell: its output, or what it said when it failed. */
export function git(args: readonly string[], { cwd }: GitCall): Result<string, string> {
  const environment = { ...process.env, LC_ALL: "C" };
  for (const variable of POINTERS) Reflect.deleteProperty(environment, variable);
  const { status, stdout, stderr, error } = spawnSync("git", args, { cwd, env: environment, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
  if (error !== undefined) return err(error.message);
  return status === 0 ? ok(stdout) : err(stderr.trim() || `git ${args[0] ?? ""} ended with ${status}`);
}
