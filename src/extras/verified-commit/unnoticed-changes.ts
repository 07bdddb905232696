import { join, posix, relative } from "node:path";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { isConfiguration, isManifest, isTestSide } from "./base-tests.ts";
import { type ChangedFile, EXECUTABLE, isNoContent } from "./changes.ts";
import type { GateFinding } from "./check-diff.ts";
import { hasCode } from "./fresh-checks.ts";
import { isScript } from "./files-with.ts";
import { type ChangedCode, type Mutant, mutantsOf, spread } from "./mutants.ts";
import { loadedBy, loadsOneOf } from "./plain-node.ts";
import { type TestResult, hasFailed, isUnnoticed } from "./runner-results.ts";
import { smallEdits } from "./small-edits.ts";
import { isBlindTo } from "./blind-tests.ts";

/** Number of edits, and of files, that are tried. */
const MAX_TRIALS = 10;
const MAX_FINDINGS = 3;
/** Programs and statements that run outside of tests, even if they are new. */
const RUNS = new RegExp(
  String.raw`\.(?:sql|sh|bash|zsh|fish|ps1|bat|cmd|py|rb|pl|php|go|rs|java|kt|swift|c|cc|cpp|cs|lua|tf|hcl|prisma|` +
    "graphql|gql|proto|wasm|node)$",
);
/** Definitions of services, of which a new file already has an effect. */
const STARTS = /\.ya?ml$|(?:^|\/)(?:Docker|Container)file[^/]*$/;
/** Files that only change how a page looks, or that people read. */
const LOOKS = /\.(?:css|s[ac]ss|less|styl|snap|map|html?|ics|po)$|(?:^|\/)(?:docs?|examples?)\//;

/** Tests of the new code, which run on parts of the old code. */
export interface TriedTests {
  /** Work tree of the new code, and the project's folder in it. */
  readonly tree: string;
  readonly folder: string;
  readonly changes: readonly ChangedFile[];
  /** Changed code of the product. */
  readonly sources: readonly ChangedCode[];
  /** Test files that ran, and those of them that the run changes, from the project's folder. */
  readonly files: readonly string[];
  readonly changed: ReadonlySet<string>;
  /** Runs test files with one file altered. */
  readonly runAltered: (mutant: Mutant, files: readonly string[]) => Promise<readonly TestResult[] | undefined>;
  /** Runs test files with one file as it was before. */
  readonly runBefore: (change: ChangedFile, files: readonly string[]) => Promise<readonly TestResult[] | undefined>;
  /** Returns the content of a file before and after the run. */
  readonly textsOf: (change: ChangedFile) => Promise<readonly [before: string, after: string]>;
}

/** Finds changes that no test can tell from the old code: without the change, all tests pass as well. */
export async function unnoticedChanges(tests: TriedTests): Promise<readonly GateFinding[]> {
  return [...(await unnoticedEdits(tests)), ...(await blindTestsOnly(tests)), ...(await unnoticedFiles(tests))];
}

async function unnoticedEdits(tests: TriedTests): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = [];
  for (const edit of spread(smallEdits(tests.sources), MAX_TRIALS)) {
    if (findings.length === MAX_FINDINGS) break;
    const files = callersOf(edit.path, tests);
    if (files.length > 0 && isUnnoticed(await tests.runAltered(edit, files))) {
      const detail = `all tests pass without this change of older code: ${edit.source}`;
      findings.push({ rule: "tests-insensitive", path: edit.path, line: edit.line, detail });
    }
  }
  return findings;
}

/** Code of which the changed tests mock the module, or read the text. Others must notice if it's altered. */
async function blindTestsOnly(tests: TriedTests): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = [];
  for (const source of tests.sources) {
    const path = localOf(source.path, tests);
    const [blindTest] = [...tests.changed].filter((file) => isBlindTo(file, path, tests.folder));
    const mutants = mutantsOf([source]);
    if (blindTest === undefined || mutants.length === 0) continue;
    const files = callersOf(source.path, tests);
    let isNoticed = false;
    for (const mutant of files.length === 0 ? [] : mutants)
      if (!isNoticed) isNoticed = hasFailed(await tests.runAltered(mutant, files));
    const detail = `only tests that mock this file or read its text are about its new code: ${blindTest}`;
    if (!isNoticed) findings.push({ rule: "tests-insensitive", path: source.path, line: undefined, detail });
  }
  return findings;
}

/** Data, statements and programs that aren't code of the tests' runner, and modes of files. */
async function unnoticedFiles(tests: TriedTests): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = [];
  for (const change of tests.changes) {
    if (findings.length === MAX_FINDINGS) break;
    const { path, oldMode, newMode } = change;
    const add = (rule: GateFinding["rule"], detail: string): void =>
      void findings.push({ rule, path, line: undefined, detail });
    const isExecutable = newMode === EXECUTABLE;
    if (!isNoContent(change.oldId) && !isNoContent(change.newId) && (oldMode === EXECUTABLE) !== isExecutable)
      add("untested-code", isExecutable ? "it becomes executable" : "it's no longer executable");
    if (!isData(change, tests) || (await onlyAdds(change, tests))) continue;
    const files = readersOf(change, tests);
    if (files.length === 0) add("untested-code", "no test reads this file");
    else if (isUnnoticed(await tests.runBefore(change, files)))
      add("tests-insensitive", "all tests pass without the change of this file");
  }
  return findings;
}

function isData(change: ChangedFile, { folder, tree }: TriedTests): boolean {
  const { path, oldPath, oldId, newId } = change;
  if ((oldId === newId && path === oldPath) || !hasCode([change]) || isScript(path) || LOOKS.test(path)) return false;
  if ([path, oldPath].some((each) => isTestSide(each) || isConfiguration(each) || isManifest(each))) return false;
  // Settings in the top folder have their own rule.
  const isTop = [tree, folder].some((each) => relative(each, join(tree, posix.dirname(path))) === "");
  if (RUNS.test(path) || RUNS.test(oldPath) || STARTS.test(path)) return true;
  return !isTop && !isNoContent(oldId);
}

/** Returns true for new entries of data, which leave the older ones as they are. */
async function onlyAdds(change: ChangedFile, { textsOf }: TriedTests): Promise<boolean> {
  if (RUNS.test(change.path) || isNoContent(change.oldId) || change.newMode !== change.oldMode) return false;
  const [before, after] = await textsOf(change);
  const [old, now] = [parsedJson(before), parsedJson(after)];
  if (old !== undefined && now !== undefined) return contains(now, old);
  return change.removed === 0 && change.added > 0;
}

function contains(now: unknown, old: unknown): boolean {
  if (isPlainObject(now) && isPlainObject(old))
    return Object.entries(old).every(([key, value]) => key in now && contains(now[key], value));
  if (Array.isArray(now) && Array.isArray(old)) return old.every((value, index) => contains(now[index], value));
  return Object.is(now, old);
}

/** The test files that run code of a file. */
function callersOf(path: string, tests: TriedTests): readonly string[] {
  const local = localOf(path, tests);
  const callers = tests.files.filter((file) => loadsOneOf(new Set([local]), file, tests.folder));
  // Others may start it as a process.
  return (callers.length > 0 ? callers : tests.files).filter((file) => !isBlindTo(file, local, tests.folder));
}

/** The test files whose code names a file, or its folder. */
function readersOf({ path, oldPath }: ChangedFile, { files, folder }: TriedTests): readonly string[] {
  const names = [path, oldPath].flatMap((each) => [posix.basename(each), `${posix.basename(posix.dirname(each))}/`]);
  return files.filter((file) =>
    [...loadedBy(file, folder).values()].some((text) => names.some((name) => name !== "./" && text.includes(name))),
  );
}

function localOf(path: string, { tree, folder }: TriedTests): string {
  return relative(folder, join(tree, path)).replaceAll("\\", "/");
}
