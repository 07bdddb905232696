import { editOf } from "../../kernel/diff/edit.ts";
import {
  type SyntaxNode,
  bare,
  child,
  childrenOf,
  isFunction,
  lineFeedsOf,
  list,
  parseSource,
  word,
} from "../../kernel/syntax.ts";
import type { TestFileChange } from "./check-diff.ts";

/** A test of a file, or a group of them, with its lines. */
export interface TestPart {
  readonly title: string;
  readonly isGroup: boolean;
  readonly start: number;
  readonly end: number;
}

/** Names of files whose syntax can be parsed. */
export const SCRIPT: RegExp = /\.[cm]?[jt]sx?$/;
const GROUPS: ReadonlySet<string> = new Set(["describe", "suite"]);
const TESTS: ReadonlySet<string> = new Set(["test", "it"]);
/** Limit of pairs of lines to compare. */
const MAX_PAIRS = 16_000_000;

/** Lines of a changed test file that older tests didn't have. */
export interface NewLines {
  /** Indexes of new lines in older tests, and outside tests of an older file. */
  readonly added: ReadonlySet<number>;
  /** Returns true for a line of a new test, or of a group of only new ones. */
  readonly isOfNewTest: (index: number) => boolean;
  /** Returns the title of the test with a line; empty outside tests. */
  readonly titleAt: (index: number) => string;
}

/** Finds the lines that are new in older tests. An older test is one whose title was in a changed file before. */
export function newLinesOf(
  { path, before }: Pick<TestFileChange, "path" | "before">,
  { lines, program }: { readonly lines: Lines; readonly program: SyntaxNode },
  older: ReadonlyMap<string, readonly OlderTest[]>,
): NewLines {
  const versionsOf = ({ title }: TestPart): readonly OlderTest[] =>
    [title, UNKNOWN].flatMap((key) => older.get(key) ?? []);
  const parts = partsOf(program, lines);
  const tests = parts.filter(({ isGroup }) => !isGroup);
  const olderParts = tests.filter((test) => versionsOf(test).length > 0);
  const free = parts.filter((part) => !olderParts.some((test) => part.start <= test.start && test.end <= part.end));
  const isWithin = (index: number, part: TestPart): boolean => part.start <= index && index <= part.end;
  return {
    added: new Set([
      ...(before === "" ? [] : addedOutside({ path, before }, lines, tests)),
      ...olderParts.flatMap((test) => addedIn(test, lines, versionsOf(test))),
    ]),
    isOfNewTest: (index) => free.some((part) => isWithin(index, part)),
    titleAt: (index) => tests.find((part) => isWithin(index, part))?.title ?? "",
  };
}

/** Title of a test in a file that can't be parsed. */
const UNKNOWN = "\0";

/** A test that was in a changed file before the run. */
export interface OlderTest {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The tests of a file before the run. */
export function olderTests({ path, before }: TestFileChange): readonly OlderTest[] {
  if (before === "" || !SCRIPT.test(path)) return [];
  const lines = new Lines(before);
  const tests = testsOf(path, lines);
  if (tests === undefined) return [{ title: UNKNOWN, lines: lines.trimmed }];
  return tests.map(({ title, start, end }) => ({ title, lines: lines.trimmed.slice(start, end + 1) }));
}

function testsOf(path: string, lines: Lines): readonly TestPart[] | undefined {
  const parsed = parseSource(lines.text, path);
  return parsed.ok ? partsOf(parsed.value.program, lines).filter(({ isGroup }) => !isGroup) : undefined;
}

function addedOutside(
  { path, before }: Pick<TestFileChange, "path" | "before">,
  lines: Lines,
  tests: readonly TestPart[],
): readonly number[] {
  const old = new Lines(before);
  const outside = lines.outside(tests);
  const isNew = addedLines(old.pick(old.outside(testsOf(path, old) ?? [])), lines.pick(outside));
  return outside.filter((_, at) => isNew[at] === true);
}

/** Indexes of the lines that a test has and the most similar older test of its title doesn't. */
function addedIn({ start, end }: TestPart, lines: Lines, versions: readonly OlderTest[]): readonly number[] {
  const now = lines.trimmed.slice(start, end + 1);
  const [fewest = []] = versions
    .map((version) => addedLines(version.lines, now).flatMap((isNew, at) => (isNew ? [at + start] : [])))
    .toSorted((left, right) => left.length - right.length);
  return fewest;
}

function partsOf(node: SyntaxNode, lines: Lines): readonly TestPart[] {
  const [first, ...rest] = node.type === "CallExpression" ? list(node, "arguments") : [];
  const isGroup = GROUPS.has(callName(node));
  if (first === undefined || !rest.some(isFunction) || !makesTests(node))
    return childrenOf(node).flatMap((each) => partsOf(each, lines));
  const title = word(first, "value") ?? lines.text.slice(first.start, first.end);
  const part = { title, isGroup, start: lines.at(node.start), end: lines.at(node.end) };
  return isGroup ? [part, ...childrenOf(node).flatMap((each) => partsOf(each, lines))] : [part];
}

/** Returns true for a call that makes a test or a group of them. */
export function makesTests(call: SyntaxNode): boolean {
  return GROUPS.has(callName(call)) || TESTS.has(callName(call));
}

function callName(call: SyntaxNode): string {
  return word(rootOf(call), "name") ?? "";
}

/** The value with which a chain of members and calls begins. */
function rootOf(node: SyntaxNode | undefined): SyntaxNode | undefined {
  const at = bare(node);
  const next = child(at, "object") ?? child(at, "callee") ?? child(at, "tag");
  return next === undefined ? at : rootOf(next);
}

/** The lines of a text. */
export class Lines {
  readonly text: string;
  readonly trimmed: readonly string[];
  /** Returns the index of the line of an offset. */
  readonly at: (offset: number) => number;

  constructor(text: string) {
    this.text = text;
    this.trimmed = text.split("\n").map((line) => line.trim());
    this.at = lineFeedsOf(text);
  }

  /** Indexes of the lines that are in none of these tests. Their first and last lines are outside, too. */
  outside(tests: readonly TestPart[]): readonly number[] {
    return [...this.trimmed.keys()].filter((index) => !tests.some(({ start, end }) => start < index && index < end));
  }

  pick(indexes: readonly number[]): readonly string[] {
    return indexes.map((index) => this.trimmed[index] ?? "");
  }
}

/** Returns true for each line that a shortest edit of the older lines adds; for all if they are very unlike. */
export function addedLines(before: readonly string[], after: readonly string[]): readonly boolean[] {
  if (before.length * after.length > MAX_PAIRS) return after.map(() => true);
  return editOf(before, after, { comparisons: MAX_PAIRS }).flatMap(({ kind }) =>
    kind === "removed" ? [] : [kind === "added"],
  );
}
