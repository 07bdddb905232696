import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { isPlainObject, memberOf } from "../../kernel/json/plain-data.ts";

/** Keys of the lists of tools that a request to a model offers. */
export const TOOL_LISTS: ReadonlySet<string> = new Set(["tools", "functions", "functionDeclarations"]);

/**
 * Returns a difference within `root`, such as `{ request }`, with the names of a request's tools in its path instead of
 * indexes.
 */
export function withToolNames(entry: DiffEntry, root: unknown): DiffEntry {
  const { path, before, after } = entry;
  if (!path.includes("request")) return entry;
  let value = root;
  const named = path.map((key, index) => {
    value = memberOf(value, key);
    if (typeof key !== "number" || !TOOL_LISTS.has(String(path[index - 1]))) return key;
    // The index of a removed tool is its own: today another one is there.
    return nameOf(index < path.length - 1 ? value : (after ?? before)) ?? key;
  });
  return named.every((key, index) => key === path[index]) ? entry : { ...entry, path: named };
}

/** Returns the name of a tool in a list of a request. */
export function nameOf(tool: unknown): string | undefined {
  if (!isPlainObject(tool)) return undefined;
  const { name, function: called } = tool;
  const own = name ?? (isPlainObject(called) ? called["name"] : undefined);
  return typeof own === "string" ? own : undefined;
}
