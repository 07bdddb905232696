import { randomUUID } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isPlainObject } from "../base/is-plain-object.ts";
import { listNames, readText } from "../baseline/store.ts";

/** Names the directory of the run's log for workers: the one channel every worker kind of both runners has. */
export const RUN_LOG_VARIABLE = "VERITEST_RUN_LOG";

/** One check of one baseline in a test that ended. */
export interface LoggedCheck {
  /** The test's titles joined by blanks. */
  readonly test: string;
  /** Absolute path of the baseline. */
  readonly path: string;
  /** A verdict's class, or `captured` or `updated` for one that was written. */
  readonly outcome: string;
}

/** What one worker has to say about one test file. */
export interface TestFileLog {
  readonly testPath: string;
  /** The directory of the baselines beside the test file. */
  readonly root: string;
  readonly checks: readonly LoggedCheck[];
}

/** Makes a fresh log directory and tells coming workers of it by the environment. Returns the directory. */
export function openRunLog(environment: NodeJS.ProcessEnv): string {
  const directory = mkdtempSync(join(tmpdir(), "veritest-"));
  environment[RUN_LOG_VARIABLE] = directory;
  return directory;
}

/** Adds a test file's log, one line in one synchronous write; does nothing where no reporter listens. */
export function appendRunLog(environment: NodeJS.ProcessEnv, log: TestFileLog): void {
  const directory = environment[RUN_LOG_VARIABLE];
  if (directory === undefined || directory === "") return;
  appendFileSync(join(directory, `${process.pid}-${randomUUID()}.ndjson`), `${JSON.stringify(log)}\n`);
}

/** What a run logged. */
export interface DrainedLog {
  readonly logs: readonly TestFileLog[];
  /** Lines that are no log of a test file: torn when a worker died, or another program's. What they said is lost. */
  readonly lost: number;
}

/** Reads and removes everything logged so far; the directory stays for the next run of a watch. */
export function drainRunLog(directory: string): DrainedLog {
  const lines = listNames(directory).flatMap((name) => takeLines(join(directory, name)));
  const logs = lines.map(parseLine).filter((log) => log !== undefined);
  return { logs, lost: lines.length - logs.length };
}

function takeLines(path: string): string[] {
  const lines = (readText(path) ?? "").split("\n").filter((line) => line !== "");
  rmSync(path, { force: true });
  return lines;
}

function parseLine(line: string): TestFileLog | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isTestFileLog(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the log directory. */
export function closeRunLog(environment: NodeJS.ProcessEnv, directory: string): void {
  if (environment[RUN_LOG_VARIABLE] === directory) delete environment[RUN_LOG_VARIABLE];
  rmSync(directory, { recursive: true, force: true });
}

function isTestFileLog(value: unknown): value is TestFileLog {
  if (!isPlainObject(value)) return false;
  const { testPath, root, checks } = value;
  return typeof testPath === "string" && typeof root === "string" && Array.isArray(checks) && checks.every(isLoggedCheck);
}

function isLoggedCheck(value: unknown): value is LoggedCheck {
  return isPlainObject(value) && ["test", "path", "outcome"].every((key) => typeof value[key] === "string");
}
