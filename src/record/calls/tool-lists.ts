import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { diff } from "../../kernel/diff/diff.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { comparable } from "../../redact/comparable.ts";
import { type AdapterCall, isToolList } from "../adapter-call.ts";
import type { CallChange } from "./diff-calls.ts";

/** Returns one change for each list that offers other tools than before, by their names; lists of one run don't count. */
export function toolListChanges(before: readonly AdapterCall[], after: readonly AdapterCall[]): readonly CallChange[] {
  const current = new Map(after.filter(isToolList).map((list) => [list.adapter, list]));
  const stored = new Map(before.filter(isToolList).map((list) => [list.adapter, list]));
  return [...stored].flatMap(([adapter, list]): readonly CallChange[] => {
    const now = current.get(adapter);
    if (now === undefined || now === list) return [];
    const [was, is] = comparable(toolsIn(list.response), toolsIn(now.response), { at: [adapter] });
    const entries = keyedEntries(was, is);
    return entries.length === 0 ? [] : [{ kind: "changed", adapter, role: "read", entries }];
  });
}

function keyedEntries(before: unknown, after: unknown): readonly DiffEntry[] {
  try {
    const { entries } = diff({ tools: before }, { tools: after }, { tools: "name" });
    return entries.map((entry) => ({ ...entry, path: entry.path.slice(1) }));
  } catch {
    // A server that offers two tools of one name.
    return diff(before, after).entries;
  }
}

/** The tools of a list, without `_meta`, which is for the client alone. */
function toolsIn(list: unknown): readonly unknown[] {
  const tools = isPlainObject(list) ? list["tools"] : undefined;
  return (isArray(tools) ? tools : []).map((tool) => {
    if (!isPlainObject(tool)) return tool;
    const { _meta, ...rest } = tool;
    return rest;
  });
}
