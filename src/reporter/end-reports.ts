import { readFlag, readVariable } from "../kernel/environment.ts";
import { resolve } from "node:path";
import { type Result, err, ok } from "../kernel/result.ts";
import type { OutputLine } from "../kernel/printed.ts";
import { quote } from "../kernel/text.ts";
import type { ReportSettings } from "../config/config-schema.ts";
import { usesColors } from "../explain/uses-colors.ts";
import { REPORT_FORMATS, isFormat } from "../explain/format-names.ts";
import { reportLine } from "./runner-summary.ts";
import type { FinishedTestRun } from "./run-report.ts";
import type { ReportPlan } from "./write-reports.ts";

/** Result of writing a run's reports: lines for the screen, and problems, one sentence each. */
export interface EndReports {
  readonly lines: readonly OutputLine[];
  readonly problems: readonly string[];
  /** True if a page was written. */
  readonly hasPage: boolean;
}

/** Result of a run without reports. */
export const NO_REPORTS: EndReports = { lines: [], problems: [], hasPage: false };

/**
 * Settings of a run without a configuration. `VERITEST_REPORT` still names formats: tools that read run.json need the
 * error.
 */
export const NO_FORMATS: ReportSettings = { formats: [] };

/**
 * Writes the requested reports of a run. Most runs request none, and then no model is built. Never throws.
 */
export async function writeEndReports(
  left: Omit<FinishedTestRun, "endedAt">,
  settings: ReportSettings,
): Promise<EndReports> {
  const { root, environment } = left;
  const plan = planReports(settings, root, environment);
  if (!plan.ok) return { ...NO_REPORTS, problems: [plan.error] };
  if (plan.value.formats.length === 0 && plan.value.jobSummary === undefined) return NO_REPORTS;
  // Loaded lazily, because it's large and only some runs need it.
  const { reportRun } = await import("./run-report.ts");
  const { writeReports } = await import("./write-reports.ts");
  const { runSource } = await import("./run-source.ts");
  const source = runSource(root, environment, process.argv);
  const model = reportRun({ ...left, endedAt: Date.now(), source });
  const { columns, isTTY } = process.stdout;
  const written = await writeReports(model, plan.value, {
    area: root,
    columns: isTTY ? columns : 80,
    colors: usesColors(isTTY, environment),
    all: readFlag(environment, "VERITEST_VERBOSE"),
    isAnnotated: left.isAnnotated,
  });
  return {
    lines: [...written.files.map((path) => reportLine(path)), ...written.texts.map((rendered) => ({ rendered }))],
    problems: written.problems,
    hasPage: written.files.some((path) => path.endsWith(".html")),
  };
}

const DEFAULT_DIRECTORY = "veritest-report";

/**
 * Chooses the reports: `VERITEST_REPORT`, formats separated by commas (`none` for none), else the configuration. In
 * GitHub Actions also annotations and the job's summary. The error is a sentence about an unknown format.
 */
export function planReports(
  settings: ReportSettings,
  root: string,
  environment: NodeJS.ProcessEnv,
): Result<ReportPlan, string> {
  const named = readVariable(environment, "VERITEST_REPORT")
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "none");
  const unknown = named?.find((name) => !isFormat(name));
  if (unknown !== undefined)
    return err(
      `VERITEST_REPORT contains ${quote(unknown)}, which isn't a format. Use one of these: ` +
        `${REPORT_FORMATS.join(", ")}.`,
    );
  const onGithub = readVariable(environment, "GITHUB_ACTIONS") === "true";
  const requested = new Set([...(named ?? settings.formats), ...(onGithub ? ["github"] : [])]);
  const jobSummary = onGithub ? readVariable(environment, "GITHUB_STEP_SUMMARY") : undefined;
  const directory = readVariable(environment, "VERITEST_REPORT_DIR") ?? settings.directory ?? DEFAULT_DIRECTORY;
  return ok({
    formats: REPORT_FORMATS.filter((format) => requested.has(format)),
    directory: resolve(root, directory),
    jobSummary,
  });
}
