import { basename, dirname } from "node:path";
import type { Result } from "../../base/result.ts";
import type { Baseline } from "../../baseline/baseline.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { readText } from "../../files/read.ts";
import { targetName } from "../../files/places.ts";
import { type BaselineFile, baselineFiles } from "../baseline-files.ts";

/** A baseline of the project as it lies there. */
export interface StoredBaseline extends BaselineFile {
  /** Relative to the project's root, with forward slashes: what receipts and `accept` call it. */
  readonly target: string;
  readonly text: string;
  /** What the text reads as, or one sentence on why it does not. Its hashes are not looked at. */
  readonly baseline: Result<Baseline, string>;
}

/** Reads the baselines of a project one after the other: no more than one is in memory. */
export function* storedBaselines(root: string): Generator<StoredBaseline, void, undefined> {
  for (const file of baselineFiles(root)) {
    const stored = readStored(root, file);
    if (stored !== undefined) yield stored;
  }
}

/** Reads one baseline; undefined where its file went away. */
export function readStored(root: string, file: BaselineFile): StoredBaseline | undefined {
  const text = readText(file.path);
  const target = targetName(root, file.path);
  return text === undefined ? undefined : { ...file, target, text, baseline: parseBaseline(text, target) };
}

/** The directory of a baseline's group, by name: what is known of a group whose file cannot be read. */
export function groupName({ path }: Pick<BaselineFile, "path">): string {
  return basename(dirname(path));
}

/** The name of a baseline's file without its ending. */
export function caseLabel({ path }: Pick<BaselineFile, "path">): string {
  return basename(path, ".json");
}
