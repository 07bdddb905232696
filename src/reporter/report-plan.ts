import { resolve } from "node:path";
import { type Result, err, ok } from "../base/result.ts";
import { quote } from "../base/text.ts";
import { REPORT_FORMATS, type ReportFormat, type ReportSettings } from "../config/report-formats.ts";

/** The variables that say for one run what a configuration says for all. */
const FORMATS_VARIABLE = "VERITEST_REPORT";
const DIRECTORY_VARIABLE = "VERITEST_REPORT_DIR";
const DEFAULT_DIRECTORY = "veritest-report";

/** The file names of the formats that are files. */
export const REPORT_FILES: Readonly<Partial<Record<ReportFormat, string>>> = {
  json: "run.json",
  junit: "junit.xml",
  markdown: "report.md",
  html: "report.html",
};

/** Where a run's report goes. */
export interface ReportPlan {
  /** In the order of `REPORT_FORMATS`, each once. */
  readonly formats: readonly ReportFormat[];
  /** Absolute; made when something is written. */
  readonly directory: string;
  /** The file a GitHub Actions job shows on its page, which gets the markdown too. */
  readonly jobSummary: string | undefined;
}

/**
 * Decides what is reported: `VERITEST_REPORT`, formats separated by commas (`none` for none), else the configuration;
 * in GitHub Actions also annotations and the job's summary. The error is a sentence about a format that is not known.
 */
export function planReports(
  settings: ReportSettings,
  root: string,
  environment: NodeJS.ProcessEnv,
): Result<ReportPlan, string> {
  const named = environment[FORMATS_VARIABLE]
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "none");
  const unknown = named?.find((name) => !isFormat(name));
  if (unknown !== undefined)
    return err(
      `${FORMATS_VARIABLE} names ${quote(unknown)}, which is no format. There are: ${REPORT_FORMATS.join(", ")}.`,
    );
  const onGithub = environment["GITHUB_ACTIONS"] === "true";
  const asked = new Set([...(named ?? settings.formats), ...(onGithub ? ["github"] : [])]);
  const jobSummary = onGithub ? environment["GITHUB_STEP_SUMMARY"] : undefined;
  const directory = environment[DIRECTORY_VARIABLE];
  return ok({
    formats: REPORT_FORMATS.filter((format) => asked.has(format)),
    directory: resolve(
      root,
      directory === undefined || directory === "" ? (settings.directory ?? DEFAULT_DIRECTORY) : directory,
    ),
    jobSummary: jobSummary === "" ? undefined : jobSummary,
  });
}

function isFormat(name: string): name is ReportFormat {
  return REPORT_FORMATS.some((format) => format === name);
}
