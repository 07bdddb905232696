import { spawn } from "node:child_process";
import { type Result, err, ok } from "../../kernel/result.ts";
import { gitEnvironment, GIT_SETTINGS } from "../../kernel/files/git.ts";

/** Directory and options of a git command. */
export interface GitCall {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Standard input of git; empty if undefined. */
  readonly input?: string;
  /** Another index than the work tree's own. */
  readonly indexFile?: string;
  /** Encoding of the output: `latin1` keeps every byte. */
  readonly encoding?: "utf8" | "latin1";
}

/** Failure of a git command, in git's words. */
export interface GitFailure {
  /** The exit code; null if git was killed or could not be started. */
  readonly code: number | null;
  readonly message: string;
}

/**
 * Runs git with an array of arguments and returns its standard output, or the reason of its failure. Never through a
 * shell; in its own process group, so that a Ctrl-C for the run cannot interrupt it.
 */
export async function git(args: readonly string[], call: GitCall): Promise<Result<string, GitFailure>> {
  const child = spawn("git", [...GIT_SETTINGS, ...args], {
    cwd: call.cwd,
    env: environmentOf(call),
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  const problems: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => void output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => void problems.push(chunk));
  // Git may end without reading all of it; its exit code shows the result.
  child.stdin.on("error", () => undefined);
  child.stdin.end(call.input ?? "");
  return new Promise((resolve) => {
    child.once("error", (thrown) =>
      resolve(err({ code: null, message: `git could not be started: ${thrown.message}` })),
    );
    child.once("close", (code) => {
      if (code === 0) resolve(ok(Buffer.concat(output).toString(call.encoding ?? "utf8")));
      else resolve(err({ code, message: wording(args, Buffer.concat(problems).toString("utf8").trim()) }));
    });
  });
}

function environmentOf(call: GitCall): NodeJS.ProcessEnv {
  const index = call.indexFile === undefined ? {} : { GIT_INDEX_FILE: call.indexFile };
  return { ...gitEnvironment(call.environment), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", ...index };
}

function wording(args: readonly string[], problem: string): string {
  return `git ${args[0] ?? ""}: ${problem === "" ? "failed without a word" : problem}`;
}
