import { basename, dirname, join } from "node:path";

/** The directory name all baselines lie under. */
const BASELINES = "__baselines__";

/**
 * Where a test file's baselines lie, from where its runner keeps snapshots, so that a custom snapshot resolver is
 * honoured: beside `__snapshots__`, else beside the snapshot file itself.
 */
export function baselineRoot(snapshotPath: string): string {
  const directory = dirname(snapshotPath);
  return join(basename(directory) === "__snapshots__" ? dirname(directory) : directory, BASELINES);
}
