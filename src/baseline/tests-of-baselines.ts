import { lstatSync } from "node:fs";
import { basename, dirname, extname, join, resolve, sep } from "node:path";
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
 * whose tests the runner finds. Leaves out files that can't be read: a project may contain some that no test needs.
 */
export function addTestsOfBaselines(paths: Iterable<string>): string[] {
  const changed = [...paths];
  const baselines = changed.filter((path) => isBaselineFileName(path.slice(folderOf(path).length)));
  // All baselines of a folder have the same tests.
  const groups = [...Map.groupBy(baselines, folderOf).values()].flatMap((group) => groupOf(group) ?? []);
  const searching = groups.filter(({ isComplete }) => !isComplete);
  const elsewhere = [...Map.groupBy(searching, ({ root }) => root)].flatMap(([root, of]) => testsElsewhere(root, of));
  const nearby = groups.filter(({ isComplete }) => isComplete).flatMap(({ tests }) => tests);
  return [...new Set([...changed, ...nearby, ...elsewhere])];
}

/** Returns the folder of a path with its last separator, of any system. */
function folderOf(path: string): string {
  return path.replace(/[^\\/]*$/, "");
}

/** Path of a baseline, with the separators of any system: Vite's paths have slashes on Windows too. */
const BASELINE_PATH = new RegExp(`^(.*)([\\\\/])${BASELINES_DIRECTORY}[\\\\/]([^\\\\/]+)[\\\\/][^\\\\/]+$`, "s");

/** Changed baselines of one directory: a step's, or those of a test file's values. */
interface ChangedGroup {
  readonly root: string;
  readonly separator: string;
  /** Name of the directory. */
  readonly group: string;
  readonly step: string;
  /** Test files next to the directory of all baselines. */
  readonly tests: readonly string[];
  /** True if these tests use the baselines. */
  readonly isComplete: boolean;
}

function groupOf(paths: readonly string[]): ChangedGroup | undefined {
  const [path = "", folder, separator, group] = BASELINE_PATH.exec(paths[0] ?? "") ?? [];
  if (folder === undefined || separator === undefined || group === undefined) return undefined;
  const names = namesIn(folder);
  const owner = names.find((each) => groupNamedAfter(each) === group);
  const nearby = owner === undefined ? names : [owner];
  const tests = nearby.map((name) => `${folder}${separator}${name}`);
  const common = { root: projectRoot(dirname(path)), separator, group };
  if (owner !== undefined) return { ...common, step: group, tests, isComplete: true };
  const step = stepOf(paths) ?? group;
  const sources = tests.filter((each) => unlessUnreadable(() => isTestSource(each)));
  return { ...common, step, tests: sources, isComplete: sources.some((test) => usesStep(test, step)) };
}

/** Step in the first readable baseline of a directory: a changed one may be deleted, or have conflicts of a merge. */
function stepOf(paths: readonly string[]): string | undefined {
  const folder = folderOf(paths[0] ?? "");
  const left = namesIn(folder).filter(isBaselineFileName);
  for (const path of [...paths, ...left.map((name) => `${folder}${name}`)]) {
    const baseline = parsedJson(textOf(path));
    if (isPlainObject(baseline) && typeof baseline["step"] === "string") return baseline["step"];
  }
  return undefined;
}

const RELATIVE_IMPORT = /["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;

/** True if a test file names a step, or imports a file that does. */
function usesStep(test: string, step: string): boolean {
  return hasText(test, (text) => namesStep(text, step));
}

/** True if a test file or a file that it imports defines a step of this name. */
export function definesStep(test: string, step: string): boolean {
  // A title of a test may also be the step's name.
  return hasText(test, (text) => [...text.matchAll(STEP_NAME)].some(([, , name]) => name === step));
}

const STEP_NAME = /\bname\s*:\s*(["'`])(.*?)\1/g;

/** True if the text of a test file, or of a file that it imports, is such a one. */
function hasText(test: string, isMatch: (text: string) => boolean): boolean {
  const text = textOf(test);
  if (isMatch(text)) return true;
  return [...text.matchAll(RELATIVE_IMPORT)].some(([, specifier = ""]) => {
    const module = resolve(dirname(test), specifier);
    // TypeScript's imports may have another extension than the file.
    const files = namesIn(dirname(module)).filter((name) => stemOf(name) === stemOf(basename(module)));
    return files.some((name) => isMatch(textOf(join(dirname(module), name))));
  });
}

function stemOf(fileName: string): string {
  return SOURCE_FILE.test(extname(fileName)) ? fileName.slice(0, -extname(fileName).length) : fileName;
}

/** True if a text contains a step's name in quotes: many files contain a word such as "read". */
function namesStep(text: string, step: string): boolean {
  return ['"', "'", "`"].some((mark) => text.includes(`${mark}${step}${mark}`));
}

/**
 * Returns the tests of groups that may have some elsewhere in their project. Lists and reads its files once for all
 * groups: there may be thousands.
 */
function testsElsewhere(root: string, groups: readonly ChangedGroup[]): readonly string[] {
  const files = [...sourceFiles(root, { skipsUnreadable: true })];
  const byGroup = Map.groupBy(files, (file) => groupNamedAfter(basename(file)));
  const users = Map.groupBy(groups, ({ group }) => byGroup.has(group));
  const owners = (users.get(true) ?? []).flatMap((each) => withSeparator(byGroup.get(each.group) ?? [], each));
  const unowned = users.get(false) ?? [];
  const sources = (unowned.length === 0 ? [] : files).flatMap((file) => {
    const text = textOf(file);
    return unowned.filter(({ step }) => namesStep(text, step)).flatMap((each) => withSeparator([file], each));
  });
  return [...owners, ...unowned.flatMap(({ tests }) => tests), ...sources];
}

function withSeparator(paths: readonly string[], { separator }: ChangedGroup): readonly string[] {
  return paths.map((path) => path.replaceAll(sep, separator));
}

/** Name of the directory for the baselines of a test file's values. Some file systems return a name decomposed. */
function groupNamedAfter(fileName: string): string {
  return groupDirectory(fileName.normalize("NFC"));
}

function namesIn(folder: string): readonly string[] {
  return unlessUnreadable(() => listNames(folder)) ?? [];
}

function textOf(path: string): string {
  return unlessUnreadable(() => readRegularFile(path)) ?? "";
}

function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // No permission, or a pipe.
    return undefined;
  }
}
