import { formatPath } from "../kernel/text.ts";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import type { Check } from "../check/check.ts";
import type { TestSession } from "./test-session.ts";

/** Fields that likely identify an element. */
const KEYS = ["id", "key", "uuid", "sku", "name"] as const;
const BARE = /^[a-z_$][\w$]*$/i;

/**
 * Returns one line for each list without a key in which an element with an identity has another index now: compared by
 * its key it would be the same. Once for each test file.
 */
export function keyByHints(checks: readonly Check[], session: Partial<TestSession> = {}): string[] {
  const lists = new Set(checks.flatMap(listsOf));
  return [...lists].filter((list) => session.firstOfGroup?.(`keyBy ${list}`) === session.testName);
}

function listsOf({ verdict }: Check): readonly string[] {
  const entries = "changes" in verdict ? verdict.changes.flatMap(outputEntries) : [];
  const lists = Map.groupBy(entries, ({ path }) => JSON.stringify(path.slice(0, depthOf(path))));
  return [...lists.values()].flatMap((edits) => {
    const path = edits[0]?.path ?? [];
    const list = path.slice(0, depthOf(path));
    const key = KEYS.find((name) => hasMoved(edits, name));
    // A path of keyBy leads through lists by their names.
    const names = list.filter((segment) => typeof segment === "string");
    return key === undefined || names.length === 0 || typeof list.at(-1) === "number" ? [] : [hintOf(names, key)];
  });
}

/** Number of names that lead to the innermost list of a path. */
function depthOf(path: DiffEntry["path"]): number {
  return Math.max(
    0,
    path.findLastIndex((segment) => typeof segment === "number"),
  );
}

function outputEntries(
  change: Extract<Check["verdict"], { changes: unknown }>["changes"][number],
): readonly DiffEntry[] {
  return change.part === "output" ? change.diff.entries : [];
}

/**
 * Returns true if all elements that are in these entries have a value of a field, each side each value once, and one is
 * on both sides. If each element changed too, the entries are those of its fields.
 */
function hasMoved(edits: readonly DiffEntry[], key: string): boolean {
  const elements = edits.filter(({ path }) => typeof path.at(-1) === "number");
  const keys = edits.filter(({ path }) => path.at(-1) === key && typeof path.at(-2) === "number");
  // An element of which only the key changed has another key now. Two elements with an id may have each other's name.
  const changed = new Set(edits.filter((edit) => !keys.includes(edit)).map(({ path }) => path[depthOf(path)]));
  const isIdentity = key === "name" ? isRotation(keys) : true;
  const fields = isIdentity && keys.every(({ path }) => changed.has(path.at(-2))) ? keys : [];
  const [before, after] = (["before", "after"] as const).map((side) => [
    ...elements
      .map((edit) => edit[side])
      .filter((element) => element !== undefined)
      .map(fieldOf(key)),
    ...fields.map((edit) => edit[side]),
  ]);
  if (before === undefined || after === undefined) return false;
  const isUnique = [before, after].every(
    (ids) => new Set(ids).size === ids.length && ids.every((id) => typeof id === "string" || typeof id === "number"),
  );
  return isUnique && before.some((id) => after.includes(id));
}

/** Returns true if three or more elements have each other's names. Two may have swapped theirs. */
function isRotation(names: readonly DiffEntry[]): boolean {
  const after = new Set(names.map((entry) => entry.after));
  return names.length > 2 && names.every(({ before }) => after.has(before));
}

function fieldOf(key: string): (element: unknown) => unknown {
  return (element) => (isPlainObject(element) ? element[key] : undefined);
}

function hintOf(path: readonly string[], key: string): string {
  const list = path.join(".");
  const name = BARE.test(list) ? list : JSON.stringify(list);
  const todo = `keyBy: { ${name}: "${key}" }`;
  return `Elements of ${formatPath([...path])} moved. To compare them by ${key}, set ${todo}.`;
}
