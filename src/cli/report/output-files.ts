import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { quote } from "../../kernel/text.ts";
import type { ReportFormat } from "../../explain/report-formats.ts";
import { formatOf } from "../../reporter/formats/report-formats.ts";
import { fileErrorMessage } from "../../kernel/error-message.ts";
import { isLedOut } from "../../kernel/files/real-directory.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, printLines } from "../terminal/print.ts";

/** A report as a file. */
export interface OutputFile {
  readonly format: ReportFormat;
  /** Absolute. */
  readonly path: string;
}

/**
 * Returns the files for `--output`: a single format goes to the named file; several, or a named directory, get the
 * usual names below it.
 */
export function outputFiles(formats: readonly ReportFormat[], output: string, cwd: string): readonly OutputFile[] {
  const path = resolve(cwd, output);
  const isDirectory =
    formats.length > 1 || /[\\/]$/.test(output) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return formats.map((format) => ({
    format,
    path: isDirectory ? join(path, formatOf(format).file) : path,
  }));
}

/** Writes a report, creating its directories, and reports its path. Returns one sentence on failure. */
export function writeOutput(path: string, text: string, io: CliIo): string | undefined {
  if (isLedOut(path, io.cwd)) return `${quote(path)} leads out of this directory by a link: name the real path.`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (thrown) {
    return `${quote(path)} cannot be written: ${fileErrorMessage(thrown)}.`;
  }
  printLines(io, [oneLine(`written  ${relative(io.cwd, path)}`)]);
  return undefined;
}
