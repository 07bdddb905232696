import { lstatSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { listNames, readText } from "../kernel/files/read.ts";
import { BASELINES_DIRECTORY, groupDirectory, isBaselineFileName } from "./baseline-paths.ts";

const SOURCE_FILE = /^\.[cm]?[jt]sx?$/;
const TEST_NAME = /\.(?:test|spec)\.[^.]+$/;
/** Test code: a runner's module, a matcher, a call of `test` or its like. Compiled files call `globals_1.test`. */
const TEST_CODE = [
  /["'](?:vitest|@jest\/globals)["']/,
  /\.to(?:MatchBaseline|RecomputeClean|Replay)\b/,
  /(?<![\w.$])(?:test|it|describe|suite)\b(?:\.\w+)*\s*[(`]/,
];

/** True if a file looks like a test file, whatever a runner's configuration includes. */
export function isTestSource(path: string): boolean {
  if (!SOURCE_FILE.test(extname(path)) || lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const text = TEST_NAME.test(path) ? undefined : (readText(path) ?? "");
  return text === undefined || TEST_CODE.some((pattern) => pattern.test(text));
}

/**
 * Adds to changed files the test files that use the baselines among them, so that a changed baseline runs its test: the
 * test file that a value's baseline is named after, or each test file next to a step's baseline.
 */
export function addTestsOfBaselines(paths: Iterable<string>): string[] {
  const changed = [...paths];
  return [...new Set([...changed, ...changed.flatMap(owningTests)])];
}

function owningTests(path: string): readonly string[] {
  const root = dirname(dirname(path));
  if (basename(root) !== BASELINES_DIRECTORY || !isBaselineFileName(basename(path))) return [];
  const folder = dirname(root);
  const group = basename(dirname(path));
  const names = listNames(folder);
  const owner = names.find((name) => groupDirectory(name.normalize("NFC")) === group);
  if (owner !== undefined) return [join(folder, owner)];
  return names.map((name) => join(folder, name)).filter(isTestSource);
}
