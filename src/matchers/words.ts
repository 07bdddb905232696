import { escapeText, truncate } from "../base/text.ts";
import { formatEntry, formatValue } from "../diff/format-diff.ts";
import type { DiffEntry } from "../diff/entries.ts";
import { reviewLine } from "../explain/wording.ts";
import type { UpdateMode } from "./context.ts";

/** Lines of one baseline's changes before the rest is only counted. */
const MAX_LINES_PER_CASE = 10;
/** Characters of one value before the rest is only counted. */
const MAX_VALUE = 160;
/** Characters of one line: a path or a message may be as long as a value. */
const MAX_LINE = 500;

/** The command that shows what a test held: where nothing is written, only a state directory to upload holds it. */
export function reviewOf(mode: UpdateMode): string {
  return reviewLine(mode === "none" ? "upload" : "project");
}

/** The error of a baseline matcher under `.not`. */
export function explainNot(matcher: string): string {
  if (matcher === "toBePure") return "toBePure cannot be used with .not: a step that may vary needs no assertion.";
  const instead = 'Assert the difference itself, e.g. expect(result.value.output.total).not.toBe("9.00").';
  return `${matcher} cannot be used with .not: a baseline says what a result is, not what it is not. ${instead}`;
}

/** The lines of one diff, for the matchers that compare without a file. */
export function diffLines(entries: readonly DiffEntry[], max: number = MAX_LINES_PER_CASE): string[] {
  const shown = entries.slice(0, max).map((entry) => bounded(formatEntry(entry, MAX_VALUE)));
  const rest = entries.length - shown.length;
  return rest > 0 ? [...shown, `  … and ${rest} more ${rest === 1 ? "change" : "changes"}`] : shown;
}

/** A value on one line, safe to print and bounded. */
export function shownValue(value: unknown): string {
  return formatValue(value, MAX_VALUE);
}

/** An error's text, safe to print and bounded. */
export function shownError(text: string): string {
  return atMost(escapeText(text).split("\n").map(bounded), MAX_LINES_PER_CASE).join("\n");
}

/** The first `max` of some texts, and a count of those left out. */
export function atMost(texts: readonly string[], max: number): readonly string[] {
  return texts.length > max ? [...texts.slice(0, max), `… and ${texts.length - max} more`] : texts;
}

/** A line that is not too long to read: a path or a message may be as long as a value. */
export function bounded(line: string): string {
  return truncate(line, MAX_LINE);
}
