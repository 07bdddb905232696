import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import type { Result } from "../../kernel/result.ts";
import { listNames, readText } from "../../kernel/files/read.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { stateDirectory } from "../../kernel/files/state-directory.ts";
import { makeStateDirectory, replaceWithoutSync } from "../../kernel/files/durable.ts";
import { type PendingChange, parsePendingChange } from "./pending-change.ts";
import { type ProcessIdentity, isProcessIdentity } from "../../kernel/files/processes.ts";
import type { TestRun } from "../test-run.ts";

const OWNER = "OWNER";

/** Directory of the changes of one run until its end. */
export function stageDirectory({ state }: Pick<ProjectPaths, "state">, run: string): string {
  return stateDirectory(state, "stage", run);
}

/**
 * Stages a test's changes for the end of the run, and removes those of an earlier attempt that it didn't repeat. If a
 * passing attempt contradicts an earlier passing one, it's marked, because one case can't have two results. `earlier`
 * are the keys that earlier attempts of the test staged.
 */
export function stageChanges(
  { id, owner, paths }: TestRun,
  changes: readonly PendingChange[],
  earlier: ReadonlySet<string>,
): void {
  const directory = stageDirectory(paths, id);
  const kept = new Set(changes.map(({ key }) => key));
  for (const key of earlier) if (!kept.has(key)) rmSync(join(directory, `${key}.json`), { force: true });
  if (changes.length === 0) return;
  makeStateDirectory(paths);
  if (lstatSync(directory, { throwIfNoEntry: false }) === undefined) makeStage(directory, owner);
  for (const change of changes) {
    const path = join(directory, `${change.key}.json`);
    const rival = change.passed ? rivalOf(change, readText(path)) : undefined;
    const projects = [...new Set([...(rival?.projects ?? []), rival?.project, change.project])];
    const named = rival === undefined || projects.length < 2 ? {} : { projects: projects.map((name) => name ?? "") };
    replaceWithoutSync(path, JSON.stringify({ ...change, contradicted: rival !== undefined, ...named }));
  }
}

/** Marks changes as those of a test that failed after all: it passed when they were staged. */
export function failChanges({ id, paths }: Pick<TestRun, "id" | "paths">, keys: ReadonlySet<string>): void {
  for (const key of keys) {
    const path = join(stageDirectory(paths, id), `${key}.json`);
    const staged = parsePendingChange(readText(path) ?? "");
    if (staged.ok && staged.value.passed) replaceWithoutSync(path, JSON.stringify({ ...staged.value, passed: false }));
  }
}

/**
 * Creates a run's directory with its owner's name in it, in one step. If the process dies meanwhile, no directory
 * without an owner is left.
 */
function makeStage(directory: string, owner: ProcessIdentity): void {
  const temporary = join(dirname(directory), `.${basename(directory)}.${randomBytes(6).toString("hex")}.tmp`);
  mkdirSync(temporary, { recursive: true });
  try {
    writeFileSync(join(temporary, OWNER), JSON.stringify(owner));
    renameSync(temporary, directory);
  } catch (thrown) {
    rmSync(temporary, { recursive: true, force: true });
    // Another worker was faster, with the same name in it.
    if (lstatSync(directory, { throwIfNoEntry: false }) === undefined) throw thrown;
  }
}

/** Staged changes of a run, and its unreadable files, with a phrase each. */
export interface StagedRun {
  readonly changes: readonly PendingChange[];
  readonly unreadable: readonly string[];
  /** Text of each change that is stored for review, as read and checked against the new text. */
  readonly texts: ReadonlyMap<PendingChange, string>;
}

function readChange(
  directory: string,
  name: string,
): { readonly name: string; readonly text: string; readonly change: Result<PendingChange, string> } {
  const text = readText(join(directory, name)) ?? "";
  return { name, text, change: parsePendingChange(text) };
}

/** Reads what a run staged so far, in the order of its targets. */
export function readStaged(paths: Pick<ProjectPaths, "state">, run: string): StagedRun {
  const directory = stageDirectory(paths, run);
  const read = listNames(directory)
    .filter((name) => name.endsWith(".json"))
    .map((name) => readChange(directory, name));
  const changes = read.flatMap(({ change }) => (change.ok ? [change.value] : []));
  const unreadable = read.flatMap(({ name, change }) => (change.ok ? [] : [`${name}: ${change.error}`]));
  const texts = new Map(
    read.flatMap(({ change, text }) =>
      change.ok && change.value.intent === "review" ? [[change.value, text] as const] : [],
    ),
  );
  return { changes: changes.toSorted((a, b) => (a.target < b.target ? -1 : 1)), unreadable, texts };
}

/** Process that applies the staged changes of a run. Undefined if it left no readable name. */
export function ownerOf(paths: Pick<ProjectPaths, "state">, run: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(readText(join(stageDirectory(paths, run), OWNER)) ?? "");
    return isPlainObject(value) && isProcessIdentity(value) ? value : undefined;
  } catch {
    // Cut off while it was written. The caller waits until it's old enough to be abandoned.
    return undefined;
  }
}

/** Removes the changes of a run that were applied. Those staged after they were read remain for the next run. */
export function clearApplied(
  paths: Pick<ProjectPaths, "state">,
  run: string,
  applied: readonly Pick<PendingChange, "key">[],
): void {
  const directory = stageDirectory(paths, run);
  for (const { key } of applied) rmSync(join(directory, `${key}.json`), { force: true });
  if (!listNames(directory).some((name) => name.endsWith(".json"))) clearStaged(paths, run);
}

/** Removes all that a run staged. */
export function clearStaged(paths: Pick<ProjectPaths, "state">, run: string): void {
  const directory = stageDirectory(paths, run);
  // Its owner's name goes last: what a crash leaves then is still known to be a dead one's.
  for (const name of listNames(directory))
    if (name !== OWNER) rmSync(join(directory, name), { recursive: true, force: true });
  rmSync(directory, { recursive: true, force: true });
}

/** The stored change of the same test that had another result. Undefined if there is none. */
function rivalOf({ after }: PendingChange, stored: string | undefined): PendingChange | undefined {
  const before = stored === undefined ? undefined : parsePendingChange(stored);
  if (before?.ok !== true || !before.value.passed) return undefined;
  return before.value.contradicted || before.value.after !== after ? before.value : undefined;
}
