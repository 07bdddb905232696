import type { Assertion } from "./read-assertions.ts";
import { type MarkKind, type TestCase, type TestSource, readTests } from "./read-tests.ts";
import { lineOf } from "./source-ranges.ts";

/** What the tests in a diff are checked for; a person can allow each by its name. */
export const STUB_RULES = [
  "skipped",
  "focused",
  "todo",
  "conditional",
  "expected-to-fail",
  "empty-test",
  "no-assertion",
  "assertion-removed",
  "test-file-removed",
  "baseline-removed",
] as const;

/** A rule that a person can allow. */
export type StubRule = (typeof STUB_RULES)[number];

/** What a diff is checked for. */
export type GateRule = StubRule | "too-many-files" | "too-many-lines" | "protected" | "submodule" | "name";

/** One objection to a diff. */
export interface GateFinding {
  readonly rule: GateRule;
  /** From the top of the repository. */
  readonly path: string;
  /** From 1; of what was removed, its line before. Undefined where the whole file is meant. */
  readonly line: number | undefined;
  /** Half a sentence; holds text of the diff, so it is untrusted. */
  readonly detail: string;
}

/** A test file before and after; undefined where it did not exist, or is no test file. */
export interface TestFileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

interface ReadFile {
  readonly path: string;
  readonly before: TestSource;
  readonly after: TestSource;
  readonly isRemoved: boolean;
}

const WORDS: Readonly<Record<MarkKind, string>> = {
  skipped: "is skipped",
  focused: "runs alone, so the others of its file do not",
  todo: "is still to be written",
  conditional: "runs only under a condition",
  "expected-to-fail": "is expected to fail",
};

/**
 * Finds tests that a diff took the sense out of: newly skipped, focused, to-do, conditional or expected to fail; new
 * ones that are empty or assert nothing; assertions and test files that are gone. All files are read together, so
 * what moved from one to another is not gone; an assertion replaced by another one in its test is changed, and not
 * gone either.
 */
export function findStubs(changes: readonly TestFileChange[]): readonly GateFinding[] {
  const files = changes.map(
    (change): ReadFile => ({
      path: change.path,
      before: readTests(change.before ?? ""),
      after: readTests(change.after ?? ""),
      isRemoved: change.after === undefined && change.before !== undefined,
    }),
  );
  return [...newMarks(files), ...newHollowTests(files), ...goneAssertions(files)];
}

function newMarks(files: readonly ReadFile[]): readonly GateFinding[] {
  const known = tally(files.flatMap((file) => file.before.marks.map(({ kind, title }) => `${kind} ${title}`)));
  return files.flatMap(({ path, after }) =>
    after.marks
      .filter(({ kind, title }) => !take(known, `${kind} ${title}`))
      .map(({ kind, title, offset }) => ({
        rule: kind,
        path,
        line: lineOf(after.masked.code, offset),
        detail: `${title} ${WORDS[kind]}`,
      })),
  );
}

function newHollowTests(files: readonly ReadFile[]): readonly GateFinding[] {
  const known = tally(files.flatMap((file) => file.before.tests.filter(isHollow).map((test) => test.title)));
  return files.flatMap(({ path, after }) =>
    after.tests
      .filter((test) => isHollow(test) && !take(known, test.title))
      .map(({ title, body, offset }) => ({
        rule: body === "empty" ? "empty-test" : "no-assertion",
        path,
        line: lineOf(after.masked.code, offset),
        detail: body === "empty" ? `${title} does nothing` : `${title} asserts nothing that could fail`,
      })),
  );
}

function isHollow({ body, assertions }: TestCase): boolean {
  return body !== "unknown" && assertions.length === 0;
}

/** An assertion with the title of the test it stands in; empty outside of any. */
interface Placed extends Assertion {
  readonly title: string;
}

function goneAssertions(files: readonly ReadFile[]): readonly GateFinding[] {
  const [before, after] = [files.map((file) => placed(file.before)), files.map((file) => placed(file.after))];
  const still = tally(after.flat().map(({ text }) => text));
  const was = tally(before.flat().map(({ text }) => text));
  const gone = before.map((list) => list.filter(({ text }) => !take(still, text)));
  const fresh = after.map((list) => list.filter(({ text }) => !take(was, text)));
  return files.flatMap((file, index): readonly GateFinding[] => {
    const lost = unreplaced(file, gone[index] ?? [], fresh[index] ?? []);
    if (file.isRemoved && lost.length > 0)
      return [
        {
          rule: "test-file-removed",
          path: file.path,
          line: undefined,
          detail: `${count(lost.length, "assertion")} went with it`,
        },
      ];
    return lost.map(({ text, offset }) => ({
      rule: "assertion-removed",
      path: file.path,
      line: lineOf(file.before.masked.code, offset),
      detail: `${text} is gone`,
    }));
  });
}

/**
 * What of a file's gone assertions has no new one in its place: in the test of the same title, or in one whose title
 * is new.
 */
function unreplaced(file: ReadFile, gone: readonly Placed[], fresh: readonly Placed[]): readonly Placed[] {
  const titles = {
    before: new Set(file.before.tests.map(({ title }) => title)),
    after: new Set(file.after.tests.map(({ title }) => title)),
  };
  // A test that was renamed and edited at once: its old title is gone and its new one was not there.
  const keyOf = (one: Placed): string | undefined =>
    one.title !== "" && !(titles.before.has(one.title) && titles.after.has(one.title)) ? undefined : one.title;
  const replacements = Map.groupBy(fresh, keyOf);
  return [...Map.groupBy(gone, keyOf)].flatMap(([key, list]) => list.slice(replacements.get(key)?.length ?? 0));
}

function placed({ assertions, tests }: TestSource): readonly Placed[] {
  return assertions.map((assertion) => {
    const holders = tests.filter(({ range }) => range.start <= assertion.offset && assertion.offset < range.end);
    return { ...assertion, title: holders.at(-1)?.title ?? "" };
  });
}

function tally(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Takes one of a key from a tally; false when none is left. */
function take(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  counts.set(key, left - 1);
  return left > 0;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
