import { fileURLToPath } from "node:url";
import { runChild } from "./run-child.ts";

/** A script of `bench/children` to run in a fresh process. */
export interface ScriptRequest {
  readonly script: string;
  readonly args: readonly string[];
  /** Flags for Node. */
  readonly flags?: readonly string[];
  readonly capSeconds: number;
}

/** Runs a script that prints one line of named numbers. Undefined when it was stopped; rejects when it failed. */
export async function runScript({
  script,
  args,
  flags = [],
  capSeconds,
}: ScriptRequest): Promise<Readonly<Record<string, number>> | undefined> {
  const folder = fileURLToPath(new URL("children/", import.meta.url));
  const { exitCode, output, stopped } = await runChild({
    command: [process.execPath, ...flags, `${folder}${script}`, ...args],
    cwd: folder,
    capSeconds,
  });
  if (stopped) return undefined;
  if (exitCode !== 0) throw new Error(`${script} ${args.join(" ")} failed:\n${output}`);
  const line = output.split("\n").find((text) => text.startsWith("{")) ?? "{}";
  const report: unknown = JSON.parse(line);
  const entries: [string, unknown][] = typeof report === "object" && report !== null ? Object.entries(report) : [];
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === "number" ? [[name, value] as const] : [])),
  );
}
