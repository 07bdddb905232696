import { printable } from "../../kernel/terminal-cells.ts";
import { formatPath, truncate } from "../../kernel/text.ts";
import type { Baseline } from "../../baseline/baseline.ts";
import { namesOfUnnamed } from "../../check/compare/unnamed-fields.ts";
import { numberedLike } from "../../baseline/number-placeholders.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { diff } from "../../kernel/diff/diff.ts";
import { type EditStep, editOf } from "../../kernel/diff/edit.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { LINE_WIDTH } from "../../explain/check-lines.ts";
import type { ChangeDetail, Detail } from "../../explain/detail.ts";
import { detailLines } from "../../explain/detail-lines.ts";
import { jsonDetails } from "../../explain/json-changes.ts";
import { foldDetails } from "../../explain/fold-lines.ts";
import { plainChange } from "../../explain/plain-lines.ts";
import type { ReportChange } from "../../explain/report-case.ts";
import { drawLine } from "../../explain/terminal-line.ts";
import { type LineRow, textChange } from "../../explain/text-change.ts";
import { withToolNames } from "../../record/calls/tool-names.ts";
import type { BodyLine, ReviewTone } from "./paint.ts";

/** Number of lines of one change before the rest is counted: a key shows all of it. */
const MAX_LINES = 2000;
/** Maximum characters of one value. */
const MAX_VALUE = 2000;
/** Maximum characters of one line: a path may be as long as a value. */
const MAX_LINE = 5000;

/**
 * Computes the differences of two baselines for a review from their texts only, because a pending update's own claims
 * aren't trusted. Compares arrays by position: only a running step knows their keys.
 */
export function compareTexts(before: string | undefined, after: string | undefined, file: string): BodyLine[] {
  const numbered = after === undefined ? undefined : numberedLike(before, after);
  const [old, next] = [before, numbered].map((text) => (text === undefined ? undefined : parseBaseline(text, file)));
  if (next === undefined)
    return old?.ok === true ? contentLines(old.value, { sign: "- ", tone: "removed" }) : problemLine(old?.error);
  if (!next.ok) return problemLine(next.error);
  if (old === undefined) return contentLines(next.value, { sign: "+ ", tone: "added" });
  if (!old.ok) return [...problemLine(old.error), ...contentLines(next.value, { sign: "+ ", tone: "added" })];
  const parts = comparedParts(next.value);
  const entries = diff(comparedParts(old.value), parts).entries.map((entry) => withToolNames(entry, parts));
  if (entries.length === 0) return [{ text: "    the content is the same; only stored hashes differ", tone: "plain" }];
  const details = foldDetails(entries.map(detailOf).flatMap(jsonDetails));
  const lines: BodyLine[] = [];
  for (const [index, detail] of details.entries()) {
    if (lines.length >= MAX_LINES)
      return [...lines, { text: `    … and ${details.length - index} more changes`, tone: "faint" }];
    if (detail.kind === "change") lines.push(...(isCall(detail) ? callLines(detail) : changeLines(detail.change)));
    else lines.push({ text: `    ${printable(truncate(detail.text, MAX_LINE))}`, tone: "changed" });
  }
  return lines;
}

function detailOf({ path: all, before, after }: DiffEntry): Detail {
  const [head, ...rest] = all;
  const path = formatPath(head === "output" && rest.length > 0 ? rest : all);
  return { kind: "change", lead: "", change: { part: "output", path, before, after, cut: false }, role: "changed" };
}

function isCall({ change }: ChangeDetail): boolean {
  return /^calls(?:\[|$)/.test(change.path);
}

/** Renders a difference of recorded calls as a test does. The full text has all of their requests and responses. */
function callLines(detail: ChangeDetail): BodyLine[] {
  return detailLines(detail, LINE_WIDTH)
    .flatMap((line) => drawLine(line, { columns: LINE_WIDTH.columns, colors: false }))
    .map(withTone);
}

/** Renders one difference: the changed lines of a multi-line text, or both values on one line. */
function changeLines(change: ReportChange<unknown>): BodyLine[] {
  const { path, before, after } = change;
  const text = textChange(before, after, { long: Infinity, rows: MAX_LINES, width: MAX_LINE });
  if (text?.kind !== "lines") {
    const isOneSided = before === undefined || after === undefined;
    return [withTone(`  ${isOneSided ? "" : "  "}${plainChange("", change, MAX_VALUE)}`)];
  }
  return [
    { text: `    ${printable(truncate(`${path}: ${text.head}`, MAX_LINE))}`, tone: "changed" },
    ...text.rows.map(({ kind, text: row }): BodyLine => {
      const [sign, tone] = ROWS[kind];
      return { text: `      ${sign}${printable(truncate(row, MAX_LINE))}`, tone };
    }),
    ...(text.rest === "" ? [] : [{ text: `      ${text.rest}`, tone: "faint" } as const]),
  ];
}

const ROWS = {
  same: ["  ", "plain"],
  removed: ["- ", "removed"],
  added: ["+ ", "added"],
  hunk: ["", "faint"],
} as const satisfies Readonly<Record<LineRow["kind"], readonly [string, ReviewTone]>>;

/** Returns a line of a diff with the tone of its sign: `+ path: value`, `- path: value`, `  path: before → after`. */
export function withTone(line: string): BodyLine {
  const text = printable(truncate(line, MAX_LINE));
  const sign = text.trimStart()[0];
  if (sign === "+") return { text, tone: "added" };
  if (sign === "-") return { text, tone: "removed" };
  return { text, tone: text.includes(" → ") ? "changed" : "plain" };
}

/** Returns everything a reader of a change has to see. The hashes follow from it. */
export function comparedParts(baseline: Baseline): object {
  const { labels, meta } = baseline;
  if (baseline.kind === "value") return { output: baseline.value, labels, meta };
  const { input, output, commands, events, calls, workflow, artifacts } = baseline;
  // The names of output fields that the schema drops.
  const unnamed = namesOfUnnamed(artifacts);
  const parts = { output, commands, events, input, calls, workflow, labels, meta };
  return unnamed.length === 0 ? parts : { ...parts, unnamed };
}

function contentLines(
  baseline: Baseline,
  { sign, tone }: { readonly sign: string; readonly tone: ReviewTone },
): BodyLine[] {
  const content = baseline.kind === "value" ? baseline.value : baseline.output;
  const commands =
    baseline.kind === "step" && baseline.commands.length > 0 ? [`commands: ${JSON.stringify(baseline.commands)}`] : [];
  const all = [...(JSON.stringify(content, undefined, 2) ?? "").split("\n"), ...commands];
  const lines = all
    .slice(0, MAX_LINES)
    .map((line): BodyLine => ({ text: `  ${sign}${printable(truncate(line, MAX_LINE))}`, tone }));
  return all.length > lines.length
    ? [...lines, { text: `    … and ${all.length - lines.length} more lines`, tone: "faint" }]
    : lines;
}

function problemLine(problem: string | undefined): BodyLine[] {
  return [{ text: `    ${printable(problem ?? "This change doesn't have a text to show.")}`, tone: "strong" }];
}

/** Maximum lines of a full text, and characters of each. */
const WHOLE_LINES = 20_000;
const WHOLE_LINE = 4000;

/** Merges both full texts of a change: common lines appear once, changed lines with their old form. */
export function fullText(before: string | undefined, after: string | undefined): BodyLine[] {
  return bounded(editOf(linesOf(before), linesOf(after)));
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.replace(/\n$/, "").split("\n");
}

function bounded(steps: readonly EditStep[]): BodyLine[] {
  const lines = steps.slice(0, WHOLE_LINES).map(({ kind, item }): BodyLine => {
    const [sign, tone] = ROWS[kind];
    return { text: `${sign}${printable(truncate(item, WHOLE_LINE))}`, tone };
  });
  return steps.length > lines.length
    ? [...lines, { text: `… and ${steps.length - lines.length} more lines`, tone: "faint" }]
    : lines;
}
