import { type Result, err, ok } from "../../kernel/result.ts";
import type { ChangedFile } from "./changes.ts";
import { type GitCall, git } from "./git.ts";
import { assertingImports } from "./read-tests.ts";
import { type GateFinding, type StubRule, type TestFileChange, findStubs } from "./stub-gate.ts";

/** What a diff may be. */
export interface DiffLimits {
  readonly maxFiles: number;
  /** Lines added and lines removed, together. */
  readonly maxLines: number;
  /** Paths from the top that must not change, with `*` for any characters but `/`, `**` for any, `?` for one. */
  readonly protect: readonly string[];
  /** Findings of these rules are let pass. */
  readonly allow: readonly StubRule[];
}

/** Files whose tests the stub gate reads. */
const TEST_FILES: readonly RegExp[] = [
  /(?:^|\/)(?:__tests__|tests?)\/.*\.[cm]?[jt]sx?$/,
  /(?:^|[./_-])(?:test|spec|tests|specs)\.[cm]?[jt]sx?$/,
  /(?:^|\/)test-[^/]*\.[cm]?[jt]s$/,
];
/** Files that hold what other tests expect. */
const BASELINE = /(?:^|\/)__baselines__\/.*\.json$|\.snap$/;
/** The run must not change what it is judged by. */
const ALWAYS_PROTECTED: readonly string[] = ["veritest.config.*", "**/veritest.config.*"];

/**
 * Checks what a run changed, up to the files of a tree: its size, protected files, submodules, and the tests in it.
 * Findings come in the order of paths.
 */
export async function checkDiff(
  changes: readonly ChangedFile[],
  limits: DiffLimits,
  call: GitCall & { readonly tree: string },
): Promise<Result<readonly GateFinding[], string>> {
  const tests: TestFileChange[] = [];
  for (const file of changes) {
    const [before, after] = [
      await testSource(file.oldPath, file.oldId, call),
      await testSource(file.path, file.newId, call),
    ];
    if (!before.ok) return before;
    if (!after.ok) return after;
    if (before.value === undefined && after.value === undefined) continue;
    const helpers = await assertingImports(after.value ?? "", file.path, async (path) => {
      const blob = await git(["cat-file", "blob", `${call.tree}:${path}`], call);
      return blob.ok ? blob.value : undefined;
    });
    tests.push({ path: file.path, before: before.value, after: after.value, helpers });
  }
  const findings = [
    ...overBudget(changes, limits),
    ...changes.flatMap((file) => objections(file, limits)),
    ...findStubs(tests),
  ];
  return ok(findings.filter(({ rule }) => !limits.allow.some((allowed) => allowed === rule)));
}

/** Whether a file's tests are read, by its path. */
export function isTestFile(path: string): boolean {
  return TEST_FILES.some((pattern) => pattern.test(path));
}

async function testSource(path: string, id: string, call: GitCall): Promise<Result<string | undefined, string>> {
  if (!isTestFile(path) || /^0+$/.test(id)) return ok(undefined);
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
      detail: `${changes.length} files changed, and ${maxFiles} may`,
    });
  let lines = 0;
  const over = changes.find((file) => (lines += file.added + file.removed) > maxLines);
  const total = changes.reduce((sum, file) => sum + file.added + file.removed, 0);
  if (over !== undefined)
    findings.push({
      rule: "too-many-lines",
      path: over.path,
      line: undefined,
      detail: `${total} lines changed, and ${maxLines} may`,
    });
  return findings;
}

function objections(file: ChangedFile, { protect }: DiffLimits): readonly GateFinding[] {
  const { path, oldPath } = file;
  const findings: GateFinding[] = [];
  const pattern = [...protect, ...ALWAYS_PROTECTED].find((glob) =>
    [path, oldPath].some((one) => patternOf(glob).test(one)),
  );
  if (pattern !== undefined)
    findings.push({ rule: "protected", path, line: undefined, detail: `it is protected by ${pattern}` });
  if (touchesSubmodule(file))
    findings.push({
      rule: "submodule",
      path,
      line: undefined,
      detail: "it is another repository, whose commits a run cannot check",
    });
  if (path.includes("\ufffd")) findings.push({ rule: "name", path, line: undefined, detail: "its name is no UTF-8" });
  if (file.kind === "removed" && BASELINE.test(path))
    findings.push({ rule: "baseline-removed", path, line: undefined, detail: "what tests expect went with it" });
  return findings;
}

function patternOf(glob: string): RegExp {
  const source = glob.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g, (part) => {
    const wild: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };
    return wild[part] ?? part.replaceAll(/[\\^$.|+()[\]{}]/g, String.raw`\$&`);
  });
  return new RegExp(`^${source}$`, "su");
}

/** Git's mode of a submodule. */
const SUBMODULE = "160000";

/** Whether a change touches a submodule, whose files are another repository's. */
function touchesSubmodule(file: ChangedFile): boolean {
  return file.oldMode === SUBMODULE || file.newMode === SUBMODULE;
}
