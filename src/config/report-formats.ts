/** The forms a run's report can be written in. */
export const REPORT_FORMATS = ["text", "json", "junit", "markdown", "github", "html"] as const;

/** A form a run's report can be written in. */
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** What a project says of reports. */
export interface ReportSettings {
  readonly formats: readonly ReportFormat[];
  /** Relative to the project's root. */
  readonly directory?: string | undefined;
}

/** What holds where a project says nothing: the summary below the runner's own, and nothing else. */
export const DEFAULT_REPORT: ReportSettings = { formats: [] };
