import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { historyEntry } from "../../reporter/run-history.ts";
import type { RunHistoryEntry, RunModel } from "../../reporter/run-model.ts";
import { filesBelow, readRun } from "./run-files.ts";

/** Where earlier runs are looked for. */
export interface HistorySource {
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
