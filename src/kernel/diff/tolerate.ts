import type { CompareBy, KeyBy, Tolerance, ToleranceFn } from "./compare-rules.ts";
import { isArray, isPlainObject, typeName, withArticle } from "../json/plain-data.ts";
import { quote } from "../text.ts";
import { normalizeForDiff } from "./normalize-for-diff.ts";
import type { DiffEntry, DiffResult } from "./entries.ts";
import { type RulePath, elementsOn, isFullyMatched, rulePath, advancePaths } from "./rule-path.ts";

/** A difference that a rule lets pass. */
export interface Tolerated {
  readonly entry: DiffEntry;
  /** The rule's path as it was written, and its name. */
  readonly rule: string;
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

type Path = DiffEntry["path"];

/**
 * Removes the tolerated differences from a diff by key. A rule is called with the two values at its path, once for each
 * element of a list or keyed array on the way; `true` covers every difference at or below. Throws a TypeError that
 * names the rule if it throws, or returns a value other than true or false.
 */
export function tolerate(keyed: DiffResult, compared: Compared): TolerantDiff {
  const rules = Object.entries(compared.compare);
  if (keyed.equal || rules.length === 0) return { diff: keyed, tolerated: [] };
  const keyBy = Object.keys(compared.keyBy).map(rulePath);
  const before = normalizeForDiff(compared.before, compared.keyBy);
  const after = normalizeForDiff(compared.after, compared.keyBy);
  const answers = new Map<string, boolean>();
  const ruleFor = (entry: DiffEntry): Tolerated | undefined => {
    const elements = elementsOn(entry.path, keyBy);
    for (const [rule, tolerance] of rules) {
      for (const depth of depthsOf(rule, entry.path, elements)) {
        const path = entry.path.slice(0, depth);
        const known = JSON.stringify([rule, path]);
        const answer =
          answers.get(known) ?? isTolerated(rule, tolerance, [valueAt(before, path), valueAt(after, path)]);
        answers.set(known, answer);
        if (answer) return { entry, rule, label: labelOf(rule, tolerance) };
      }
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

/**
 * Numbers of a path's names that lead to the path of a rule, one for each element it may mean: empty if it doesn't
 * match.
 */
function depthsOf(rule: string, path: Path, elements: readonly boolean[]): readonly number[] {
  const depths: number[] = [];
  let ways: readonly RulePath[] = [rulePath(rule)];
  for (let depth = 0; ways.length > 0; depth += 1) {
    if (ways.some(isFullyMatched)) depths.push(depth);
    const segment = path[depth];
    if (segment === undefined) break;
    ways = advancePaths(ways, segment, elements[depth] === true);
  }
  return depths;
}

function isTolerated(
  rule: string,
  tolerance: Tolerance | ToleranceFn,
  [before, after]: readonly [unknown, unknown],
): boolean {
  const tolerates = typeof tolerance === "function" ? tolerance : tolerance.tolerates;
  const answer: unknown = attempt(rule, () => tolerates(before, after));
  if (typeof answer === "boolean") return answer;
  throw new TypeError(`compare: ${quote(rule)} must answer true or false, got ${withArticle(typeName(answer))}`);
}

function attempt(rule: string, work: () => unknown): unknown {
  try {
    return work();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`compare: ${quote(rule)} threw: ${message}`, { cause });
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
    else value = isPlainObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
  }
  return value;
}
