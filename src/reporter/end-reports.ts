import type { ReportSettings } from "../config/report-formats.ts";
import { reportLine } from "./render-summary.ts";
import { planReports } from "./report-plan.ts";
import type { RunLeft } from "./run-report.ts";

/** What writing a run's reports has to say: lines for the screen, and what went wrong, a sentence each. */
export interface EndReports {
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

/**
 * Writes the reports of a run that are asked for; most runs ask for none, and make no model of themselves. `state` is
 * the project's state directory. Never throws.
 */
export async function writeEndReports(
  left: Omit<RunLeft, "endedAt">,
  settings: ReportSettings,
  state: string,
): Promise<EndReports> {
  const { root, environment } = left;
  const plan = planReports(settings, root, environment);
  if (!plan.ok) return { lines: [], problems: [plan.error] };
  if (plan.value.formats.length === 0 && plan.value.jobSummary === undefined) return { lines: [], problems: [] };
  // A large part of what there is to load, for some runs only.
  const { reportRun, writeReports } = await import("./reports.ts");
  const model = reportRun({ ...left, endedAt: Date.now() });
  const { columns, isTTY } = process.stdout;
  const written = await writeReports(model, plan.value, {
    state,
    columns: isTTY ? columns : 80,
    colors: isTTY && environment["NO_COLOR"] === undefined,
  });
  return { lines: [...written.files.map((path) => reportLine(path)), ...written.texts], problems: written.problems };
}
