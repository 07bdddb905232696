import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { comparedForm } from "../encode/decode.ts";
import { diff } from "../../kernel/diff/diff.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { TOOL_LISTS, nameOf } from "./tool-names.ts";

/**
 * Returns the differences of two requests. Tools that a request offers are compared by name, as `tools.lookup`, because
 * their order has no meaning. If only that differs, it's the difference.
 */
export function requestDifference(recorded: unknown, current: unknown): readonly DiffEntry[] {
  // A Date or Map reads as such, not as its stored form.
  const [before, after] = [comparedForm(recorded), comparedForm(current)];
  const [was, is] = byNames(before, after, 0);
  const { entries } = diff(was, is);
  if (entries.length > 0) return entries;
  const { entries: ordered } = diff(before, after);
  return ordered.length > 0 ? ordered : diff(recorded, current).entries;
}

/** Depth of a request above its tools: the list of arguments, the body and the settings of a model. */
const MAX_DEPTH = 5;

/** Returns both values with their lists of tools as records by name. Without such lists, returns the same values. */
function byNames(before: unknown, after: unknown, depth: number): readonly [unknown, unknown] {
  if (depth > MAX_DEPTH) return [before, after];
  if (isArray(before) && isArray(after)) {
    const pairs = before.map((item, index) =>
      index < after.length ? byNames(item, after[index], depth + 1) : [item, item],
    );
    if (pairs.every(([was, is], index) => was === before[index] && (index >= after.length || is === after[index])))
      return [before, after];
    return [pairs.map(([was]) => was), after.map((item, index) => pairs[index]?.[1] ?? item)];
  }
  if (!isPlainObject(before) || !isPlainObject(after)) return [before, after];
  const changed = Object.keys(before).flatMap((key): readonly (readonly [string, unknown, unknown])[] => {
    if (!Object.hasOwn(after, key)) return [];
    const listed = TOOL_LISTS.has(key) ? namedLists(before[key], after[key]) : undefined;
    const [was, is] = listed ?? byNames(before[key], after[key], depth + 1);
    return was === before[key] && is === after[key] ? [] : [[key, was, is]];
  });
  if (changed.length === 0) return [before, after];
  return [
    { ...before, ...Object.fromEntries(changed.map(([key, was]) => [key, was])) },
    { ...after, ...Object.fromEntries(changed.map(([key, , is]) => [key, is])) },
  ];
}

function namedLists(before: unknown, after: unknown): readonly [unknown, unknown] | undefined {
  const [was, is] = [recordOf(before), recordOf(after)];
  return was === undefined || is === undefined ? undefined : [was, is];
}

/** A list of tools by their names; undefined if a tool has none, or two have the same one. */
function recordOf(list: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isArray(list)) return undefined;
  const tools = new Map<string | undefined, unknown>(list.map((tool) => [nameOf(tool), tool]));
  if (tools.size < list.length || tools.has(undefined)) return undefined;
  return Object.fromEntries<unknown>([...tools].map(([name = "", tool]) => [name, tool]));
}
