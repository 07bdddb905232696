import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { childEnv } from "./child-env.ts";
import type { ChildOptions } from "./run-child.ts";

/** A runner in watch mode. */
export interface Watch {
  /** Waits for the end of the next run, and returns what the runner printed since the run before. */
  nextRun(): Promise<string>;
}

/** Starts a script of Node that watches files, and stops it when the test ends. */
export function startWatch(command: readonly string[], { cwd, env }: ChildOptions): Watch {
  const child = spawn(process.execPath, command, { cwd, env: childEnv(env), stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      child.emit("output");
    });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill();
    await exited;
  });
  return {
    nextRun: async () => {
      for (;;) {
        const end = /^ {2}Baselines {2}.*\n/m.exec(output);
        if (end !== null) {
          const run = output.slice(0, end.index + end[0].length);
          output = output.slice(run.length);
          return run;
        }
        if (child.exitCode !== null) throw new Error(`The watching runner ended with ${child.exitCode}:\n${output}`);
        await Promise.race([once(child, "output"), exited]);
      }
    },
  };
}
