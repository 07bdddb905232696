import { formatPath } from "../kernel/text.ts";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import type { Check } from "../check/check.ts";
import type { TestSession } from "./test-session.ts";

/** Fields that likely identify an element. */
const KEYS = ["id", "key", "uuid", "sku", "name"] as const;
const BARE = /^[a-z_$][\w$]*$/i;

/**
 * Returns one line for each list without a key in which an element with an identity has another index now: it is
 * removed and inserted, and compared by its key it would be the same. Once for each test file.
 */
export function keyByHints(checks: readonly Check[], session: Partial<TestSession> = {}): string[] {
  const lists = new Set(checks.flatMap(listsOf));
  return [...lists].filter((list) => session.firstOfGroup?.(`keyBy ${list}`) === session.testName);
}

function listsOf({ verdict }: Check): readonly string[] {
  const entries = "changes" in verdict ? verdict.changes.flatMap(outputEntries) : [];
  const lists = Map.groupBy(entries.filter(isListEdit), ({ path }) => JSON.stringify(path.slice(0, -1)));
  return [...lists.values()].flatMap((edits) => {
    const path = edits[0]?.path.slice(0, -1) ?? [];
    const key = KEYS.find((name) => hasMoved(edits, name));
    const isNamed = path.length > 0 && path.every((segment) => typeof segment === "string");
    return key === undefined || !isNamed ? [] : [hintOf(path, key)];
  });
}

function outputEntries(
  change: Extract<Check["verdict"], { changes: unknown }>["changes"][number],
): readonly DiffEntry[] {
  return change.part === "output" ? change.diff.entries : [];
}

function isListEdit({ path, edit }: DiffEntry): boolean {
  return typeof path.at(-1) === "number" && (edit === "removed" || edit === "inserted");
}

/** Returns true if all these elements have a value of a field, each side each value once, and one is on both sides. */
function hasMoved(edits: readonly DiffEntry[], key: string): boolean {
  const [before, after] = [edits.map((edit) => edit.before), edits.map((edit) => edit.after)].map((side) =>
    side
      .filter((element) => element !== undefined)
      .map((element) => (isPlainObject(element) ? element[key] : undefined)),
  );
  if (before === undefined || after === undefined) return false;
  const isUnique = [before, after].every(
    (ids) => new Set(ids).size === ids.length && ids.every((id) => typeof id === "string" || typeof id === "number"),
  );
  return isUnique && before.some((id) => after.includes(id));
}

function hintOf(path: readonly (string | number)[], key: string): string {
  const list = path.join(".");
  const name = BARE.test(list) ? list : JSON.stringify(list);
  const todo = `keyBy: { ${name}: "${key}" }`;
  return `Elements of ${formatPath([...path])} moved. To compare them by ${key}, set ${todo}.`;
}
