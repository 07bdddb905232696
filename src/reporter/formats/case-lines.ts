import type { ReportCase } from "../run-model.ts";
import { changeLines } from "./change-lines.ts";
import { type Detail, detailsOf } from "./details-of.ts";
import { type TerminalLine, fits } from "./terminal-line.ts";

/** Changes of one case before the rest is only counted. */
const MAX_CHANGES = 10;
/** As wide as the longest class. */
const CLASS_WIDTH = 16;
/** Folders of a path that is shortened folder by folder; what has more is cut at its end. */
const MAX_FOLDERS = 32;

/** The lines of one case: its class and baseline, where it is tested, and what is to be told of it. */
export function caseLines(found: ReportCase, columns: number): TerminalLine[] {
  return [headLine(found, columns), ...detailsOf(found, MAX_CHANGES).flatMap((detail) => detailLines(detail, columns))];
}

function headLine({ kind, baseline, test }: ReportCase, columns: number): TerminalLine {
  const place = test === null ? "" : `  ${test.file}${test.line === null ? "" : `:${test.line}`}`;
  const line = (path: string, faint: string = ""): TerminalLine => ({
    indent: 2,
    spans: [
      { text: kind.padEnd(CLASS_WIDTH), tone: kind === "missing" ? "strong" : "alarm" },
      { text: `  ${path}`, tone: "plain" },
      { text: faint, tone: "faint" },
    ],
  });
  // What is dropped first is what can be found out: the test is named by the runner, folders repeat the step.
  const lines = [line(baseline, place), line(baseline), ...shorterPaths(baseline).map((path) => line(path))];
  return lines.find((one) => fits(one, columns)) ?? line(baseline);
}

/** A path without its first folders, the most of it first. */
function shorterPaths(path: string): string[] {
  const segments = path.split("/", MAX_FOLDERS + 2);
  return segments.length > MAX_FOLDERS
    ? []
    : segments.slice(1).map((_, index) => `…/${segments.slice(index + 1).join("/")}`);
}

function detailLines(detail: Detail, columns: number): TerminalLine[] {
  switch (detail.kind) {
    case "cause":
      return [{ indent: 4, spans: [{ text: detail.text, tone: "strong" }], wraps: true }];
    case "sentence":
      return [{ indent: 4, spans: [{ text: detail.text, tone: "plain" }], wraps: true }];
    case "remark":
      return [{ indent: 4, spans: [{ text: detail.text, tone: "faint" }], wraps: true }];
    case "change":
      return changeLines(detail.change, { lead: detail.lead, indent: 4, columns });
  }
}
