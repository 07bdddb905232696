import { spawn } from "node:child_process";
import { type Result, err, ok } from "../../kernel/result.ts";
import { gitEnvironment, GIT_SETTINGS } from "../../kernel/files/git.ts";

/** Directory and options of a git command. */
export interface GitCall {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Standard input of git; empty if undefined. */
  readonly input?: string | Buffer;
  /** Git's own variables, such as another index than the work tree's. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Encoding of the output: `latin1` keeps every byte. */
  readonly encoding?: "utf8" | "latin1";
  /** Ends git when aborted. Default: git runs to its end. */
  readonly signal?: AbortSignal;
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
    ...(call.signal === undefined ? {} : { signal: call.signal }),
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
    child.once("error", (thrown) => {
      const what = call.signal?.aborted === true ? `git ${args[0] ?? ""} was ended` : "git could not be started";
      resolve(err({ code: null, message: `${what}: ${thrown.message}` }));
    });
    child.once("close", (code) => {
      if (code === 0) resolve(ok(Buffer.concat(output).toString(call.encoding ?? "utf8")));
      else resolve(err({ code, message: wording(args, Buffer.concat(problems).toString("utf8").trim()) }));
    });
  });
}

/** Git reads the objects themselves: a replacement could show other files than those that are committed. */
function environmentOf({ environment, variables }: GitCall): NodeJS.ProcessEnv {
  const own = { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_NO_REPLACE_OBJECTS: "1" };
  return { ...gitEnvironment(environment), ...own, ...variables };
}

function wording(args: readonly string[], problem: string): string {
  return `git ${args[0] ?? ""}: ${problem === "" ? "failed without a message" : problem}`;
}
