import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileErrorMessage } from "../kernel/error-message.ts";
import { displayPath } from "../baseline/baseline-library.ts";
import type { ReportFormat } from "../explain/format-names.ts";
import { formatOf } from "./formats/report-formats.ts";
import { isLedOut } from "../kernel/files/real-directory.ts";
import { replaceWithoutSync } from "../kernel/files/durable.ts";
import { renderReport } from "./render-report.ts";
import type { RunModel } from "../explain/run-model.ts";

/** Destinations of reports that aren't files. */
export interface ReportDestinations {
  /** Root of the project, which no link may lead a report out of. */
  readonly area: string;
  readonly columns: number;
  readonly colors: boolean;
  /** True if each case is shown, not an example of each group. */
  readonly all?: boolean;
  /** True if the runner annotates failed tests itself. */
  readonly isAnnotated?: boolean | undefined;
}

/** Written reports, and problems, one sentence each. */
export interface WrittenReports {
  /** Texts for the screen, in the order of the formats. */
  readonly texts: readonly string[];
  /** Absolute paths. */
  readonly files: readonly string[];
  readonly problems: readonly string[];
}

/** Writes a run's reports. Each is tried separately, so that a failed one doesn't hide the others. Never throws. */
export async function writeReports(
  model: RunModel,
  { formats, directory, jobSummary }: ReportPlan,
  destinations: ReportDestinations,
): Promise<WrittenReports> {
  const { area, columns, colors, all = false, isAnnotated = false } = destinations;
  const texts: string[] = [];
  const files: string[] = [];
  const problems: string[] = [];
  const render = async (format: ReportFormat): Promise<string> =>
    renderReport(format, model, { columns, colors, all, root: area, isAnnotated });
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      problems.push(`Cannot write ${what}: ${fileErrorMessage(thrown)}`);
    }
  };
  for (const format of formats) {
    const { file: name, isPrinted = false } = formatOf(format);
    await attempt(`the report ${isPrinted ? format : displayPath(join(directory, name))}`, async () => {
      const text = await render(format);
      if (isPrinted) {
        texts.push(text);
        return;
      }
      if (isLedOut(directory, area))
        throw new Error(`${displayPath(directory)} points outside this project through a symbolic link`);
      mkdirSync(directory, { recursive: true });
      replaceWithoutSync(join(directory, name), text);
      files.push(join(directory, name));
    });
  }
  if (jobSummary !== undefined)
    await attempt("the job summary", async () => appendFileSync(jobSummary, `${await render("markdown")}\n`));
  return { texts, files, problems };
}

/** Destinations of a run's report. */
export interface ReportPlan {
  /** In the order of `REPORT_FORMATS`, each once. */
  readonly formats: readonly ReportFormat[];
  /** Absolute; made when something is written. */
  readonly directory: string;
  /** The file a GitHub Actions job shows on its page, which gets the markdown too. */
  readonly jobSummary: string | undefined;
}
