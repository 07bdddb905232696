import { typeName } from "../json/plain-data.ts";
import { prettyValue } from "../pretty.ts";
import { formatPath, sharedEnds, truncate } from "../text.ts";
import type { DiffEntry, DiffResult } from "./entries.ts";
import { formatValue } from "./format-value.ts";
import { escapeLookAlikes } from "./look-alikes.ts";

export { formatValue } from "./format-value.ts";

/** Limits of a formatted diff. Default: no limits. */
export interface FormatDiffOptions {
  /** Maximum number of entries to print. The last line counts the remaining entries. */
  readonly maxEntries?: number | undefined;
  /** Maximum length of each printed value, in UTF-16 code units. */
  readonly maxValueLength?: number | undefined;
}

/**
 * Formats a diff as text, one line for each entry: ` user.name: "A" → "B"` for a change, `+ data: {"a":2}` for an
 * addition, `- name: "x"` for a removal, and `(no changes)` if there are none. The text is safe for terminals. Never
 * throws.
 */
export function formatDiff(diff: DiffResult, options: FormatDiffOptions = {}): string {
  const { maxEntries = Infinity, maxValueLength } = options;
  const { length } = diff.entries;
  if (length === 0) return "(no changes)";
  const listed = diff.entries.slice(0, Math.max(0, maxEntries));
  const lines = listed.map((entry) => formatEntry(entry, maxValueLength));
  const left = length - listed.length;
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

/** Characters of what both sides have in common that are shown before the first difference. */
const AROUND = 30;

/**
 * Writes the two sides of a change for people, each of at most about `maxLength` UTF-16 code units, so that they never
 * read the same: long ones from a little before where they differ, those that look alike with their code points, and a
 * text and a Date or URL with what they are. Never throws.
 */
export function formatSides(
  before: unknown,
  after: unknown,
  maxLength: number = Infinity,
): readonly [before: string, after: string] {
  const [was, is] = [formatValue(before), formatValue(after)];
  const [old, now] = [typeName(before), typeName(after)];
  if (old !== now && (was === is || (was.startsWith('"') && is.startsWith('"')))) {
    const [left, right] = cutSides(was, is, maxLength);
    return [`${left} (${old})`, `${right} (${now})`];
  }
  // The difference of equal texts is beyond the printed part.
  return was === is
    ? cutSides(prettyValue(before, true), prettyValue(after, true), maxLength)
    : cutSides(was, is, maxLength);
}

/**
 * Cuts two different texts to about `maxLength` UTF-16 code units, so that their first difference is within: long ones
 * begin a little before it, and those that look alike have code points.
 */
export function cutSides(was: string, is: string, maxLength: number): readonly [before: string, after: string] {
  const start = startOf(was, is, maxLength);
  const [left, right] = escapeLookAlikes(was.slice(start), is.slice(start));
  const lead = start === 0 ? "" : `(+${start} characters) …`;
  // The rest may look alike, if its difference was one of several.
  const [old, current] = escapeLookAlikes(truncate(left, maxLength), truncate(right, maxLength));
  return [`${lead}${old}`, `${lead}${current}`];
}

/** Index from which both texts are shown: their beginning, unless the difference would be cut off. */
function startOf(was: string, is: string, maxLength: number): number {
  if (Math.max(was.length, is.length) <= maxLength) return 0;
  const { start: shared } = sharedEnds(was, is);
  if (shared < maxLength * 0.75) return 0;
  const start = Math.max(0, shared - Math.min(AROUND, Math.trunc(maxLength / 4)));
  // Not within a surrogate pair, nor within an escape.
  const text = was.slice(start, shared);
  return start + (/^(?:[\udc00-\udfff]|u?[0-9a-f]{1,4}(?=\\))/.exec(text)?.[0].length ?? 0);
}
