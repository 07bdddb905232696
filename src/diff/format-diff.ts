import { formatPath } from "../base/text.ts";
import { formatSides } from "./format-sides.ts";
import { formatValue } from "./format-value.ts";
import type { DiffEntry, DiffResult } from "./entries.ts";

export { formatValue } from "./format-value.ts";

/** How much of a diff is written. Both limits are off unless given. */
export interface FormatDiffOptions {
  /** The most entries to write; one last line counts the others. */
  readonly maxEntries?: number | undefined;
  /** The most UTF-16 code units to write of each value. */
  readonly maxValueLength?: number | undefined;
}

/**
 * Writes a diff for people, one line each: `  user.name: "A" → "B"` for a change, `+ data: {"a":2}` for what came,
 * `- name: "x"` for what went, `(no changes)` for none. Terminal-safe. Never throws.
 */
export function formatDiff(diff: DiffResult, options: FormatDiffOptions = {}): string {
  const { maxEntries = Infinity, maxValueLength } = options;
  const { length } = diff.entries;
  if (length === 0) return "(no changes)";
  const shown = diff.entries.slice(0, Math.max(0, maxEntries));
  const lines = shown.map((entry) => formatEntry(entry, maxValueLength));
  const left = length - shown.length;
  if (left > 0) lines.push(`  … and ${left} more ${left === 1 ? "change" : "changes"}`);
  return lines.join("\n");
}

/** Writes one entry as a line of `formatDiff`; keeps at most `maxValueLength` UTF-16 code units of each value. */
export function formatEntry({ path, before, after }: DiffEntry, maxValueLength: number = Infinity): string {
  const where = formatPath(path);
  if (before === undefined && after !== undefined) return `+ ${where}: ${formatValue(after, maxValueLength)}`;
  if (after === undefined && before !== undefined) return `- ${where}: ${formatValue(before, maxValueLength)}`;
  const [was, is] = formatSides(before, after, maxValueLength);
  return `  ${where}: ${was} → ${is}`;
}
