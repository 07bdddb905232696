import type { ReportCase } from "../../explain/report-case.ts";
import { detailLines } from "../../explain/detail-lines.ts";
import { REPORT_LIMITS, detailsOf } from "../../explain/case-details.ts";
import { type TerminalLine, fits } from "../../explain/terminal-line.ts";

/** Characters of a value: more than the widest screen shows. */
const MAX_VALUE = 1000;
/** As wide as the longest class. */
const CLASS_WIDTH = 16;
/** Folders of a path that is shortened folder by folder; what has more is cut at its end. */
const MAX_FOLDERS = 32;

/** Lines of one case: its class and baseline, the location of its test, and its findings. */
export function caseLines(reported: ReportCase, columns: number): TerminalLine[] {
  const width = { columns, value: MAX_VALUE, indent: 6 };
  return [
    headLine(reported, columns),
    ...detailsOf(reported, REPORT_LIMITS).flatMap((detail) => detailLines(detail, width)),
  ];
}

function headLine({ kind, baseline, test }: ReportCase, columns: number): TerminalLine {
  const location = test === null ? "" : `  ${test.file}${test.line === null ? "" : `:${test.line}`}`;
  const line = (path: string, faint: string = ""): TerminalLine => ({
    indent: 2,
    spans: [
      { text: kind.padEnd(CLASS_WIDTH), tone: kind === "missing" ? "strong" : "alarm" },
      { text: `  ${path}`, tone: "plain" },
      { text: faint, tone: "faint" },
    ],
  });
  // Drops first what the reader can look up: the runner names the test, and folders repeat the step.
  const lines = [line(baseline, location), line(baseline), ...shorterPaths(baseline).map((path) => line(path))];
  return lines.find((text) => fits(text, columns)) ?? line(baseline);
}

/** A path without its first folders, the most of it first. */
function shorterPaths(path: string): string[] {
  const segments = path.split("/", MAX_FOLDERS + 2);
  return segments.length > MAX_FOLDERS
    ? []
    : segments.slice(1).map((_, index) => `…/${segments.slice(index + 1).join("/")}`);
}
