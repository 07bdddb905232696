import type { CompareBy, KeyBy, Tolerance, ToleranceFn } from "./compare-rules.ts";
import { isArray, typeName, withArticle } from "../json/plain-data.ts";
import { quote } from "../text.ts";
import { fieldsIn } from "./instance-fields.ts";
import { normalizeForDiff } from "./keyed-lists.ts";
import { walkByIndex } from "./walk-diff.ts";
import { type DiffEntry, type DiffResult, pathBefore } from "./entries.ts";
import { type RulePath, elementsOn, isFullyMatched, isOpenEnded, rulePath, advancePaths } from "./rule-path.ts";

/** A difference that a rule ignores. */
export interface Tolerated {
  readonly entry: DiffEntry;
  /** Path of the rule, as written in `compare`. */
  readonly rule: string;
  /** Name of the rule's tolerance or function. */
  readonly label: string;
}

/** A diff without tolerated differences, and the tolerated ones. */
export interface TolerantDiff {
  readonly diff: DiffResult;
  readonly tolerated: readonly Tolerated[];
}

/** The two values a diff is of, and how they are compared. */
export interface Compared {
  readonly before: unknown;
  readonly after: unknown;
  readonly keyBy: KeyBy;
  readonly compare: CompareBy;
}

/** Returns the rules for numbers of calls and events: those that end in `**` are for values alone. */
export function rulesForCounts(compare: CompareBy): CompareBy {
  return Object.fromEntries(Object.entries(compare).filter(([path]) => !isOpenEnded(path)));
}

type Path = DiffEntry["path"];

/**
 * Removes the tolerated differences from a diff by key. A rule is called with the two values at its path, once for each
 * element of a list or keyed array on the way; `true` covers every difference at or below. A rule that ends in `**`
 * only decides on values without a closer rule. Throws a TypeError that names the rule if it throws, or returns a value
 * other than true or false.
 */
export function tolerate(keyed: DiffResult, compared: Compared): TolerantDiff {
  const rules = Object.entries(compared.compare);
  if (keyed.equal || rules.length === 0) return { diff: keyed, tolerated: [] };
  const before = normalizeForDiff(compared.before, compared.keyBy);
  const after = normalizeForDiff(compared.after, compared.keyBy);
  const judged = judge(keyed, { ...compared, before, after });
  if (judged.diff.equal || !keyed.entries.some(({ edit }) => edit !== undefined)) return judged;
  // If all numbers are a little off, some may be equal to those next to them by chance.
  const entries = walkByIndex(before, after);
  const byIndex = judge({ equal: entries.length === 0, entries }, { ...compared, before, after });
  return byIndex.diff.equal ? byIndex : judged;
}

/** The same, of values whose lists are keyed already. */
function judge(keyed: DiffResult, { before, after, compare, keyBy: keys }: Compared): TolerantDiff {
  // A rule for many values, such as the project's tolerance, must not loosen that of one of them.
  const closestFirst = [...Map.groupBy(Object.entries(compare), ([rule]) => closeness(rule))]
    .toSorted(([a], [b]) => (a > b ? -1 : 1))
    .map(([, rules]) => rules);
  const keyBy = Object.keys(keys).map(rulePath);
  const answers = new Map<string, boolean>();
  const ruleFor = (entry: DiffEntry): Tolerated | undefined => {
    // Its sides are positions, which no rule is about.
    if (entry.edit === "moved") return undefined;
    const was = pathBefore(entry);
    const elements = elementsOn(entry.path, keyBy);
    const named = entry.path.map((segment, depth) => (isSamePosition(entry, was, depth) ? segment : NO_INDEX));
    const covering = closestFirst.map((rules) =>
      rules.flatMap(([rule, tolerance]) =>
        depthsOf(rule, named, elements).map((depth) => ({ rule, tolerance, depth })),
      ),
    );
    for (const { rule, tolerance, depth } of covering.find(({ length }) => length > 0) ?? []) {
      const [old, path] = [was.slice(0, depth), entry.path.slice(0, depth)];
      const isElement = entry.edit !== undefined && depth === entry.path.length;
      const known = JSON.stringify([rule, old, path, isElement && entry.edit]);
      const sides = isElement ? ([entry.before, entry.after] as const) : [valueAt(before, old), valueAt(after, path)];
      const answer = answers.get(known) ?? isTolerated(rule, tolerance, sides);
      answers.set(known, answer);
      if (answer) return { entry, rule, label: labelOf(rule, tolerance) };
    }
    return undefined;
  };
  const judged = keyed.entries.map((entry) => ({ entry, tolerated: ruleFor(entry) }));
  const entries = judged.filter(({ tolerated }) => tolerated === undefined).map(({ entry }) => entry);
  return {
    diff: { equal: entries.length === 0, entries },
    tolerated: judged.flatMap(({ tolerated }) => tolerated ?? []),
  };
}

/** The number of names that lead to the values of a rule that ends in `**`. Any other rule is closer. */
function closeness(rule: string): number {
  return isOpenEnded(rule) ? rule.split(".").length : Infinity;
}

/** Segment of an element that no index of a rule means, only a wildcard or a path without the index. */
const NO_INDEX = -1;

/** Returns false for an index of an element that was inserted, removed, or at another index before. */
function isSamePosition({ path, edit }: DiffEntry, was: Path, depth: number): boolean {
  if (typeof path[depth] !== "number") return true;
  return path[depth] === was[depth] && (edit === undefined || depth < path.length - 1);
}

/**
 * Numbers of a path's names that lead to the path of a rule, one for each element it may mean: empty if it doesn't
 * match.
 */
function depthsOf(rule: string, path: Path, elements: readonly boolean[]): readonly number[] {
  const depths: number[] = [];
  let ways: readonly RulePath[] = [rulePath(rule)];
  const isOpen = isOpenEnded(rule);
  for (let depth = 0; ways.length > 0; depth += 1) {
    // A rule for everything below is called with the values that differ, not with all that contains them.
    if (ways.some(isFullyMatched) && (!isOpen || depth === path.length)) depths.push(depth);
    const segment = path[depth];
    if (segment === undefined) break;
    ways = advancePaths(ways, segment, elements[depth] === true);
  }
  return depths;
}

function isTolerated(rule: string, tolerance: Tolerance | ToleranceFn, [before, after]: readonly unknown[]): boolean {
  const tolerates = typeof tolerance === "function" ? tolerance : tolerance.tolerates;
  const answer: unknown = attempt(rule, () => tolerates(before, after));
  if (typeof answer === "boolean") return answer;
  const problem = `must return true or false, got ${withArticle(typeName(answer))}`;
  throw new ComparisonError(`compare: ${quote(rule)} ${problem}`, FIX_RULE);
}

function attempt(rule: string, work: () => unknown): unknown {
  try {
    return work();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ComparisonError(`compare: ${quote(rule)} threw: ${message}`, FIX_RULE, cause);
  }
}

const FIX_RULE = "Fix that rule.";

/** A comparison that failed, with what to do about it. */
export class ComparisonError extends TypeError {
  readonly #fix: string;

  constructor(message: string, fix: string, cause?: unknown) {
    super(message, { cause });
    this.#fix = fix;
  }

  get fix(): string {
    return this.#fix;
  }
}

function labelOf(rule: string, tolerance: Tolerance | ToleranceFn): string {
  if (typeof tolerance !== "function") return tolerance.label;
  // An inline function is named after its property, which is the rule's path: that name has no information.
  return tolerance.name === "" || tolerance.name === rule ? "a function" : tolerance.name;
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const segment of path) {
    if (typeof segment === "number") value = isArray(value) ? value[segment] : undefined;
    else {
      const fields = fieldsIn(value);
      value = fields !== undefined && Object.hasOwn(fields, segment) ? fields[segment] : undefined;
    }
  }
  return value;
}
