import { types } from "node:util";
import { isArray, isPlainObject } from "../json/plain-data.ts";
import { hasToJson } from "../json/canonical-json.ts";

type Fields = Readonly<Record<string, unknown>>;
type Pair = readonly [before: unknown, after: unknown];

// Far from overflowing a stack that other code already uses; deeper parts are kept complete.
const MAX_DEPTH = 500;

/**
 * A JSON value, and any value that JSON can represent, without the objects and arrays that are at the same position of
 * the same list in both, if only one of its elements differs: null replaces them. `diff` of the two, as JSON, is that
 * of the values. All fields and all texts of a list stay, because the meaning of a part may depend on its neighbours. A
 * value that loses no part is returned unchanged, and so are equal values. A Date is the text JSON makes of it; other
 * values with `toJSON` are kept complete.
 */
export function unequalParts(before: unknown, after: unknown): Pair {
  return unlike(before, after, 0) ?? [before, after];
}

/** Undefined if the two are equal. */
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
    const isDate = typeof after === "object" && types.isDate(after);
    return isDate && after.toJSON() === before ? undefined : [before, after];
  }
  if (isArray(before) && isArray(after)) return unlikeItems(before, after, depth + 1);
  if (isPlainObject(before) && isPlainObject(after)) return unlikeFields(before, after, depth + 1);
  return [before, after];
}

function unlikeItems(before: readonly unknown[], after: readonly unknown[], depth: number): Pair | undefined {
  const shared = Math.min(before.length, after.length);
  const pairs: (Pair | undefined)[] = [];
  let isUnlike = before.length !== after.length;
  for (let index = 0; index < shared; index += 1) {
    const pair = unlike(before[index], after[index], depth);
    if (pair !== undefined) isUnlike = true;
    pairs.push(pair);
  }
  if (!isUnlike) return undefined;
  // Such lists are aligned by their equal elements, which must stay.
  if (before.length !== after.length || pairs.filter((pair) => pair !== undefined).length > 1) return [before, after];
  const side = (items: readonly unknown[], of: 0 | 1): readonly unknown[] => {
    let cut: unknown[] | undefined;
    for (let index = 0; index < shared; index += 1) {
      const pair = pairs[index];
      const equal = typeof before[index] === "object" ? null : items[index];
      const kept = pair === undefined ? equal : pair[of];
      if (kept !== items[index]) (cut ??= [...items])[index] = kept;
    }
    return cut ?? items;
  };
  return [side(before, 0), side(after, 1)];
}

function unlikeFields(before: Fields, after: Fields, depth: number): Pair | undefined {
  const names = Object.keys(before);
  const otherNames = Object.keys(after);
  let left: Map<string, unknown> | undefined;
  let right: Map<string, unknown> | undefined;
  // JSON leaves undefined properties out.
  let isUnlike =
    otherNames.length !== names.length &&
    otherNames.some((name) => after[name] !== undefined && !Object.hasOwn(before, name));
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] ?? "";
    const was = before[name];
    const is = after[name];
    // JSON leaves out names that are not enumerable. Checked only if the names are in another order: it is slow.
    if (otherNames[index] !== name && !Object.prototype.propertyIsEnumerable.call(after, name)) isUnlike = true;
    else if (was !== is) {
      const pair = unlike(was, is, depth);
      if (pair === undefined) continue;
      isUnlike = true;
      // Most fields are texts and numbers, of which no part is left out.
      if (pair[0] !== was) (left ??= new Map()).set(name, pair[0]);
      if (pair[1] !== is) (right ??= new Map()).set(name, pair[1]);
    }
  }
  return isUnlike ? [withParts(before, left), withParts(after, right)] : undefined;
}

function withParts(fields: Fields, parts: ReadonlyMap<string, unknown> | undefined): Fields {
  if (parts === undefined) return fields;
  // From entries: an own `__proto__` key must stay a key.
  return Object.fromEntries(
    Object.entries(fields).map(([name, item]) => [name, parts.has(name) ? parts.get(name) : item]),
  );
}
