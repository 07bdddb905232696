import { processEnvironment } from "../environment.ts";
import { spawnSync } from "node:child_process";
import { devNull } from "node:os";
import { codeOf } from "../error-message.ts";
import { type Result, err, ok } from "../result.ts";

/** Directory in which git runs. */
interface GitCall {
  readonly cwd: string;
}

/**
 * Runs git with these arguments, never by a shell, and waits for it. Returns its output, or its message if it failed.
 */
export function gitSync(args: readonly string[], { cwd }: GitCall): Result<string, string> {
  const env = { ...gitEnvironment(processEnvironment()), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" };
  const { status, stdout, stderr, error } = spawnSync("git", [...GIT_SETTINGS, ...args], {
    cwd,
    env,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  if (error !== undefined)
    return err(codeOf(error) === "ENOENT" ? "git isn't installed, or isn't in PATH" : error.message);
  return status === 0 ? ok(stdout) : err(stderr.trim() || `git ${args[0] ?? ""} ended with ${status}`);
}

/** Returns the id of the commit that is checked out; undefined before the first one, and outside of a repository. */
export function headCommit(cwd: string): string | undefined {
  const head = gitSync(["rev-parse", "--verify", "--quiet", "HEAD"], { cwd });
  return head.ok ? head.value.trim() : undefined;
}

/** Git's own variables for the committer, the locations of settings, and the connection to other machines. */
const KEPT: readonly RegExp[] = [
  /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/,
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH)$/,
  /^GIT_(?:SSH|SSH_COMMAND|ASKPASS|SSL_\w+|LFS_\w+)$/,
];

/**
 * An environment in which git finds the repository by the folder it is started in: variables such as `GIT_DIR` and
 * `GIT_INDEX_FILE`, which git sets for hooks and rebases, would lead it to another one. Identity, settings and
 * transport stay.
 */
export function gitEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const stays = (name: string) => !/^GIT_/i.test(name) || KEPT.some((kept) => kept.test(name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => stays(name)));
}

/**
 * Overrides user settings that would change the output, veto a landing, or delay it. These include hooks: a condition
 * for a commit is named as a check, so that its result is recorded.
 */
export const GIT_SETTINGS: readonly string[] = [
  "--no-pager",
  "--no-optional-locks",
  ...[
    `core.hooksPath=${process.platform === "win32" ? "/dev/null" : devNull}`,
    "core.fsmonitor=false",
    "core.splitIndex=false",
    "core.safecrlf=false",
    "core.quotePath=false",
    "color.ui=false",
    ...["diff", "grep", "status"].map((name) => `color.${name}=false`),
    "grep.lineNumber=false",
    "grep.column=false",
    "grep.fullName=false",
    "grep.fallbackToNoIndex=false",
    "diff.ignoreSubmodules=none",
    "apply.ignoreWhitespace=no",
    "i18n.commitEncoding=UTF-8",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
  ].flatMap((setting) => ["-c", setting]),
];
