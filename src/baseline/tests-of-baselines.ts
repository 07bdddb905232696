import { lstatSync } from "node:fs";
import { basename, dirname, extname, join, resolve, sep } from "node:path";
import { projectRoot } from "../kernel/files/project-paths.ts";
import { listNames, readText } from "../kernel/files/read.ts";
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
  const sources = new ReadSources();
  // All baselines of a folder have the same tests.
  const groups = [...Map.groupBy(baselines, folderOf).values()].flatMap((group) => groupOf(group, sources) ?? []);
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
  /** Step of the baselines; undefined for those of values, or if they can't be read. */
  readonly step: string | undefined;
  /** Test files next to the directory of all baselines. */
  readonly tests: readonly string[];
  /** True if these tests use the baselines. */
  readonly isComplete: boolean;
}

function groupOf(paths: readonly string[], sources: ReadSources): ChangedGroup | undefined {
  const [path = "", folder, separator, group] = BASELINE_PATH.exec(paths[0] ?? "") ?? [];
  if (folder === undefined || separator === undefined || group === undefined) return undefined;
  const names = sources.namesIn(folder);
  const step = stepOf(paths);
  const ownName = step === undefined ? names.find((each) => groupNamedAfter(each) === group) : undefined;
  const tests = (ownName === undefined ? names : [ownName]).map((name) => `${folder}${separator}${name}`);
  const common = { root: projectRoot(dirname(path)), separator, group, step };
  if (ownName !== undefined) return { ...common, tests, isComplete: true };
  const testSources = tests.filter((each) => sources.isTest(each));
  const isComplete = testSources.some((test) => sources.usesStep(test, step ?? group));
  return { ...common, tests: testSources, isComplete };
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

/** A text in quotes. Another one may begin at its last quote, because an apostrophe may be the first. */
const QUOTED = /(["'`])(?=([^\n]{1,200}?)\1)/g;
const RELATIVE_PATH = /^\.{1,2}\//;

/** Lists the texts in quotes. */
function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(QUOTED)].map(([, , word = ""]) => word);
}

/** Number of names that are looked for in a text one by one. */
const FEW_NAMES = 20;

/** Source files of one search, each read once: thousands of baselines may have changed. */
class ReadSources {
  readonly #names = new Map<string, readonly string[]>();
  readonly #tests = new Map<string, boolean>();
  readonly #words = new Map<string, ReadonlySet<string>>();
  readonly #imports = new Map<string, readonly string[]>();

  namesIn(folder: string): readonly string[] {
    return memoized(this.#names, folder, namesIn);
  }

  isTest(path: string): boolean {
    return memoized(this.#tests, path, () => unlessUnreadable(() => isTestSource(path)) === true);
  }

  /**
   * Returns true if a test file has a step's name in quotes, or a file that it imports does. Further imports don't
   * count: they lead to many names, and a test elsewhere may use the baselines.
   */
  usesStep(test: string, step: string): boolean {
    return [test, ...this.#importsOf(test)].some((path) => this.wordsIn(path).has(step));
  }

  /** Returns the texts in quotes of a file: many files contain a word such as "read" without quotes. */
  wordsIn(path: string): ReadonlySet<string> {
    return memoized(this.#words, path, () => new Set(quotedIn(textOf(path))));
  }

  #importsOf(path: string): readonly string[] {
    return memoized(this.#imports, path, () => {
      const specifiers = [...this.wordsIn(path)].filter((word) => RELATIVE_PATH.test(word));
      return specifiers.flatMap((specifier) => this.#filesOf(resolve(dirname(path), specifier)));
    });
  }

  /** Returns the files that an imported path may mean: in TypeScript, it may have another extension than the file. */
  #filesOf(module: string): readonly string[] {
    const named = (folder: string, stem: string): readonly string[] =>
      this.namesIn(folder)
        .filter((name) => SOURCE_FILE.test(extname(name)) && stemOf(name) === stem)
        .map((name) => join(folder, name));
    return [...named(dirname(module), stemOf(basename(module))), ...named(module, "index")];
  }
}

function memoized<Value>(known: Map<string, Value>, key: string, compute: (key: string) => Value): Value {
  const value = known.get(key) ?? compute(key);
  known.set(key, value);
  return value;
}

function stemOf(fileName: string): string {
  return SOURCE_FILE.test(extname(fileName)) ? fileName.slice(0, -extname(fileName).length) : fileName;
}

/**
 * Returns the tests of groups that may have some elsewhere in their project. Lists and reads its files once for all
 * groups: there may be thousands.
 */
function testsElsewhere(root: string, groups: readonly ChangedGroup[]): readonly string[] {
  const files = [...sourceFiles(root, { skipsUnreadable: true })];
  const byGroup = Map.groupBy(files, (file) => groupNamedAfter(basename(file)));
  const isOwned = ({ group, step }: ChangedGroup): boolean => step === undefined && byGroup.has(group);
  const owners = groups.filter(isOwned).flatMap((each) => withSeparator(byGroup.get(each.group) ?? [], each));
  const unowned = groups.filter((each) => !isOwned(each));
  const byStep = Map.groupBy(unowned, ({ step, group }) => step ?? group);
  const names = [...byStep.keys()];
  const users = (names.length === 0 ? [] : files).flatMap((file) => {
    const text = textOf(file);
    // Most files name none of a few steps, and looking for quotes takes longer.
    if (names.length <= FEW_NAMES && !names.some((name) => text.includes(name))) return [];
    // Only the names of steps are kept: the words of all files can take a gigabyte.
    const named = new Set(quotedIn(text).filter((word) => byStep.has(word)));
    return [...named].flatMap((word) => (byStep.get(word) ?? []).flatMap((each) => withSeparator([file], each)));
  });
  return [...owners, ...unowned.flatMap(({ tests }) => tests), ...users];
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
  return unlessUnreadable(() => readText(path)) ?? "";
}

function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // No permission, or a pipe.
    return undefined;
  }
}
