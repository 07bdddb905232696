import { types } from "node:util";
import { isArray, isPlainObject } from "../base/plain-data.ts";
import { hasToJson } from "../base/json-leaf.ts";

type Fields = Readonly<Record<string, unknown>>;
type Pair = readonly [before: unknown, after: unknown];

// Far from overflowing a stack that others already use; what lies deeper is kept whole.
const MAX_DEPTH = 500;

/**
 * A JSON value, and any value that JSON can hold, without the objects and arrays that stand at the same place of the
 * same list in both: null is in their stead. `diff` of the two, as JSON, is that of the values. All fields and all
 * texts of a list stay, because what a part means may depend on its neighbours. A value that loses nothing comes back
 * itself, and so do equal values. A Date is the text JSON makes of it; what else speaks for itself in JSON is kept
 * whole.
 */
export function unlikeParts(before: unknown, after: unknown): Pair {
  return unlike(before, after, 0) ?? [before, after];
}

/** Undefined where the two are equal. */
function unlike(before: unknown, after: unknown, depth: number): Pair | undefined {
  if (before === after) return undefined;
  if (
    typeof before !== "object" ||
    typeof after !== "object" ||
    before === null ||
    after === null ||
    depth === MAX_DEPTH ||
    hasToJson(after)
  ) {
    return types.isDate(after) && after.toJSON() === before ? undefined : [before, after];
  }
  if (isArray(before) && isArray(after)) return unlikeItems(before, after, depth + 1);
  if (isPlainObject(before) && isPlainObject(after)) return unlikeFields(before, after, depth + 1);
  return [before, after];
}

function unlikeItems(before: readonly unknown[], after: readonly unknown[], depth: number): Pair | undefined {
  const shared = Math.min(before.length, after.length);
  const pairs = new Map<number, Pair>();
  for (let index = 0; index < shared; index += 1) {
    const pair = unlike(before[index], after[index], depth);
    if (pair !== undefined) pairs.set(index, pair);
  }
  if (pairs.size === 0 && before.length === after.length) return undefined;
  const side = (items: readonly unknown[], of: 0 | 1): readonly unknown[] =>
    items.map((item, index) => {
      const pair = pairs.get(index);
      if (pair !== undefined) return pair[of];
      return index < shared && typeof before[index] === "object" ? null : item;
    });
  return [side(before, 0), side(after, 1)];
}

function unlikeFields(before: Fields, after: Fields, depth: number): Pair | undefined {
  const names = Object.keys(before);
  const pairs = new Map<string, Pair>();
  // What is undefined is not there in JSON.
  let isUnlike =
    Object.keys(after).length !== names.length &&
    Object.keys(after).some((name) => after[name] !== undefined && !Object.hasOwn(before, name));
  for (const name of names) {
    // JSON has no names that are not enumerable.
    if (Object.prototype.propertyIsEnumerable.call(after, name)) {
      const pair = unlike(before[name], after[name], depth);
      if (pair !== undefined) pairs.set(name, pair);
    } else isUnlike = true;
  }
  if (!isUnlike && pairs.size === 0) return undefined;
  return [withParts(before, pairs, 0), withParts(after, pairs, 1)];
}

function withParts(fields: Fields, pairs: ReadonlyMap<string, Pair>, of: 0 | 1): Fields {
  const isCut = [...pairs].some(([name, pair]) => pair[of] !== fields[name]);
  // From entries: an own `__proto__` key must stay a key.
  return isCut
    ? Object.fromEntries(Object.entries(fields).map(([name, item]) => [name, (pairs.get(name) ?? [item, item])[of]]))
    : fields;
}
