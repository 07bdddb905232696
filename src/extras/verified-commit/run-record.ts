import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { codeOf, messageOf } from "../../kernel/error-message.ts";
import { writeAtomically, removeDeadTemporaries } from "../../kernel/files/durable.ts";
import { listNames } from "../../kernel/files/read.ts";
import { type ProcessIdentity, isProcessIdentity, ownIdentity } from "../../kernel/files/processes.ts";
import { stateDirectory } from "../../kernel/files/state-directory.ts";
import { type ReceiptDraft, isReceiptDraft } from "../../updates/receipts/receipt.ts";

/**
 * Phase of a run. `open`: only files in its folder have changed. `settling`: its receipt may be on disk.
 * `landing`: git's index may be locked, and from the moment the branch has the commit the run can only be finished.
 */
export type RunPhase = "open" | "settling" | "landing";

/** Data that is needed to bring a commit to its branch, or to see how far that came. */
export interface Landing {
  readonly target: string;
  /** The branch's commit before; undefined for a branch that is made. */
  readonly old: string | undefined;
  readonly base: string;
  readonly commit: string;
  readonly checkedOut: boolean;
}

/** Record that a run keeps on disk while it runs, for the process that recovers it. */
export interface RunRecord {
  readonly version: 1;
  readonly id: string;
  readonly owner: ProcessIdentity;
  readonly phase: RunPhase;
  readonly workItem: string;
  /** The user's work tree, and git's directories of it. */
  readonly top: string;
  readonly gitDir: string;
  readonly commonDir: string;
  /** The folder with only the run's repositories. */
  readonly folder: string;
  /** Receipt for the end of the run: of a commit from the phase `settling` on, of a discarded run before that. */
  readonly receipt: ReceiptDraft;
  readonly landing?: Landing;
}

/** Directory of a project's run records. */
function runsDirectory(state: string): string {
  return stateDirectory(state, "runs");
}

/**
 * Records the current state of a run, owned by this process. Durable when it returns; throws the errors of the file
 * system.
 */
export function writeRecord(state: string, record: Omit<RunRecord, "version" | "owner">): void {
  mkdirSync(runsDirectory(state), { recursive: true });
  writeAtomically(recordPath(state, record.id), `${JSON.stringify({ version: 1, owner: ownIdentity(), ...record })}\n`);
}

/** Removes the record of a finished run. */
export function removeRecord(state: string, id: string): void {
  if (!existsSync(recordPath(state, id))) return;
  rmSync(recordPath(state, id), { force: true });
}

/** The ids of all runs that are recorded. Removes what a process left that died while it wrote a record. */
export function recordedRuns(state: string): readonly string[] {
  const directory = runsDirectory(state);
  removeDeadTemporaries(directory);
  return listNames(directory)
    .filter((name) => /^[^.].*\.json$/.test(name))
    .map((name) => name.slice(0, -".json".length));
}

/** Reads a run's record; undefined if it no longer exists. The error describes the fault of the file. */
export function readRecord(state: string, id: string): Result<RunRecord | undefined, string> {
  const path = recordPath(state, id);
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isRecord(value) && value.id === id) return ok(value);
    return err(
      `Cannot read ${path}: it isn't a record of a run that this version of veritest knows. ` +
        "Update veritest, or remove it.",
    );
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return ok(undefined);
    return err(`Cannot read ${path}: ${messageOf(thrown)}. Remove it.`);
  }
}

/** The file of a run's record. */
export function recordPath(state: string, id: string): string {
  return join(runsDirectory(state), `${id}.json`);
}

function isRecord(value: unknown): value is RunRecord {
  if (!isPlainObject(value) || value["version"] !== 1) return false;
  const { owner, phase, receipt, landing } = value;
  const texts = ["id", "workItem", "top", "gitDir", "commonDir", "folder"].every(
    (key) => typeof value[key] === "string",
  );
  const isPhase = phase === "open" || phase === "settling" || phase === "landing";
  return (
    texts &&
    isPhase &&
    isProcessIdentity(owner) &&
    isReceiptDraft(receipt) &&
    (landing === undefined || isLanding(landing))
  );
}

function isLanding(value: unknown): value is Landing {
  if (!isPlainObject(value) || typeof value["checkedOut"] !== "boolean") return false;
  return (
    ["target", "base", "commit"].every((key) => typeof value[key] === "string") &&
    (value["old"] === undefined || typeof value["old"] === "string")
  );
}
