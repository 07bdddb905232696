import { stableStringify } from "../../base/canonical-json.ts";
import { isArray, isPlainObject } from "../../base/plain-data.ts";
import { type MergedData, type Path, type Sides, mergeKeyed, mergeSequence } from "./merge-lists.ts";

/** Whose value stands where both changed the same. */
export type Preferred = "ours" | "theirs";

/** How values are merged. */
export interface MergeRules {
  readonly prefer: Preferred;
  /** How far values are entered: not at all, to the elements of a list, or to the fields at any depth. */
  readonly depth: "fields" | "elements" | "whole";
}

/**
 * Merges two changes of one JSON value field by field. Fields that one side left as they were are the other's; objects
 * are entered, lists aligned by a key that their elements have, else by their order. Pure.
 */
export function mergeData(sides: Sides, rules: MergeRules, path: Path = []): MergedData {
  const { base, ours, theirs } = sides;
  if (isSame(ours, theirs) || isSame(base, theirs)) return { value: ours, conflicts: [] };
  if (isSame(base, ours)) return { value: theirs, conflicts: [] };
  const inFields = rules.depth === "fields";
  const merge = (inner: Sides, key: string | number): MergedData => mergeData(inner, rules, [...path, key]);
  if (inFields && isPlainObject(ours) && isPlainObject(theirs) && (base === undefined || isPlainObject(base)))
    return mergeFields({ base: base ?? {}, ours, theirs }, merge);
  if (rules.depth !== "whole" && isArray(ours) && isArray(theirs) && isArray(base)) {
    const lists = { base, ours, theirs };
    const merged = inFields ? (mergeKeyed(lists, merge) ?? mergeSequence(lists, merge)) : mergeSequence(lists);
    if (merged !== undefined) return merged;
  }
  return { value: sides[rules.prefer], conflicts: [path] };
}

function mergeFields(
  { base, ours, theirs }: Sides<Record<string, unknown>>,
  merge: (inner: Sides, key: string) => MergedData,
): MergedData {
  const names = [...new Set([ours, theirs].flatMap(Object.keys))];
  const fields = names.map((name) => {
    const at = (of: Record<string, unknown>): unknown => (Object.hasOwn(of, name) ? of[name] : undefined);
    return [name, merge({ base: at(base), ours: at(ours), theirs: at(theirs) }, name)] as const;
  });
  return {
    value: Object.fromEntries(
      fields.filter(([, { value }]) => value !== undefined).map(([name, { value }]) => [name, value]),
    ),
    conflicts: fields.flatMap(([, { conflicts }]) => conflicts),
  };
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return stableStringify(one) === stableStringify(other);
}
