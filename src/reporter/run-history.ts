import { join } from "node:path";
import { isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import { makeStateDirectory, replaceWithoutSync } from "../kernel/files/durable.ts";
import type { ProjectPaths } from "../kernel/files/project-paths.ts";
import { readText } from "../kernel/files/read.ts";
import type { RunHistoryEntry, RunModel } from "../explain/run-model.ts";

/** Maximum number of stored runs: as many bars as fit on a page. */
const MAX_RUNS = 50;
const FILE = "history.ndjson";

/** Reads the stored runs of a state directory, the oldest first. Skips invalid lines. */
export function readHistory(state: string): RunHistoryEntry[] {
  const lines = (readText(join(state, FILE)) ?? "").split("\n");
  return lines.map(parsedJson).filter(isEntry);
}

/**
 * Remembers a run, and forgets the oldest beyond the limit. Returns those before it. Two at once: the last one counts.
 */
export function rememberRun(paths: Pick<ProjectPaths, "state">, model: RunModel): RunHistoryEntry[] {
  const state = makeStateDirectory(paths);
  const before = readHistory(state);
  replaceWithoutSync(
    join(state, FILE),
    [...before, historyEntry(model)]
      .slice(-MAX_RUNS)
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join(""),
  );
  return before;
}

/** Entry of a run in the history. */
export function historyEntry({ startedAt, status, durationMs, counts, usage }: RunModel): RunHistoryEntry {
  return { startedAt, status, durationMs, counts, usage };
}

function isEntry(value: unknown): value is RunHistoryEntry {
  if (!isPlainObject(value)) return false;
  const { startedAt, status, durationMs, counts, usage = { calls: 0 } } = value;
  const known = typeof status === "string" && ["pass", "fail", "error"].includes(status);
  return (
    typeof startedAt === "string" &&
    known &&
    typeof durationMs === "number" &&
    [counts, usage].every(
      (numbers) => isPlainObject(numbers) && Object.values(numbers).every((count) => typeof count === "number"),
    )
  );
}
