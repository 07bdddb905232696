import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Result, err, ok } from "../../base/result.ts";
import { quote } from "../../base/text.ts";
import type { ReportFormat } from "../../config/report-formats.ts";
import { REPORT_FILES } from "../../reporter/write-reports.ts";
import { messageOf } from "../../base/thrown.ts";

/** The names of the formats that a run itself prints. */
const PRINTED: Readonly<Partial<Record<ReportFormat, string>>> = { text: "report.txt", github: "annotations.txt" };

/** A report as a file. */
export interface OutputFile {
  readonly format: ReportFormat;
  /** Absolute. */
  readonly path: string;
}

/**
 * Where `--output` puts formats: one into the file it names, several, or one where it names a directory, by their
 * usual names below it.
 */
export function outputFiles(formats: readonly ReportFormat[], output: string, cwd: string): readonly OutputFile[] {
  const path = resolve(cwd, output);
  const isDirectory =
    formats.length > 1 || /[\\/]$/.test(output) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return formats.map((format) => ({
    format,
    path: isDirectory ? join(path, REPORT_FILES[format] ?? PRINTED[format] ?? format) : path,
  }));
}

/** Writes a report, with the directories it needs. The error is one sentence for the user. */
export function writeOutput(path: string, text: string): Result<undefined, string> {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return ok(undefined);
  } catch (thrown) {
    return err(`${quote(path)} cannot be written: ${messageOf(thrown)}.`);
  }
}
