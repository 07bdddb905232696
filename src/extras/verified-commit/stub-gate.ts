import { lineOf } from "../../cli/init/syntax.ts";
import type { MarkKind } from "./runner-words.ts";
import { type PlacedAssertion, type TestCase, type TestMark, type TestSource, readTests } from "./read-tests.ts";

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
  "unreadable",
  "test-not-run",
  "suite-smaller",
  "assertions-gone",
  "tests-notice-nothing",
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
  /** Names of functions it imports that assert. */
  readonly helpers?: ReadonlySet<string>;
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
const NOTHING: TestSource = { text: "", tests: [], marks: [], assertions: [] };
/** What a file that cannot be parsed must name to be one of tests: others in their folders may be broken on purpose. */
const SPEAKS_OF_TESTS = /\b(?:test|it|describe|suite|expect|assert)\b/;

/**
 * Finds tests that a diff took the sense out of: newly skipped, focused, to-do, conditional or expected to fail; new
 * ones that are empty or assert nothing; assertions and test files that are gone; files that cannot be parsed. All
 * files are read together, so what moved from one to another is not gone; an assertion replaced by another one in its
 * test is changed, and not gone either.
 */
export function findStubs(changes: readonly TestFileChange[]): readonly GateFinding[] {
  const read = changes.map((change) => readChange(change));
  const files = read.flatMap((each) => (each.kind === "read" ? [each.file] : []));
  const hollow = newHollowTests(files);
  const hollowTitles = new Set(hollow.map(({ title }) => title));
  return [
    ...read.flatMap((each) => (each.kind === "unreadable" ? [each.finding] : [])),
    ...newMarks(files),
    ...hollow.map(({ finding }) => finding),
    ...goneAssertions(files, hollowTitles),
    ...weakened(files),
  ];
}

type ReadChange =
  | { readonly kind: "read"; readonly file: ReadFile }
  | { readonly kind: "unreadable"; readonly finding: GateFinding }
  | { readonly kind: "ignored" };

function readChange({ path, before, after, helpers = new Set() }: TestFileChange): ReadChange {
  const was = before === undefined ? undefined : readTests(before, path, helpers);
  const is = after === undefined ? undefined : readTests(after, path, helpers);
  if (is?.ok === false) {
    if (was?.ok !== true && !SPEAKS_OF_TESTS.test(after ?? "")) return { kind: "ignored" };
    const detail = `it cannot be parsed, so nothing is known of its tests: ${is.error}`;
    return { kind: "unreadable", finding: { rule: "unreadable", path, line: undefined, detail } };
  }
  const isRemoved = after === undefined && before !== undefined;
  return {
    kind: "read",
    file: { path, before: was?.ok === true ? was.value : NOTHING, after: is?.value ?? NOTHING, isRemoved },
  };
}

function newMarks(files: readonly ReadFile[]): readonly GateFinding[] {
  const marks = files.flatMap((file) => file.before.marks);
  const known = tally(marks.map(keyOf));
  const guards = new Set(marks.flatMap(({ because }) => (typeof because === "string" ? [] : because)));
  return files.flatMap(({ path, after }) =>
    after.marks
      .filter((mark) => !take(known, keyOf(mark)))
      // A condition that was there before holds for what is added under it.
      .filter(({ because }) => typeof because === "string" || because.some((guard) => !guards.has(guard)))
      .map(({ kind, title, offset, because }) => ({
        rule: kind,
        path,
        line: lineOf(after.text, offset),
        detail: `${title} ${because === "never" ? "can never run" : WORDS[kind]}`,
      })),
  );
}

function keyOf({ kind, title, because }: TestMark): string {
  return `${kind} ${title} ${because === "never"}`;
}

function newHollowTests(
  files: readonly ReadFile[],
): readonly { readonly title: string; readonly finding: GateFinding }[] {
  const known = tally(files.flatMap((file) => file.before.tests.filter(isHollow).map((test) => test.title)));
  return files.flatMap(({ path, after }) =>
    after.tests
      .filter((test) => isHollow(test) && !take(known, test.title))
      .map(({ title, body, offset }) => ({
        title,
        finding: {
          rule: body === "empty" ? "empty-test" : "no-assertion",
          path,
          line: lineOf(after.text, offset),
          detail: body === "empty" ? `${title} does nothing` : `${title} asserts nothing that could fail`,
        },
      })),
  );
}

function isHollow({ body, assertions }: TestCase): boolean {
  return body !== "unknown" && assertions.length === 0;
}

/** Those of a test that is hollow now are not told again. */
function goneAssertions(files: readonly ReadFile[], hollow: ReadonlySet<string>): readonly GateFinding[] {
  const [before, after] = [files.map((file) => file.before.assertions), files.map((file) => file.after.assertions)];
  const still = tally(after.flat().map(({ text }) => text));
  const was = tally(before.flat().map(({ text }) => text));
  const gone = before.map((list) => list.filter(({ text }) => !take(still, text)));
  const fresh = after.map((list) => list.filter(({ text }) => !take(was, text)));
  return files.flatMap((file, index): readonly GateFinding[] => {
    const lost = unreplaced(file, gone[index] ?? [], fresh[index] ?? []);
    if (file.isRemoved && lost.length > 0) {
      const detail = `${count(lost.length, "assertion")} went with it`;
      return [{ rule: "test-file-removed", path: file.path, line: undefined, detail }];
    }
    return lost
      .filter(({ title }) => !hollow.has(title))
      .map(({ text, offset }) => ({
        rule: "assertion-removed",
        path: file.path,
        line: lineOf(file.before.text, offset),
        detail: `${text} is gone`,
      }));
  });
}

/**
 * What of a file's gone assertions has no new one in its place: in the test of the same title, or in one whose title
 * is new.
 */
function unreplaced(
  file: ReadFile,
  gone: readonly PlacedAssertion[],
  fresh: readonly PlacedAssertion[],
): readonly PlacedAssertion[] {
  const titles = {
    before: new Set(file.before.tests.map(({ title }) => title)),
    after: new Set(file.after.tests.map(({ title }) => title)),
  };
  // A test that was renamed and edited at once: its old title is gone and its new one was not there.
  const placeOf = (one: PlacedAssertion): string | undefined =>
    one.title !== "" && !(titles.before.has(one.title) && titles.after.has(one.title)) ? undefined : one.title;
  const replacements = Map.groupBy(fresh, placeOf);
  return [...Map.groupBy(gone, placeOf)].flatMap(([key, list]) => list.slice(replacements.get(key)?.length ?? 0));
}

/** Assertions that stand in their test as before, and now under a condition. */
function weakened(files: readonly ReadFile[]): readonly GateFinding[] {
  return files.flatMap(({ path, before, after }) => {
    const free = ({ guards }: PlacedAssertion): boolean => guards.length === 0;
    const nameOf = ({ title, text }: PlacedAssertion): string => `${title} ${text}`;
    const still = new Set(after.assertions.filter(free).map(nameOf));
    const guarded = new Set(after.assertions.filter((each) => !free(each)).map(nameOf));
    return before.assertions
      .filter((each) => free(each) && guarded.has(nameOf(each)) && !still.has(nameOf(each)))
      .map(({ text, offset }) => ({
        rule: "assertion-removed" as const,
        path,
        line: lineOf(before.text, offset),
        detail: `${text} is asserted only under a condition`,
      }));
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
