import { readVariable, setVariable } from "../../kernel/environment.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { listNames, readText } from "../../kernel/files/read.ts";
import { makeLogDirectory } from "../../kernel/files/log-directory.ts";
import { type LoggedCheck, type TestFileLog } from "../../explain/append-run-log.ts";

/** Creates a fresh log directory and announces it to new workers by the environment. Returns the directory. */
export function openRunLog(environment: NodeJS.ProcessEnv): string {
  const directory = makeLogDirectory();
  setVariable(environment, "VERITEST_RUN_LOG", directory);
  return directory;
}

/** Logs of a run. */
export interface DrainedLog {
  readonly logs: readonly TestFileLog[];
  /** Lines that aren't a test file's log: torn when a worker died, or another program's. Their content is lost. */
  readonly lost: number;
}

/** Reads and removes everything logged so far; the directory stays for the next run of a watch. */
export function drainRunLog(directory: string): DrainedLog {
  const lines = listNames(directory).flatMap((name) => takeLines(join(directory, name)));
  return readLog(lines);
}

/** Reads the lines of logs, from any source. */
export function readLog(lines: readonly string[]): DrainedLog {
  const logs = lines.map(parsedJson).filter(isTestFileLog);
  return { logs, lost: lines.length - logs.length };
}

function takeLines(path: string): string[] {
  const lines = (readText(path) ?? "").split("\n").filter((line) => line !== "");
  rmSync(path, { force: true });
  return lines;
}

/** Removes the log directory. */
export function closeRunLog(environment: NodeJS.ProcessEnv, directory: string): void {
  if (readVariable(environment, "VERITEST_RUN_LOG") === directory)
    setVariable(environment, "VERITEST_RUN_LOG", undefined);
  rmSync(directory, { recursive: true, force: true });
}

function isTestFileLog(value: unknown): value is TestFileLog {
  if (!isPlainObject(value)) return false;
  const { testPath, root, checks, staged, unreported = [], emptySteps = [], live = [] } = value;
  const lists =
    Array.isArray(checks) &&
    checks.every(isLoggedCheck) &&
    Array.isArray(staged) &&
    staged.every((key) => typeof key === "string") &&
    Array.isArray(unreported) &&
    unreported.every((path) => typeof path === "string") &&
    Array.isArray(emptySteps) &&
    emptySteps.every((step) => typeof step === "string") &&
    Array.isArray(live) &&
    live.every(isPlainObject);
  return typeof testPath === "string" && typeof root === "string" && lists;
}

function isLoggedCheck(value: unknown): value is LoggedCheck {
  if (!isPlainObject(value) || !["test", "path", "outcome"].every((key) => typeof value[key] === "string"))
    return false;
  const { remarks = [], findings = {} } = value;
  return Array.isArray(remarks) && remarks.every((remark) => typeof remark === "string") && isPlainObject(findings);
}
