import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join, relative, resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { usesColors } from "../../explain/uses-colors.ts";
import { readFlag } from "../../kernel/environment.ts";
import { REPORT_FORMATS, type ReportFormat } from "../../explain/format-names.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { formatOf } from "../../reporter/formats/report-formats.ts";
import { renderReport } from "../../reporter/render-report.ts";
import { fileErrorMessage } from "../../kernel/error-message.ts";
import { isLedOut } from "../../kernel/files/real-directory.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CliIo } from "../terminal/io.ts";
import type { OptionSpec } from "../command.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { oneLine, printDocument, printLines } from "../terminal/print.ts";

/** Options of the commands that write a run in report formats. */
export const REPORT_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--format <format>",
    description: "format of the report (default: by the ending of --output, or text); repeatable with --output",
    choices: REPORT_FORMATS,
    repeatable: true,
  },
  {
    flags: "--output <path>",
    description: "file of the report, or directory for several reports (default: print the report)",
  },
];

/**
 * Reads `--format`. Without it, the ending of `--output` decides. The error is one sentence: the screen shows one
 * format.
 */
export function reportFormats(input: CommandInput): Result<readonly ReportFormat[], string> {
  const output = input.text("output");
  const formats = REPORT_FORMATS.filter((format) => input.list("format").includes(format));
  if (formats.length > 1 && output === undefined)
    return err(`${formats.length} formats can't be printed together. Pass --output <directory>.`);
  if (formats.length > 0) return ok(formats);
  const ending = extname(output ?? "");
  return ok([REPORT_FORMATS.find((format) => extname(formatOf(format).file) === ending) ?? "text"]);
}

interface Reports {
  readonly formats: readonly ReportFormat[];
  readonly input: CommandInput;
  readonly io: CliIo;
}

/** Prints a run in one format, or writes it to the files of `--output`. Returns one sentence on failure. */
export async function putReports(model: RunModel, { formats, input, io }: Reports): Promise<string | undefined> {
  const output = input.text("output");
  const [first = "text"] = formats;
  const { root } = cliPaths(io);
  const all = input.flag("verbose") || readFlag(io.environment, "VERITEST_VERBOSE");
  if (output === undefined) {
    const colors = usesColors(io.stdout.isTTY, io.environment);
    printDocument(io, await renderReport(first, model, { root, columns: io.stdout.columns, colors, all }));
    return undefined;
  }
  for (const { format, path } of outputFiles(formats, output, io.cwd)) {
    const problem = writeOutput(path, await renderReport(format, model, { root, all }), io);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Returns the files for `--output`: a single format goes to the named file; several, or a named directory, get the
 * usual names below it.
 */
function outputFiles(
  formats: readonly ReportFormat[],
  output: string,
  cwd: string,
): readonly { readonly format: ReportFormat; readonly path: string }[] {
  const path = resolve(cwd, output);
  const isDirectory =
    formats.length > 1 || /[\\/]$/.test(output) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return formats.map((format) => ({
    format,
    path: isDirectory ? join(path, formatOf(format).file) : path,
  }));
}

/** Writes a report, creating its directories, and reports its path. Returns one sentence on failure. */
function writeOutput(path: string, text: string, io: CliIo): string | undefined {
  if (isLedOut(path, io.cwd))
    return `${quote(path)} points outside this directory through a symbolic link. Pass the real path.`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (thrown) {
    return `${quote(path)} can't be written: ${fileErrorMessage(thrown)}.`;
  }
  printLines(io, [oneLine(`written  ${relative(io.cwd, path)}`)]);
  return undefined;
}
