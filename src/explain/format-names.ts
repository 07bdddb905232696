/**
 * Names of the report formats, in the order in which options and files list them. The formats are defined in
 * `reporter/formats/report-formats.ts`.
 */
export const REPORT_FORMATS = [
  // One a line, so that an addition is a line.
  "text",
  "json",
  "junit",
  "markdown",
  "github",
  "html",
] as const;

/** Name of a format of a run's report. */
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Narrows a name to a format's. */
export function isFormat(name: string): name is ReportFormat {
  return REPORT_FORMATS.some((format) => format === name);
}
