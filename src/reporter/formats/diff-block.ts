import { truncate } from "../../kernel/text.ts";
import { formatSides } from "../../kernel/diff/format-diff.ts";
import { formatValue } from "../../kernel/diff/format-value.ts";
import type { ReportCase, ReportChange } from "../../explain/report-case.ts";
import { REPORT_LIMITS, detailsOf } from "../../explain/case-details.ts";
import { plainChange, plainLine } from "../../explain/plain-lines.ts";
import { type LineRow, type TextChange, textChange } from "../../explain/text-change.ts";
import type { WordChange } from "../../explain/word-changes.ts";
import { formatLocation } from "../../explain/wording.ts";

/** Changes of one case, and characters of a value. */
const MAX_CHANGES = 20;
const MAX_VALUE = 300;
/** Characters of a changed row: with the numbers of those that are left out it is a value. */
const MAX_ROW = 250;
/** Characters from which a text is compared by words. */
const LONG = 60;

/**
 * The details of a case as a fenced block of markdown, in which `-` and `+` begin removed and added lines. The fence is
 * longer than any within it, and every line within begins with a sign or a space: no text ends the block. A grid is a
 * separate table.
 */
export function diffBlock(reported: ReportCase): string {
  const { findings } = reported;
  const withoutGrid = { ...reported, findings: findings && { ...findings, grid: null } };
  const lines = detailsOf(withoutGrid, { ...REPORT_LIMITS, changes: MAX_CHANGES }).flatMap((detail) => {
    if (detail.kind !== "change") return [`  ${detail.text}`];
    const { lead, change, role } = detail;
    return role === "tolerated" ? [`  ${plainChange(lead, change)}`] : changeLines(lead, change);
  });
  return lines.length === 0 ? "" : fenced("diff", lines.map(plainLine));
}

/** Lines as a fenced block of markdown. They must be safe to show. */
export function fenced(language: string, lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  const fence = "`".repeat(Math.max(3, 1 + Math.max(0, ...runs.map(({ length }) => length))));
  return `${fence}${language}\n${lines.join("\n")}\n${fence}\n`;
}

function changeLines(lead: string, change: ReportChange<unknown>): string[] {
  const { before, after, cut } = change;
  const where = `${lead}${formatLocation(change)}`;
  const end = cut ? " (cut)" : "";
  if (before === undefined && after === undefined) return [`  ${where} differs from its stored hash`];
  if (before === undefined) return [`+ ${where}: ${formatValue(after, MAX_VALUE)}${end}`];
  if (after === undefined) return [`- ${where}: ${formatValue(before, MAX_VALUE)}${end}`];
  const text = textChange(before, after, { long: LONG, width: MAX_ROW });
  if (text !== undefined) return [`! ${where}: ${text.head}${end}`, ...textLines(text)];
  const [was, is] = formatSides(before, after, MAX_VALUE);
  return [`- ${where}: ${was}${end}`, `+ ${where}: ${is}${end}`];
}

function textLines(text: TextChange): string[] {
  const rest = text.rest === "" ? [] : [`    ${text.rest}`];
  switch (text.kind) {
    case "lines":
      return [...text.rows.map(lineRow), ...rest];
    case "words":
      return [...text.changes.map(wordChangeLine), ...rest];
  }
}

function lineRow({ kind, text }: LineRow): string {
  const signs = { same: " ", removed: "-", added: "+", hunk: " " } as const;
  return `${signs[kind]}     ${truncate(text, MAX_VALUE)}`;
}

function wordChangeLine({ word, lead, removed, added, trail }: WordChange): string {
  const marked = `${removed === "" ? "" : `[-${removed}-]`}${added === "" ? "" : `{+${added}+}`}`;
  return `    word ${word}: ${truncate(`${lead}${marked}${trail}`, MAX_VALUE)}`;
}
