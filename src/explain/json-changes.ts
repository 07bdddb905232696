import { diff } from "../kernel/diff/diff.ts";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import { isArray, isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import { formatPath } from "../kernel/text.ts";
import type { ReportChange } from "./report-case.ts";

/** Number of differences up to which strings are compared as JSON, and the most if they are a few of all values. */
const MAX_ENTRIES = 10;
const MAX_OF_MANY = 40;

/**
 * Returns the differences between two strings as differences of their JSON: `answer.lines[1].price` instead of two long
 * lines. Returns the entry itself if a side isn't a JSON object or array, or if only the whitespace differs.
 */
export function jsonEntries(entry: DiffEntry): readonly DiffEntry[] {
  const [before, after] = [entry.before, entry.after].map(dataOf);
  if (before === undefined || after === undefined || isArray(before) !== isArray(after)) return [entry];
  const { entries } = diff(before, after);
  if (entries.length === 0 || entries.some(({ path }) => path.length === 0)) return [entry];
  // More of them are another text.
  if (entries.length > MAX_ENTRIES && entries.length > Math.min(MAX_OF_MANY, countValues(after) / 2)) return [entry];
  return entries.map((inner) => ({ ...inner, path: [...entry.path, ...inner.path] }));
}

/** Returns the same for a change of a report. */
export function jsonChanges(change: ReportChange<unknown>): readonly ReportChange<unknown>[] {
  const { before, after, path } = change;
  const entries = jsonEntries({ path: [], before, after });
  if (entries.every((entry) => entry.path.length === 0)) return [change];
  return entries.map((entry) => {
    const inner = formatPath(entry.path);
    const joined = path === "" || inner.startsWith("[") ? `${path}${inner}` : `${path}.${inner}`;
    return { ...change, path: joined, before: entry.before, after: entry.after };
  });
}

/** Number of the values in data that have no parts. */
function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + countValues(part), 0);
}

function dataOf(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return undefined;
  const data = parsedJson(value);
  return isArray(data) || isPlainObject(data) ? data : undefined;
}
