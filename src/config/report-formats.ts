/** Formats of a run's report. */
export const REPORT_FORMATS = ["text", "json", "junit", "markdown", "github", "html"] as const;

/** Format of a run's report. */
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Report options of a project. */
export interface ReportSettings {
  readonly formats: readonly ReportFormat[];
  /** Relative to the project's root. */
  readonly directory?: string | undefined;
}

/** Default: the summary below the runner's own, without files. */
export const DEFAULT_REPORT: ReportSettings = { formats: [] };
