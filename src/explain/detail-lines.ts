import { formatSides } from "../kernel/diff/format-diff.ts";
import type { Detail } from "./detail.ts";
import { callText } from "./plain-lines.ts";
import type { ReportChange } from "./report-case.ts";
import { type LinePiece, type TerminalLine, type Tone, fits } from "./terminal-line.ts";
import { type LineRow, type TextChange, differAtStart, narrowed, textChange } from "./text-change.ts";
import type { WordChange } from "./word-changes.ts";
import { formatLocation } from "./wording.ts";

/** Characters from which a text is compared by words even if it fits. */
const LONG = 100;
/** Columns of the sign of a value on a separate line. */
const SIGN = 4;
/** Indentation of sentences, below the line of their case. */
const INDENT = 4;

/** Widths available for each part of a detail. */
export interface LineWidths {
  readonly columns: number;
  /** Columns that prose takes at most, however many there are. */
  readonly prose?: number | undefined;
  /** Characters of a value. */
  readonly value: number;
  /** Indentation of a change; the sign of an added or removed one is two columns before it. */
  readonly indent: number;
}

/** Returns the lines of one detail of a case. */
export function detailLines(detail: Detail, widths: LineWidths): TerminalLine[] {
  switch (detail.kind) {
    case "cause":
      return [sentenceLine(detail.text, "strong")];
    case "sentence":
      return [sentenceLine(detail.text, "plain")];
    case "remark":
      return [sentenceLine(detail.text, "faint")];
    case "outcome":
      return [outcomeLine(detail, widths.indent)];
    case "change":
      return changeLines(detail.lead, detail.change, widths);
  }
}

function sentenceLine(text: string, tone: Tone): TerminalLine {
  return { indent: INDENT, spans: [span(text, tone)], wraps: true };
}

function outcomeLine({ text, wrong }: Extract<Detail, { kind: "outcome" }>, indent: number): TerminalLine {
  return wrong
    ? { indent: indent - 2, spans: [span("! ", "alarm"), span(text)], wraps: true }
    : { indent, spans: [span(text)], wraps: true };
}

/**
 * Formats `path: before → after`, on two lines if that is too wide; a text of several lines or long prose by its
 * changed words.
 */
function changeLines(lead: string, change: ReportChange<unknown>, widths: LineWidths): TerminalLine[] {
  const { indent, columns } = widths;
  const call = callText(change, widths.value);
  if (call !== undefined) return [callLine(lead, call, indent)];
  const { before, after, cut } = change;
  const where = `${lead}${formatLocation(change)}`;
  const end: LinePiece[] = cut ? [span(" (cut)", "faint")] : [];
  if (before === undefined && after === undefined)
    return [{ indent, spans: [span(`${where} differs from its stored hash`)], wraps: true }];
  const [was, is] = formatSides(before, after, widths.value);
  if (before === undefined)
    return [{ indent: indent - 2, spans: [span("+ ", "added"), span(`${where}: `), span(is, "added"), ...end] }];
  if (after === undefined)
    return [{ indent: indent - 2, spans: [span("- ", "removed"), span(`${where}: `), span(was, "removed"), ...end] }];
  const spans = [span(`${where}: `), span(was, "removed"), span(" → ", "faint"), span(is, "added"), ...end];
  const narrow = fits({ indent, spans }, columns);
  const width = columns - indent - SIGN;
  const text = textChange(before, after, { long: narrow ? LONG : 0, width });
  if (text !== undefined)
    return [{ indent, spans: [span(`${where}: `), span(text.head), ...end] }, ...textLines(text, widths)];
  if (narrow) return [{ indent, spans }];
  const [old, current] = differAtStart([was, is], width) ? [was, is] : formatSides(before, after, narrowed(width));
  return [
    { indent, spans: [span(`${where}:`), ...end] },
    { indent: indent + 2, spans: [span("- ", "removed"), span(old, "removed")] },
    { indent: indent + 2, spans: [span("+ ", "added"), span(current, "added")] },
  ];
}

const SIGN_TONES = { "+": "added", "-": "removed", "": "plain" } as const;

function callLine(
  lead: string,
  { sign, text, end }: NonNullable<ReturnType<typeof callText>>,
  indent: number,
): TerminalLine {
  const tone = SIGN_TONES[sign];
  const signed = sign === "" ? [] : [span(`${sign} `, tone)];
  return {
    indent: sign === "" ? indent : indent - 2,
    spans: [...signed, span(`${lead}${text}`, tone), span(end, "faint")],
    wraps: true,
  };
}

function textLines(text: TextChange, { indent, prose }: LineWidths): TerminalLine[] {
  const rest = text.rest === "" ? [] : [{ indent: indent + 2, spans: [span(text.rest, "faint")] }];
  switch (text.kind) {
    case "lines":
      return [...text.rows.map((row) => rowLine(row, indent + 2)), ...rest];
    case "words":
      return [
        ...text.changes.map((change) => ({ indent: indent + 2, spans: wordSpans(change), wraps: true, within: prose })),
        ...rest,
      ];
  }
}

const SIGNS: Readonly<Record<LineRow["kind"], readonly [sign: string, tone: Tone]>> = {
  same: ["  ", "faint"],
  removed: ["- ", "removed"],
  added: ["+ ", "added"],
  hunk: ["", "faint"],
};

function rowLine({ kind, text }: LineRow, indent: number): TerminalLine {
  const [sign, tone] = SIGNS[kind];
  return { indent, spans: [span(`${sign}${text}`, tone)] };
}

function wordSpans({ word, lead, removed, added, trail }: WordChange): LinePiece[] {
  return [
    span(`word ${word}: `, "faint"),
    span(lead),
    ...(removed === "" ? [] : [span(`[-${removed}-]`, "removed")]),
    ...(added === "" ? [] : [span(`{+${added}+}`, "added")]),
    span(trail),
  ];
}

function span(text: string, tone: Tone = "plain"): LinePiece {
  return { text, tone };
}
