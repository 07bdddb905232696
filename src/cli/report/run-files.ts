import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { parseRunModel } from "../../reporter/parse-run-model.ts";
import type { RunModel } from "../../explain/run-model.ts";

/** Name of a run's report: `run.json`, or `run-2.json` if a directory has several. */
const RUN_FILE = /^run(?:[-.].+)?\.json$/;
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/** Returns the named files. A directory means every `run.json` and `run-*.json` below it. */
export function runFiles(names: readonly string[], cwd: string): Result<readonly string[], string> {
  const paths: string[] = [];
  for (const name of names) {
    const path = resolve(cwd, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return err(`There is no file or directory ${quote(name)}.`);
    const runs = stats.isDirectory() ? [...filesBelow(path)] : [path];
    if (runs.length === 0)
      return err(`There is no run.json below ${quote(name)}. To write it, run your tests with VERITEST_REPORT=json.`);
    paths.push(...runs);
  }
  return ok([...new Set(paths)]);
}

/** Reads a run's model. The error is one sentence for the user. */
export function readRun(path: string, name: string): Result<RunModel, string> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    return err(`There is no file ${quote(name)}. To write it, run your tests with VERITEST_REPORT=json.`);
  if (stats.isDirectory()) return err(`${quote(name)} is a directory. Pass the run.json in it.`);
  try {
    return parseRunModel(readFileSync(path, "utf8"), name);
  } catch (thrown) {
    return err(`${quote(name)} can't be read: ${messageOf(thrown)}.`);
  }
}

/** Yields the run files below a directory in the order of their names. Doesn't follow links. */
function* filesBelow(directory: string): Generator<string, void, undefined> {
  const entries = readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* filesBelow(join(directory, entry.name));
    else if (entry.isFile() && RUN_FILE.test(entry.name)) yield join(directory, entry.name);
  }
}
