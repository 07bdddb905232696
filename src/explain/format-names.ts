/**
 * Names of the formats of a run's report, in the order of options and files. The configuration knows them by name
 * alone; their rows are in `reporter/formats/report-formats.ts`.
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
