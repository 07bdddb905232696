import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, extname, sep } from "node:path";
import { projectRoot } from "../kernel/files/project-paths.ts";
import { listNames, readRegularFile, readText } from "../kernel/files/read.ts";
import { sourceFiles } from "../kernel/files/source-files.ts";
import { isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
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
 * test file that a value's baseline is named after, or each test file next to a step's baseline. If baselines are
 * stored away from their tests, it's a test file of the project with that name, or the source files that name the step,
 * whose tests the runner finds.
 */
export function addTestsOfBaselines(paths: Iterable<string>): string[] {
  const changed = [...paths];
  const baselines = changed.filter((path) => isBaselineFileName(path.slice(folderOf(path).length)));
  // One of each folder, because all of them have the same tests.
  const groups = new Map(baselines.map((path) => [folderOf(path), path]));
  return [...new Set([...changed, ...[...groups.values()].flatMap(owningTests)])];
}

/** Returns the folder of a path with its last separator, of any system. */
function folderOf(path: string): string {
  return path.replace(/[^\\/]*$/, "");
}

/** Path of a baseline, with the separators of any system: Vite's paths have slashes on Windows too. */
const BASELINE_PATH = new RegExp(`^(.*)([\\\\/])${BASELINES_DIRECTORY}[\\\\/]([^\\\\/]+)[\\\\/][^\\\\/]+$`, "s");

function owningTests(path: string): readonly string[] {
  const [, folder, separator, group] = BASELINE_PATH.exec(path) ?? [];
  if (folder === undefined || separator === undefined || group === undefined) return [];
  const names = listNames(folder);
  const pathOf = (fileName: string): string => `${folder}${separator}${fileName}`;
  const owner = names.find((each) => isNamed(each, group));
  const tests = owner === undefined ? names.map(pathOf).filter(isTestSource) : [pathOf(owner)];
  return tests.length > 0 ? tests : testsElsewhere(path, group).map((each) => each.replaceAll(sep, separator));
}

function testsElsewhere(path: string, group: string): readonly string[] {
  const root = projectRoot(dirname(path));
  const files = existsSync(root) ? [...sourceFiles(root)] : [];
  const owners = files.filter((each) => isNamed(basename(each), group));
  if (owners.length > 0) return owners;
  const baseline = parsedJson(readText(path) ?? "");
  const step = isPlainObject(baseline) && typeof baseline["step"] === "string" ? baseline["step"] : group;
  // Quoted, because many files contain a word such as "read".
  const names = ['"', "'", "`"].map((mark) => `${mark}${step}${mark}`);
  return files.filter((each) => {
    const text = readRegularFile(each) ?? "";
    return names.some((name) => text.includes(name));
  });
}

/** True if a group of baselines is named after a file. Some file systems return a name decomposed. */
function isNamed(fileName: string, group: string): boolean {
  return groupDirectory(fileName.normalize("NFC")) === group;
}
