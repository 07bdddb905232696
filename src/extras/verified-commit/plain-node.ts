import { readFileSync, writeFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { processEnvironment, readVariable } from "../../kernel/environment.ts";
import { abilitiesIn } from "./abilities.ts";
import { modulesOf } from "./base-tests.ts";
import { type GateFinding, importsOf } from "./check-diff.ts";
import { executionIn, isLoaded, unexecutedCode } from "./executed-lines.ts";
import { isScript } from "./files-with.ts";
import type { ChangedCode } from "./mutants.ts";
import { type MeasuredCommand, type TestCommand, type TestResult, testKey, measured } from "./runner-results.ts";

/** Makes Vitest load tests and code by Node's own `import`, without Vite's transformations. From Vitest 4.1. */
const NATIVE = "--experimental.viteModuleRunner=false";
/** Compiles enums and parameter properties, which Node otherwise refuses. */
const TRANSFORM_TYPES = "--experimental-transform-types";
/** Makes a worker write which code it executed: Vitest kills it before Node would. */
const COVERAGE_HOOK = `import { takeCoverage } from "node:v8";
const { send } = process;
if (send)
  process.send = (message, ...rest) => {
    if (message?.type === "stopped") takeCoverage();
    return send.call(process, message, ...rest);
  };
`;
/** Finds modules as bundlers do: without their extensions, or `.ts` by the name of its output. */
const RESOLVE_HOOKS = `import { registerHooks } from "node:module";
const ENDS = [".ts", ".mts", ".tsx", ".js", ".mjs", "/index.ts", "/index.js"];
const resolve = (specifier, context, next) => {
  try {
    return next(specifier, context);
  } catch (error) {
    if (!/^\\.{1,2}(?:\\/|$)/.test(specifier)) throw error;
    for (const stem of [specifier, specifier.replace(/\\.[cm]?js$/, "")])
      for (const end of ENDS)
        try {
          return next(stem + end, context);
        } catch {}
    throw error;
  }
};
registerHooks({ resolve });
`;
/** Ends the name of a run that loads code only as Node does without options. */
const STRICT = "strict";
const FAILS = "passes in Vitest and fails if Node loads the code without Vite's transformations";
const UNLOADABLE = "plain Node loads the file with the old code, and can't load it with the new code";
/** Imports that settings map to files. */
const MAPPED = /^(?:#|[@~]\/)/;
/** Parts of tests that only work with Vite's modules. */
const VITE_TESTS = /\bresetModules\b|\brequire\(/;
/** Globals of tests. */
const TEST_GLOBALS =
  /^(?:test|it|describe|suite|expect|assert|vi|chai|expectTypeOf|assertType|(?:before|after)\w+|on\w+)$/;

/** A run of tests in plain Node. */
interface PlainRun {
  readonly file: string;
  readonly more: readonly string[];
  /** Name of the run. */
  readonly what: string;
  /** Folder for the reports of executed code. */
  readonly coverage: string;
}

/** Returns the command that runs Vitest without the transformations of a bundler. */
export function measuredPlain(test: TestCommand, { file, more, what, coverage }: PlainRun): MeasuredCommand {
  const isStrict = what.endsWith(STRICT);
  const hooks = `${file}.mjs`;
  writeFileSync(hooks, isStrict ? COVERAGE_HOOK : COVERAGE_HOOK + RESOLVE_HOOKS);
  const flags = [
    readVariable(processEnvironment(), "NODE_OPTIONS") ?? "",
    `--import=${pathToFileURL(hooks).href}`,
    ...(!isStrict && process.allowedNodeEnvironmentFlags.has(TRANSFORM_TYPES) ? [TRANSFORM_TYPES] : []),
  ];
  const environment = { NODE_OPTIONS: flags.join(" ").trim(), NODE_V8_COVERAGE: coverage };
  return { ...measured(test, file, [NATIVE, ...more]), environment };
}

/** Tests to compare: those that a run changes or whose code it changes. */
interface ComparedTests {
  /** Folder of the new code and tests. */
  readonly folder: string;
  /** Changed files of code, from that folder. */
  readonly code: ReadonlySet<string>;
  /** Tests that pass in Vitest. */
  readonly passed: readonly TestResult[];
  /** Tests of the base. */
  readonly before: readonly TestResult[];
  /** Runs test files in plain Node, with the new code and tests or the old ones. */
  readonly measure: (side: "new" | "old", files: readonly string[], what: string) => Promise<readonly TestResult[]>;
}

/** Results of tests in plain Node. */
interface PlainResults {
  /** Tests that pass in Vitest and not in plain Node, with what differs. */
  readonly differing: readonly { readonly test: TestResult; readonly detail: string }[];
  /** Test files that can't be compared. */
  readonly uncompared: readonly string[];
}

/**
 * Finds tests that pass in Vitest and fail, twice, if Node loads the code: then the code behaves differently outside of
 * tests. The old version of a test must pass there with the old code. Also finds the test files that Node can only load
 * with the old code, and lists those that can't be compared.
 */
export async function differingTests(tests: ComparedTests): Promise<PlainResults> {
  const { folder, code, measure } = tests;
  const files = filesOf(tests.passed).filter((file) => loadsOneOf(code, file, folder));
  if (files.length === 0) return { differing: [], uncompared: [] };
  const strict = await measure("new", files, STRICT);
  const unloaded = without(files, loadedFiles(strict));
  const lenient = unloaded.length === 0 ? [] : await measure("new", unloaded, "first");
  const first = [...strict.filter(({ file }) => !unloaded.includes(file)), ...lenient];
  const again = filesOf(failed(first));
  const keys = new Set(failed(again.length === 0 ? [] : await measure("new", again, "again")).map(testKey));
  const known = new Set(tests.before.map(testKey));
  const suspects = tests.passed.filter((test) => keys.has(testKey(test)));
  const older = filesOf(suspects.filter((test) => known.has(testKey(test))));
  const old = older.length === 0 ? [] : await measure("old", older, "old");
  const passedBefore = new Set(old.filter(({ end }) => end === "passed").map(testKey));
  const differing = suspects.filter(
    (test) => (!known.has(testKey(test)) || passedBefore.has(testKey(test))) && !needsBundler(test.file, folder),
  );
  const unloadable = await newlyUnloadable(tests, strict, unloaded);
  const rest = filesOf(suspects.filter((test) => !differing.includes(test)));
  return {
    differing: [
      ...differing.map((test) => ({ test, detail: `${test.name} ${FAILS}` })),
      ...unloadable.map((test) => ({ test, detail: `${UNLOADABLE}: ${test.problem.split("\n", 1).join("")}` })),
    ],
    uncompared: [...new Set([...without(files, loadedFiles(first)), ...rest])],
  };
}

/** Finds the test files that plain Node loads with the old code, among those that it can't load with the new code. */
async function newlyUnloadable(
  { before, measure }: ComparedTests,
  strict: readonly TestResult[],
  unloaded: readonly string[],
): Promise<readonly TestResult[]> {
  const known = new Set(filesOf(before));
  const older = unloaded.filter((file) => known.has(file));
  const old = loadedFiles(older.length === 0 ? [] : await measure("old", older, `old ${STRICT}`));
  return strict.filter(({ file, name }) => name === "" && old.has(file));
}

/** Tests by which changed code should be executed. */
interface ExecutingTests {
  /** Work tree of the new code and tests, and the project's folder in it. */
  readonly tree: string;
  readonly folder: string;
  readonly coverage: string;
  readonly sources: readonly ChangedCode[];
  /** All test files with tests that ran, from the project's folder. */
  readonly files: readonly string[];
  /** Test files that plain Node can't run. They might execute any code that they load. */
  readonly uncompared: readonly string[];
  /** Runs test files in plain Node. */
  readonly measure: (files: readonly string[]) => Promise<unknown>;
}

/** Finds changed code that no test executes. First runs the tests that plain Node hasn't run yet. */
export async function untestedCode(tests: ExecutingTests): Promise<readonly GateFinding[]> {
  const { tree, folder, coverage, sources, files, uncompared } = tests;
  const first = executionIn(coverage);
  if (unexecutedCode(first, tree, sources).length === 0) return [];
  const remaining = files.filter((file) => !uncompared.includes(file) && !isLoaded(first, folder, file));
  if (remaining.length > 0) await tests.measure(remaining);
  const execution = executionIn(coverage);
  const unknown = files.filter((file) => uncompared.includes(file) || !isLoaded(execution, folder, file));
  return unexecutedCode(execution, tree, sources).filter(({ path }) => {
    const local = relative(folder, join(tree, path)).replaceAll("\\", "/");
    return !unknown.some((file) => loadsOneOf(new Set([local]), file, folder));
  });
}

function without(files: readonly string[], omitted: ReadonlySet<string>): readonly string[] {
  return files.filter((file) => !omitted.has(file));
}

/** The test files with a test that ran. */
function loadedFiles(tests: readonly TestResult[]): ReadonlySet<string> {
  return new Set(filesOf(tests.filter(({ name }) => name !== "")));
}

function failed(tests: readonly TestResult[]): readonly TestResult[] {
  return tests.filter(({ end, name }) => end === "failed" && name !== "");
}

function filesOf(tests: readonly TestResult[]): readonly string[] {
  return [...new Set(tests.map(({ file }) => file))];
}

/** Returns true if a test file imports one of some files, or a module that settings map to a file. */
export function loadsOneOf(paths: ReadonlySet<string>, file: string, folder: string): boolean {
  return [...loadedBy(file, folder)].some(
    ([path, text]) => paths.has(path) || importsOf(text).some(({ module }) => MAPPED.test(module)),
  );
}

/**
 * Returns true if a test needs more than Node has: `import.meta.env`, `__dirname`, constants that a bundler replaces.
 * New code with one of these needs approval.
 */
function needsBundler(file: string, folder: string): boolean {
  const loaded = loadedBy(file, folder);
  return (
    VITE_TESTS.test(loaded.get(file) ?? "") ||
    [...loaded].some(([path, text]) => abilitiesIn(text, path).some((each) => !each.isImport && !isOfNode(each.name)))
  );
}

function isOfNode(ability: string): boolean {
  if (ability.startsWith("import.meta")) return /^import\.meta\.(?:url|dirname|filename|resolve)\b/.test(ability);
  const [root = ""] = /^(?!node:)[$\w]+(?=\.| =|$)/.exec(ability) ?? [];
  return root === "" || root === "this" || root in globalThis || TEST_GLOBALS.test(root);
}

/** Returns the code that a file loads by relative imports, with itself, by the paths from a folder. */
export function loadedBy(file: string, folder: string): ReadonlyMap<string, string> {
  const loaded = new Map<string, string>();
  const pending = [file];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const text = isScript(path) && !loaded.has(path) ? textOf(join(folder, path)) : undefined;
    if (text === undefined) continue;
    loaded.set(path, text);
    for (const { module } of importsOf(text))
      if (module.startsWith(".")) pending.push(...modulesOf(path, module).map((each) => posix.normalize(each)));
  }
  return loaded;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Most of the paths that an import may name don't exist.
    return undefined;
  }
}
