import { relative } from "node:path";
import { REPORT_FORMATS, type ReportFormat } from "../../explain/report-formats.ts";
import { usesColors } from "../../explain/environment-preferences.ts";
import { mergeRuns } from "../../reporter/merge-runs.ts";
import { renderReport } from "../../reporter/render-report.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { outputFiles, writeOutput } from "../report/output-files.ts";
import { readRun, runFiles } from "../report/run-files.ts";
import { printRefusal, oneLine, printLines, printDocument } from "../terminal/print.ts";

/** `veritest merge`: merges the reports of a run's shards. The exit code is that of the complete run. */
export const mergeCommand: CliCommand = {
  arguments: [{ name: "<paths...>", description: "run.json of every shard, or directories that contain them" }],
  options: [
    {
      flags: "--format <format>",
      description: "how to write it (text); may be repeated with --output",
      choices: REPORT_FORMATS,
      repeatable: true,
    },
    { flags: "--output <path>", description: "a file for one format, a directory for several; printed unless given" },
  ],
  examples: [
    "veritest merge shards                                                # exit code 1 if a shard has a change",
    "veritest merge shards --format json --format markdown --output merged # merged/run.json and merged/report.md",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const formats = REPORT_FORMATS.filter((format) => input.list("format").includes(format));
  const output = input.text("output");
  if (formats.length > 1 && output === undefined)
    return printRefusal(io, `${formats.length} formats would be mixed on one screen: give --output <directory>.`);
  const model = mergedModel(input.operands, io.cwd);
  if (typeof model === "string") return printRefusal(io, model);
  if (output === undefined) {
    printDocument(io, await rendered(formats[0] ?? "text", model, io));
    return exitOfRun(model);
  }
  for (const { format, path } of outputFiles(formats.length === 0 ? ["text"] : formats, output, io.cwd)) {
    const problem = writeOutput(path, await renderReport(format, model, { root: cliPaths(io).root }), io);
    if (problem !== undefined) return printRefusal(io, problem);
  }
  printLines(io, [oneLine(model.summary)]);
  return exitOfRun(model);
}

/** Returns the model of all runs, or one sentence on the error. */
function mergedModel(names: readonly string[], cwd: string): RunModel | string {
  const files = runFiles(names, cwd);
  if (!files.ok) return files.error;
  const models: RunModel[] = [];
  for (const path of files.value) {
    const read = readRun(path, relative(cwd, path));
    if (!read.ok) return read.error;
    models.push(read.value.model);
  }
  const merged = mergeRuns(models);
  return merged.ok ? merged.value : merged.error;
}

async function rendered(format: ReportFormat, model: RunModel, io: CliIo): Promise<string> {
  const { stdout, environment } = io;
  return renderReport(format, model, {
    root: cliPaths(io).root,
    columns: stdout.columns,
    colors: usesColors(stdout.isTTY, environment),
  });
}

/** Returns the exit code for the status of a run. */
function exitOfRun({ status }: Pick<RunModel, "status">): ExitCode {
  switch (status) {
    case "pass":
      return EXIT.clean;
    case "fail":
      return EXIT.regressions;
    case "error":
      return EXIT.usage;
  }
}
