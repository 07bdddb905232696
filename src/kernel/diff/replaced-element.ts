import { isArray, isObject, isPlainObject, memberOf } from "../json/plain-data.ts";
import { sharedPart } from "../text.ts";

/** An element of a list. */
export interface ListElement {
  readonly list: readonly unknown[];
  readonly index: number;
}

/** Neighbors on each side whose values are compared with those that two elements have in common. */
const MAX_NEIGHBORS = 5;
/** Share of a text that is the same after, in addition to the share that a neighbor's text has in common with it. */
const OWN_SHARE = 0.25;

/**
 * Returns true if an element has nothing in common with the one after: less than half of their parts have the same name
 * and kind of value, or each value that they share is also a neighbor's, as a type or a status is.
 */
export function isReplaced(element: ListElement, after: unknown): boolean {
  const before = element.list[element.index];
  if (!isObject(before) || !isObject(after)) return false;
  return !isAlike(before, after) || !shareOwnValue(before, after, { ...element, path: [] });
}

/** Returns true if at least half of the parts of two elements have the same name and kind of value. */
function isAlike(before: object, after: object): boolean {
  let [shared, all] = [0, 0];
  for (const name of Object.keys(before)) {
    all += 1;
    if (Object.hasOwn(after, name) && kindOf(memberOf(before, name)) === kindOf(memberOf(after, name))) shared += 1;
  }
  for (const name of Object.keys(after)) if (!Object.hasOwn(before, name)) all += 1;
  return shared * 2 >= all;
}

function kindOf(value: unknown): string {
  return isArray(value) ? "list" : typeof value;
}

/** Returns true if two values have a part in common that no neighbor of the element has at the same path. */
function shareOwnValue(before: unknown, after: unknown, at: ListElement & { readonly path: string[] }): boolean {
  if (before === after) return hasNoNeighbor(at, (value) => value === before);
  if (isObject(before) && isObject(after)) {
    // The data of an instance, as of a Map, isn't in its properties.
    if (!isArray(before) && !isPlainObject(before)) return true;
    for (const name of Object.keys(before)) {
      at.path.push(name);
      if (shareOwnValue(memberOf(before, name), memberOf(after, name), at)) return true;
      at.path.pop();
    }
    return false;
  }
  if (typeof before !== "string" || typeof after !== "string") return false;
  const share = sharedPart(before, after) - OWN_SHARE;
  return share >= 0 && hasNoNeighbor(at, (value) => typeof value === "string" && sharedPart(before, value) > share);
}

function hasNoNeighbor(
  { list, index, path }: ListElement & { readonly path: readonly string[] },
  matches: (value: unknown) => boolean,
): boolean {
  const end = Math.min(list.length, index + MAX_NEIGHBORS + 1);
  for (let other = Math.max(0, index - MAX_NEIGHBORS); other < end; other += 1)
    if (other !== index && matches(path.reduce(memberOf, list[other]))) return false;
  return true;
}
