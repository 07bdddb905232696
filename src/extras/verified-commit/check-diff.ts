import { type Result, err, ok } from "../../kernel/result.ts";
import { type ChangedFile, SUBMODULE, isNoContent } from "./changes.ts";
import { type GitCall, git } from "./git.ts";

/** Rules about tests that a diff can break; a person can allow each by its name. */
export const TEST_RULES = [
  // By the diff alone, in this file.
  "skipped",
  "focused",
  "todo",
  "conditional",
  "expected-to-fail",
  "baseline-removed",
  // By the tests' results: judge-results.ts.
  "no-assertion",
  "test-file-removed",
  "test-not-run",
  "suite-smaller",
  "assertions-gone",
  "tests-insensitive",
  "differs-outside-tests",
  "untested-code",
  "expectation-changed",
  "check-changed",
  // By the lines of tests and their data: changed-tests.ts.
  "test-changed",
  // By the new contents of files: check-contents.ts.
  "test-aware",
  // If no check's tests can be counted: cli/run.ts.
  "tests-not-measured",
] as const;

/** A rule that a person can allow. */
export type TestRule = (typeof TEST_RULES)[number];

/** One objection to a diff. */
export interface GateFinding {
  readonly rule:
    | TestRule
    | "too-many-files"
    | "too-many-lines"
    | "protected"
    | "submodule"
    | "name"
    | "link"
    | "attributes";
  /** From the top of the repository. */
  readonly path: string;
  /** From 1; undefined if the finding is about the file. */
  readonly line: number | undefined;
  /** Half a sentence; contains text of the diff, so it is untrusted. */
  readonly detail: string;
}

/** Limits of a diff. */
export interface DiffLimits {
  readonly maxFiles: number;
  /** Lines added and lines removed, together. */
  readonly maxLines: number;
  /**
   * Paths that must not change, from the top of the repository. `*` matches any characters but `/`, `**` any
   * characters, and `?` one character.
   */
  readonly protect: readonly string[];
  /** Rules whose findings are allowed. */
  readonly allow: readonly TestRule[];
  /** Names of tests whose changed expectations a person approved. */
  readonly approvedTests: readonly string[];
}

/** Files that contain tests, by their names. */
const TEST_FILES: readonly RegExp[] = [
  /(?:^|\/)(?:__tests__|tests?)\/.*\.[cm]?[jt]sx?$/,
  /(?:^|[./_-])(?:test|spec|tests|specs)\.[cm]?[jt]sx?$/,
  /(?:^|\/)test-[^/]*\.[cm]?[jt]s$/,
  // pytest, Go and Rust.
  /(?:^|\/)(?:tests?|test_[^/]*|[^/]*_test|conftest)\.py$|_test\.go$|(?:^|\/)tests\/.*\.(?:py|rs)$/,
];
/** A module of tests in a file of Rust, as rustfmt writes it. */
const RUST_TESTS = /(^#\[cfg\(test\)\]\r?\n(?:#\[.*\n)*(?:pub )?mod \w+ \{\r?\n[^]*?^\})/m;
/** Files with the expectations of other tests. */
const BASELINE = /(?:^|\/)__baselines__\/.*\.json$|\.snap$/;
/** Marks of JavaScript, pytest, unittest, Go and Rust for a skipped test. */
const SKIPS = [
  String.raw`\bx(?:it|test|describe)\s*\(`,
  String.raw`\b(?:mark|pytest|unittest)\.skip\b`,
  String.raw`\bt\.Skip(?:Now|f)?\(`,
  String.raw`#\[ignore\b`,
].join("|");
/** Words that keep a test from running or reverse its result, with the rule they break and a phrase for messages. */
const MARKS: readonly (readonly [rule: TestRule, words: RegExp, phrase: string])[] = [
  ["skipped", marking("skip", SKIPS), "skips a test"],
  ["focused", marking("only", String.raw`\bf(?:it|describe)\s*\(`), "skips the other tests of its file"],
  ["todo", marking("todo"), "marks a test as todo"],
  [
    "conditional",
    marking("(?:skipIf|runIf)", String.raw`\bmark\.skipif\b|@(?:unittest\.)?skip(?:If|Unless)\b`),
    "runs a test only under a condition",
  ],
  [
    "expected-to-fail",
    marking("(?:fails|failing)", String.raw`\bxfail\b|@(?:unittest\.)?expectedFailure\b`),
    "expects a test to fail",
  ],
];
/** The run must not change what it is judged by. */
const ALWAYS_PROTECTED: readonly string[] = ["veritest.config.*", "**/veritest.config.*"];

/**
 * Checks a run's diff: its size, protected files, submodules, and marks of tests. Reads test files line by line:
 * marks in disguise show in the results of the tests.
 */
export async function checkDiff(
  changes: readonly ChangedFile[],
  limits: DiffLimits,
  call: GitCall,
): Promise<Result<readonly GateFinding[], string>> {
  const tests = await changesOfTests(changes, call);
  if (!tests.ok) return tests;
  const findings = [
    ...overBudget(changes, limits),
    ...changes.flatMap((file) => objections(file, limits)),
    ...newMarks(tests.value),
  ];
  return ok(findings.filter(({ rule }) => !limits.allow.some((allowed) => allowed === rule)));
}

/** Reads the tests of a run's changes. The error is git's. */
export async function changesOfTests(
  changes: readonly ChangedFile[],
  call: GitCall,
): Promise<Result<readonly TestFileChange[], string>> {
  const isRead = (path: string): boolean => isTestFile(path) || isRust(path);
  const tests: TestFileChange[] = [];
  for (const { path, oldPath, oldId, newId } of changes) {
    const before = isRead(oldPath) ? await sourceOf(oldId, call) : ok("");
    const after = isRead(path) ? await sourceOf(newId, call) : ok("");
    if (!before.ok) return before;
    if (!after.ok) return after;
    tests.push({ path, before: testsIn(oldPath, before.value), after: testsIn(path, after.value) });
  }
  return ok(tests);
}

/** Returns the text of a file. A file of Rust code has its tests in a module: then returns only that, in its lines. */
export function testsIn(path: string, text: string): string {
  if (isTestFile(path) || !isRust(path)) return text;
  const parts = text.split(RUST_TESTS);
  if (parts.length === 1) return "";
  return parts.map((part, index) => (index % 2 === 0 ? part.replaceAll(/[^\n]+/g, "") : part)).join("");
}

function isRust(path: string): boolean {
  return path.endsWith(".rs");
}

/** The tests of a file before and after a run; empty if it doesn't have tests or doesn't exist. */
export interface TestFileChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Lines that mark a test and were in none of the test files before. A line that moved isn't new. */
function newMarks(tests: readonly TestFileChange[]): readonly GateFinding[] {
  const known = new Map<string, number>();
  for (const line of tests.flatMap(({ before }) => linesOf(before))) known.set(line, (known.get(line) ?? 0) + 1);
  return tests.flatMap(({ path, after }) =>
    linesOf(after).flatMap((line, index) => {
      const left = known.get(line) ?? 0;
      known.set(line, left - 1);
      if (left > 0) return [];
      return MARKS.filter(([, words]) => words.test(line)).map(([rule, , phrase]) => ({
        rule,
        path,
        line: index + 1,
        detail: `a new line ${phrase}: ${line}`,
      }));
    }),
  );
}

function marking(member: string, word = "(?!)"): RegExp {
  return new RegExp(String.raw`\b(?:test|it|describe|suite|context|t)(?:\.\w+){0,4}\.${member}\b|${word}`);
}

/** The lines of a test file without white space around them, and without comments that choose no environment. */
export function linesOf(text: string): readonly string[] {
  return text.split("\n").map((line) => line.trim().replace(/^\/\/(?!.*@(?:vitest|jest)-).*/, ""));
}

const IMPORT =
  /(?:\bfrom|\bimport|\b(?:require(?:\.resolve)?|import)\s*\()(?:\s|\/\*.*?\*\/)*["'`](?<module>[^"'`\n]+)["'`]/gs;

/** The modules that a text imports, with the number of the line that names each. */
export function importsOf(text: string): readonly { readonly module: string; readonly line: number }[] {
  let [line, from] = [1, 0];
  return [...text.matchAll(IMPORT)].map(({ index, 0: match, groups }) => {
    const end = index + match.length;
    line += text.slice(from, end).split("\n").length - 1;
    from = end;
    return { module: groups?.["module"] ?? "", line };
  });
}

/** Returns true for a file that contains tests, by its path. */
export function isTestFile(path: string): boolean {
  return TEST_FILES.some((pattern) => pattern.test(path));
}

async function sourceOf(id: string, call: GitCall): Promise<Result<string, string>> {
  if (isNoContent(id)) return ok("");
  const blob = await git(["cat-file", "blob", id], call);
  return blob.ok ? blob : err(blob.error.message);
}

function overBudget(changes: readonly ChangedFile[], { maxFiles, maxLines }: DiffLimits): readonly GateFinding[] {
  const findings: GateFinding[] = [];
  if (changes.length > maxFiles)
    findings.push({
      rule: "too-many-files",
      path: changes[maxFiles]?.path ?? "",
      line: undefined,
      detail: `${changes.length} files changed, but the limit is ${maxFiles}`,
    });
  let lines = 0;
  const over = changes.find((file) => (lines += file.added + file.removed) > maxLines);
  const total = changes.reduce((sum, file) => sum + file.added + file.removed, 0);
  if (over !== undefined)
    findings.push({
      rule: "too-many-lines",
      path: over.path,
      line: undefined,
      detail: `${total} lines changed, but the limit is ${maxLines}`,
    });
  return findings;
}

function objections(file: ChangedFile, { protect }: DiffLimits): readonly GateFinding[] {
  const { path, oldPath } = file;
  const findings: GateFinding[] = [];
  const pattern = [...protect, ...ALWAYS_PROTECTED].find((glob) =>
    [path, oldPath].some((name) => patternOf(glob).test(name)),
  );
  if (pattern !== undefined)
    findings.push({ rule: "protected", path, line: undefined, detail: `it is protected by ${pattern}` });
  if (touchesSubmodule(file))
    findings.push({
      rule: "submodule",
      path,
      line: undefined,
      detail: "it is a separate repository, and veritest run can't check its commits",
    });
  if (path.includes("\ufffd")) findings.push({ rule: "name", path, line: undefined, detail: "its name isn't UTF-8" });
  if (file.kind === "removed" && BASELINE.test(path))
    findings.push({ rule: "baseline-removed", path, line: undefined, detail: "it also removes expectations of tests" });
  return findings;
}

function patternOf(glob: string): RegExp {
  const source = glob.replace(/^(?:\.\/)+|\/+$/g, "").replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g, (part) => {
    const wild: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };
    return wild[part] ?? part.replaceAll(/[\\^$.|+()[\]{}]/g, String.raw`\$&`);
  });
  // A folder is its content, too.
  return new RegExp(`^${source}(?:/.*)?$`, "su");
}

/** Returns true if a change touches a submodule, whose files belong to another repository. */
function touchesSubmodule(file: ChangedFile): boolean {
  return file.oldMode === SUBMODULE || file.newMode === SUBMODULE;
}
