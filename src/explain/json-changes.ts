import { diff } from "../kernel/diff/diff.ts";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import { isArray, isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import { formatPath } from "../kernel/text.ts";
import type { Detail } from "./detail.ts";
import type { ReportChange } from "./report-case.ts";
import { type Counted, countNumbers, isEncoded } from "./unreadable-values.ts";

/** Number of differences up to which strings are compared as JSON, and the most if they are a few of all values. */
const MAX_ENTRIES = 10;
const MAX_OF_MANY = 40;

/**
 * Returns the differences between two strings as differences of their JSON: `answer.lines[1].price` instead of two long
 * lines. The JSON may be a block within equal prose, or have an object on each line. Returns the entry itself if a side
 * doesn't have JSON, or if only the whitespace differs.
 */
export function jsonEntries(entry: DiffEntry): readonly Counted<DiffEntry>[] {
  const [before, after] = [entry.before, entry.after].map(dataOf);
  if (before === undefined || after === undefined || before.around !== after.around) return [entry];
  if (isArray(before.data) !== isArray(after.data)) return [entry];
  const entries = countNumbers(diff(before.data, after.data).entries);
  if (entries.length === 0 || entries.some(({ path }) => path.length === 0)) return [entry];
  const readable = entries.filter((inner) => !isEncoded(inner.before) || !isEncoded(inner.after)).length;
  // More of them are another text.
  if (readable > MAX_ENTRIES && readable > Math.min(MAX_OF_MANY, countValues(after.data) / 2)) return [entry];
  return entries
    .map((inner) => ({ ...inner, path: [...entry.path, ...inner.path] }))
    .flatMap((inner) => (inner.count === undefined ? jsonEntries(inner) : [inner]));
}

/** Returns a detail for each difference in a JSON string. */
export function jsonDetails(detail: Detail): readonly Detail[] {
  return detail.kind === "change" ? jsonChanges(detail.change).map((change) => ({ ...detail, change })) : [detail];
}

/** Returns the same for a change of a report. */
export function jsonChanges(change: ReportChange<unknown>): readonly ReportChange<unknown>[] {
  const { before, after, path } = change;
  const entries = jsonEntries({ path: [], before, after });
  if (entries.every((entry) => entry.path.length === 0)) return [change];
  return entries.map((entry) => {
    const inner = formatPath(entry.path);
    const joined = path === "" || inner.startsWith("[") ? `${path}${inner}` : `${path}.${inner}`;
    const { count } = entry;
    return { ...change, path: joined, before: entry.before, after: entry.after, ...(count !== undefined && { count }) };
  });
}

/** Number of the values in data that have no parts. */
function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + countValues(part), 0);
}

/** JSON of a string, and the text around it. */
interface JsonText {
  readonly data: unknown;
  readonly around: string;
}

/** Block of JSON in prose, as models write it. */
const BLOCK = /^([^]*?```\w*[^\S\n]*\n)([^]*?)(\n[^\S\n]*```[^]*)$/;
/** Integers that JSON.parse may round, so that their differences are lost. */
const LARGE = /[[:,]\s*-?\d{16,}/;

function dataOf(value: unknown): JsonText | undefined {
  if (typeof value !== "string") return undefined;
  const [, head = "", json = value, tail = ""] = BLOCK.exec(value) ?? [];
  if (!/^\s*[[{]/.test(json) || LARGE.test(json)) return undefined;
  const data = parsedJson(json) ?? parsedJson(`[${json.replaceAll(/\}\s*\n\s*\{/g, "},{")}]`);
  return isArray(data) || isPlainObject(data) ? { data, around: `${head}\n${tail}` } : undefined;
}
