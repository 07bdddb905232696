import { truncate } from "../kernel/text.ts";
import { formatSides } from "../kernel/diff/format-diff.ts";
import { formatValue } from "../kernel/diff/format-value.ts";
import { REPORT_LIMITS, detailsOf } from "./case-details.ts";
import type { Detail } from "./detail.ts";
import type { ReportCase, ReportChange } from "./report-case.ts";
import { shownLine } from "./shown-text.ts";
import { formatLocation } from "./wording.ts";

/** Characters of a value and of a line. */
const MAX_VALUE = 200;
const MAX_LINE = 500;

/**
 * Returns the findings of a case in plain lines, with at most `maxChanges` changes: each line is safe to show and
 * bounded.
 */
export function plainLines(reportCase: ReportCase, maxChanges: number): string[] {
  return detailsOf(reportCase, { ...REPORT_LIMITS, changes: maxChanges })
    .flatMap(textsOf)
    .map(plainLine);
}

function textsOf(detail: Detail): readonly string[] {
  switch (detail.kind) {
    case "change":
      return [plainChange(detail.lead, detail.change)];
    case "outcome":
      return [`${detail.wrong ? "! " : ""}${detail.text}`];
    case "cause":
    case "sentence":
    case "remark":
      return [detail.text];
  }
}

/** Any text as one plain line: safe to show and bounded. */
export function plainLine(text: string): string {
  return shownLine(truncate(text, MAX_LINE));
}

/** Formats a change on one line, after the text before its path. Not yet safe to show: its path may be anything. */
export function plainChange(lead: string, change: ReportChange<unknown>, max: number = MAX_VALUE): string {
  const call = callText(change, max);
  if (call !== undefined) return `${call.sign === "" ? "" : `${call.sign} `}${lead}${call.text}${call.end}`;
  const { before, after } = change;
  const where = `${lead}${formatLocation(change)}`;
  const end = change.cut ? " (cut)" : "";
  if (before === undefined && after === undefined) return `${where} differs from its stored hash`;
  if (before === undefined) return `+ ${where}: ${formatValue(after, max)}${end}`;
  if (after === undefined) return `- ${where}: ${formatValue(before, max)}${end}`;
  const [was, is] = formatSides(before, after, max);
  return `${where}: ${was} → ${is}${end}`;
}

/** Describes a call that was added, removed or moved; undefined for any other change, which has two sides. */
export function callText(
  { call, path, before, after }: ReportChange<unknown>,
  max: number,
): { readonly sign: "+" | "-" | ""; readonly text: string; readonly end: string } | undefined {
  const times = call === undefined || call.times === 1 ? "" : ` × ${call.times}`;
  // Requests to models aren't compared, but those of a model for an unknown tool are.
  const role = call?.role === "model" ? "requested by the model" : call?.role;
  switch (call?.kind) {
    case undefined:
    case "changed":
      return undefined;
    case "added":
      return { sign: "+", text: `${path}(${formatValue(after, max)})${times}`, end: `  ${role}, new` };
    case "removed":
      return { sign: "-", text: `${path}(${formatValue(before, max)})${times}`, end: `  ${role}, gone` };
    case "moved":
      return { sign: "", text: `${path} moved ${call.movedTo ?? ""}`, end: "" };
  }
}
