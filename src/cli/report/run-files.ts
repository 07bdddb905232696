import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, resolve, dirname } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/thrown.ts";
import { parseRunModel } from "../../reporter/parse-run-model.ts";
import { historyEntry } from "../../reporter/run-history.ts";
import type { RunModel, RunHistoryEntry } from "../../explain/run-model.ts";

/** What a report of a run is called: `run.json`, and where several lie together `run-2.json`. */
const RUN_FILE = /^run(?:[-.].+)?\.json$/;
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/** A run that was read, and where from. */
export interface ReadRun {
  /** Absolute. */
  readonly path: string;
  readonly model: RunModel;
}

/** The files a command line names: each file as it is, of each directory every `run.json` and `run-*.json` below it. */
export function runFiles(names: readonly string[], cwd: string): Result<readonly string[], string> {
  const paths: string[] = [];
  for (const name of names) {
    const path = resolve(cwd, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return err(`There is no file or directory ${quote(name)}.`);
    const found = stats.isDirectory() ? [...filesBelow(path)] : [path];
    if (found.length === 0)
      return err(`There is no run.json below ${quote(name)}. A run writes one with VERITEST_REPORT=json.`);
    paths.push(...found);
  }
  return ok([...new Set(paths)]);
}

/** Reads a run's model. The error is one sentence for the user. */
export function readRun(path: string, name: string): Result<ReadRun, string> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    return err(`There is no file ${quote(name)}. A run writes a run.json with VERITEST_REPORT=json.`);
  if (stats.isDirectory()) return err(`${quote(name)} is a directory: give the run.json in it.`);
  try {
    const model = parseRunModel(readFileSync(path, "utf8"), name);
    return model.ok ? ok({ path, model: model.value }) : model;
  } catch (thrown) {
    return err(`${quote(name)} cannot be read: ${messageOf(thrown)}.`);
  }
}

/** The files of runs below a directory, in the order of their names. Follows no link. */
function* filesBelow(directory: string): Generator<string, void, undefined> {
  const entries = readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* filesBelow(join(directory, entry.name));
    else if (entry.isFile() && RUN_FILE.test(entry.name)) yield join(directory, entry.name);
  }
}

/** Where earlier runs are looked for. */
interface HistorySource {
  /** The file of the run itself; its neighbours are earlier runs. */
  readonly path: string;
  /** A directory of earlier runs, looked through to its bottom, in place of the neighbours. */
  readonly directory: string | undefined;
  /** What the project itself remembers. */
  readonly remembered: readonly RunHistoryEntry[];
}

/** The runs before a run, the oldest first. A file that is no run has nothing to say here: history is only shown. */
export function runHistoryOf(model: RunModel, { path, directory, remembered }: HistorySource): RunHistoryEntry[] {
  const files = directory === undefined ? neighbours(path) : [...filesBelow(directory)];
  const read = files.flatMap((file) => {
    const run = readRun(file, file);
    return run.ok ? historyEntry(run.value.model) : [];
  });
  const earlier = new Map(
    [...remembered, ...read]
      .filter(({ startedAt }) => startedAt < model.startedAt)
      .map((entry) => [entry.startedAt, entry]),
  );
  return [...earlier.values()].toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
}

function neighbours(path: string): string[] {
  const directory = dirname(path);
  return readdirSync(directory)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(directory, name))
    .filter((file) => file !== path);
}
