import { spawn } from "node:child_process";
import { join } from "node:path";

/** Command and environment of a child process. */
export interface NodeCommand {
  readonly directory: string;
  /** The script and its arguments. */
  readonly args: readonly string[];
  /** True to show the output as it arrives. */
  readonly show: boolean;
  /** Additional environment variables of the script. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Result of a child process. */
export interface NodeRun {
  /** The exit code; -1 for one that was killed. */
  readonly code: number;
  /** Standard output and standard error in the order of arrival, without colours. */
  readonly output: string;
}

/**
 * Variables that a child process inherits. Others change the files and output of runners: CI's, agents', this runner's
 * own.
 */
const KEPT: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USERPROFILE",
  "TMPDIR",
  "TEMP",
  "TMP",
  "SYSTEMROOT",
  "COMSPEC",
  "PATHEXT",
  "TERM",
  "LANG",
  "NODE_COMPILE_CACHE",
]);

/** Runs this Node on a script in a directory, as on a developer's machine. Rejects only when it cannot be started. */
export async function runNode({ directory, args, show, env: more }: NodeCommand): Promise<NodeRun> {
  // Notes and receipts of a trial go with the trial.
  const env = {
    ...keptEnvironment(),
    XDG_STATE_HOME: join(directory, ".state"),
    ...(show && process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }),
    ...more,
  };
  const child = spawn(process.execPath, args, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      chunks.push(chunk);
      if (show) process.stdout.write(chunk);
    });
  }
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? -1));
  });
  return { code, output: chunks.join("").replace(/\u001B\[[\d;]*m/g, "") };
}

function keptEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.has(name.toUpperCase())));
}
