import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { listIn, recordIn } from "../../kernel/json/read-data.ts";
import { diff } from "../../kernel/diff/diff.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { comparable } from "../../redact/comparable.ts";
import { type AdapterCall, isToolList } from "../adapter-call.ts";

/** A list that offers other tools than before, with the differences by the names of tools. */
interface ToolListChange {
  readonly adapter: string;
  readonly entries: readonly DiffEntry[];
}

/** Returns the lists that both runs requested and that differ. */
export function toolListChanges(
  before: readonly AdapterCall[],
  after: readonly AdapterCall[],
): readonly ToolListChange[] {
  const current = new Map(after.filter(isToolList).map((list) => [list.adapter, list]));
  const stored = new Map(before.filter(isToolList).map((list) => [list.adapter, list]));
  return [...stored].flatMap(([adapter, list]): readonly ToolListChange[] => {
    const now = current.get(adapter);
    if (now === undefined || now === list) return [];
    const [was, is] = comparable(toolsIn(list.response), toolsIn(now.response), { at: [adapter] });
    const entries = keyedEntries(was, is);
    return entries.length === 0 ? [] : [{ adapter, entries }];
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
  return listIn(recordIn(list)["tools"]).map((tool) => {
    if (!isPlainObject(tool)) return tool;
    const { _meta, ...rest } = tool;
    return rest;
  });
}
