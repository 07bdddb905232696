import { rmSync, lstatSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isPlainObject } from "../../base/plain-data.ts";
import { answers } from "../../files/processes.ts";
import { listNames, readText } from "../../files/read.ts";
import { type LoggedCheck, RUN_LOG_VARIABLE, type TestFileLog } from "../../reporter/append-run-log.ts";

/** Makes a fresh log directory and tells coming workers of it by the environment. Returns the directory. */
export function openRunLog(environment: NodeJS.ProcessEnv): string {
  const directory = makeLogDirectory();
  environment[RUN_LOG_VARIABLE] = directory;
  return directory;
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
  const logs = lines.map(readLogLine).filter((log) => log !== undefined);
  return { logs, lost: lines.length - logs.length };
}

function takeLines(path: string): string[] {
  const lines = (readText(path) ?? "").split("\n").filter((line) => line !== "");
  rmSync(path, { force: true });
  return lines;
}

/** Reads a line of a log; undefined where it is none. */
export function readLogLine(line: string): TestFileLog | undefined {
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
  const { testPath, root, checks, staged } = value;
  const lists =
    Array.isArray(checks) &&
    checks.every(isLoggedCheck) &&
    Array.isArray(staged) &&
    staged.every((key) => typeof key === "string");
  return typeof testPath === "string" && typeof root === "string" && lists;
}

function isLoggedCheck(value: unknown): value is LoggedCheck {
  if (!isPlainObject(value) || !["test", "path", "outcome"].every((key) => typeof value[key] === "string"))
    return false;
  const { remarks = [], findings = {} } = value;
  return Array.isArray(remarks) && remarks.every((remark) => typeof remark === "string") && isPlainObject(findings);
}

/** What log directories are called: the number of the process that made it, and something random. */
const NAME = /^veritest-log-(\d+)-\w{6}$/;

/** A process that counts by itself, as in a container, is not known here: what is as old as this it has left, too. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** How long whoever made one is believed to be at it, whatever its number says. */
const MIN_AGE_MS = 60_000;

/** Makes a directory of this process's own for what workers tell, and removes those that killed runs have left. */
export function makeLogDirectory(now: number = Date.now()): string {
  const parent = temporaryFolder();
  removeLeftLogs(parent, now);
  return mkdtempSync(join(parent, `veritest-log-${process.pid}-`));
}

/** A folder that TMPDIR names and that is gone, as in a container that starts anew, is made again. */
function temporaryFolder(): string {
  const folder = tmpdir();
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Removes the log directories of dead processes: only those of this user, no links, and none that was made just now.
 */
export function removeLeftLogs(parent: string, now: number): void {
  for (const name of listNames(parent)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && isLeft(join(parent, name), { pid: Number(pid), now }))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isLeft(path: string, { pid, now }: { readonly pid: number; readonly now: number }): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) return false;
  const age = now - found.mtimeMs;
  return age > MAX_AGE_MS || (age > MIN_AGE_MS && !answers(pid));
}
