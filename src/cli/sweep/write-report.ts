import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/thrown.ts";
import { displayPath } from "../../baseline/library.ts";
import type { ReportFormat } from "../../config/report-formats.ts";
import { replaceFile } from "../../kernel/files/durable.ts";
import { renderReport } from "../../reporter/render-report.ts";
import { readHistory } from "../../reporter/run-history.ts";
import type { RunModel } from "../../explain/run-model.ts";
import type { CliIo } from "../terminal/io.ts";

/** Where a report goes. */
export interface ReportTarget {
  readonly format: ReportFormat;
  /** As it was given; undefined for the screen. */
  readonly output: string | undefined;
  /** The project's state directory, which remembers earlier runs. */
  readonly state: string;
}

/**
 * Why a report could not be put into a file, told before anything is run; undefined where nothing speaks against it.
 */
export function outputProblem(output: string | undefined, { cwd }: CliIo): string | undefined {
  if (output === undefined) return undefined;
  const isDirectory =
    output === "" || statSync(resolve(cwd, output), { throwIfNoEntry: false })?.isDirectory() === true;
  return isDirectory ? `--output takes a file, and ${quote(output)} is a directory.` : undefined;
}

/**
 * Prints a report, or puts it into its file, whole or not at all. Gives the file as people know it; one sentence
 * where that fails.
 */
export async function writeReport(
  model: RunModel,
  target: ReportTarget,
  io: CliIo,
): Promise<Result<string | undefined, string>> {
  const { format, output, state } = target;
  try {
    const history = format === "html" ? readHistory(state) : [];
    const text = await renderReport(format, model, { columns: 100, colors: false, history });
    if (output === undefined) {
      io.stdout.write(text);
      return ok(undefined);
    }
    const path = resolve(io.cwd, output);
    mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, text);
    return ok(displayPath(path));
  } catch (thrown) {
    return err(`The report could not be written: ${messageOf(thrown)}`);
  }
}
