import { stableStringify } from "../kernel/json/canonical-json.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { currentRedactor, learnSecrets } from "./current-redactor.ts";
import type { PathSegment } from "./path-pattern.ts";
import { PLACEHOLDER } from "./placeholder.ts";

/** How two sides are told apart by their secrets. */
export interface SecretsOf {
  /** Where both stand, for what is hidden by its path. */
  readonly at: readonly PathSegment[];
  /** The name of the salt by which the first side was hidden (`saltName`); undefined where nobody knows. */
  readonly hiddenBy: string | undefined;
  /** A side in the form in which its elements stand for those of the other: by key, in order. Default: as it is. */
  readonly aligned?: (side: unknown) => unknown;
}

/** Two sides as they compare; `untold` where nobody can tell here whether a secret is the same one. */
export type Comparable = readonly [before: unknown, after: unknown, untold: boolean];

/**
 * What is stored and what is now, as they compare: both without secrets. Under one salt another secret is a change, as
 * another text is. Under another salt secrets count by their kind, and by which are equal: then what is now gets
 * the digits of what it stands for. Both must be JSON; a side that needs no change comes back itself.
 */
export function comparable(before: unknown, after: unknown, { at, hiddenBy, aligned }: SecretsOf): Comparable {
  const redactor = currentRedactor();
  learnSecrets(before, after);
  const [was, hidden] = [redactor.redact(before, at).value, redactor.redact(after, at).value];
  if (!holdsPlaceholder(was) || !holdsPlaceholder(hidden)) return [was, hidden, false];
  // What was not hidden before was hidden here and now.
  if (!holdsPlaceholder(before) || hiddenBy === redactor.saltName()) return [was, hidden, false];
  const stood = standIns(formed(was, aligned), formed(hidden, aligned));
  if (stood.size === 0) return [was, hidden, false];
  return [was, replaced(hidden, stood), true];
}

/**
 * Tells whether two requests that are alike but for their placeholders have the same ones, as far as that can be told.
 */
export function sameSecrets(before: unknown, after: unknown, hiddenBy: string | undefined): boolean {
  if (hiddenBy === undefined || !holdsPlaceholder(before)) return true;
  return hiddenBy !== currentRedactor().saltName() || stableStringify(before) === stableStringify(after);
}

function formed(side: unknown, aligned: SecretsOf["aligned"]): unknown {
  try {
    return aligned?.(side) ?? side;
  } catch {
    // Keys that do not hold are the comparison's to tell.
    return side;
  }
}

/** By the native writer, which is faster by far than ours: values that hide nothing are the usual ones. */
function holdsPlaceholder(value: unknown): boolean {
  const text: unknown = JSON.stringify(value);
  return typeof text === "string" && text.includes("«redacted:");
}

const PLACEHOLDERS = new RegExp(PLACEHOLDER, "g");
const PARTS = /^«redacted:([a-z0-9-]+):[0-9a-f]{8}»$/;

/**
 * Which placeholder of before each of now stands for: one for one, so that secrets that were alike and no longer are,
 * or the other way round, differ. Those that both sides have stand for themselves: served answers bring them.
 */
function standIns(before: unknown, after: unknown): ReadonlyMap<string, string> {
  const old = new Set((JSON.stringify(before) ?? "").match(PLACEHOLDERS));
  const [found, taken] = [new Map<string, string>(), new Set<string>()];
  const pair = (was: string, is: string): void => {
    const [left, right] = [was.match(PLACEHOLDERS) ?? [], is.match(PLACEHOLDERS) ?? []];
    if (left.length !== right.length || was.replace(PLACEHOLDERS, "") !== is.replace(PLACEHOLDERS, "")) return;
    for (const [index, mine] of right.entries()) {
      const theirs = left[index] ?? mine;
      if (old.has(mine) || found.has(mine) || taken.has(theirs) || !alike(theirs, mine)) continue;
      found.set(mine, theirs);
      taken.add(theirs);
    }
  };
  walkPairs(before, after, pair);
  return found;
}

/** A machine that knows a secret by its environment names its kind after the variable: another may not know it. */
function alike(was: string, is: string): boolean {
  const [left = "", right = ""] = [PARTS.exec(was)?.[1], PARTS.exec(is)?.[1]];
  return left === right || left.startsWith("env-") || right.startsWith("env-");
}

function walkPairs(before: unknown, after: unknown, pair: (was: string, is: string) => void): void {
  if (typeof before === "string" && typeof after === "string") pair(before, after);
  else if (isArray(before) && isArray(after))
    for (const [index, item] of after.entries()) walkPairs(before[index], item, pair);
  else if (isPlainObject(before) && isPlainObject(after)) {
    const [left, right] = [before, after].map((side) => Object.keys(side));
    for (const name of right ?? []) if (Object.hasOwn(before, name)) walkPairs(before[name], after[name], pair);
    // Names may hold secrets, too.
    const gone = (left ?? []).filter((name) => !Object.hasOwn(after, name));
    const come = (right ?? []).filter((name) => !Object.hasOwn(before, name));
    for (const [index, name] of come.entries()) {
      const was = gone[index];
      if (was === undefined || blank(was) !== blank(name)) continue;
      pair(was, name);
      walkPairs(before[was], after[name], pair);
    }
  }
}

function blank(text: string): string {
  return text.replace(PLACEHOLDERS, "«redacted»");
}

function replaced(value: unknown, stood: ReadonlyMap<string, string>): unknown {
  const text = JSON.stringify(value).replace(PLACEHOLDERS, (found) => stood.get(found) ?? found);
  const data: unknown = JSON.parse(text);
  return data;
}

/** Items in an order that no salt changes, for lists whose order means nothing. */
export function inOrderOfBlanks(side: unknown): unknown {
  if (!isArray(side)) return side;
  const keyed = side.map((item) => ({ item, key: blank(JSON.stringify(item) ?? "") }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))).map(({ item }) => item);
}
