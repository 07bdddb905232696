import { relative } from "node:path";
import { mergeRuns } from "../../reporter/merge-runs.ts";
import type { RunModel } from "../../explain/run-model.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { VERBOSE_OPTION } from "../common-options.ts";
import { REPORT_OPTIONS, putReports, reportFormats } from "../report/output-files.ts";
import { readRun, runFiles } from "../report/run-files.ts";
import { printRefusal, oneLine, printLines } from "../terminal/print.ts";

/** `veritest merge`: merges the reports of a run's shards. The exit code is that of the complete run. */
export const mergeCommand: CliCommand = {
  arguments: [{ name: "<paths...>", description: "run.json of every shard, or directories that contain them" }],
  options: [...REPORT_OPTIONS, VERBOSE_OPTION],
  examples: [
    "veritest merge shards                                                # exit code 1 if a shard has a change",
    "veritest merge shards --format json --format markdown --output merged # merged/run.json and merged/report.md",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const formats = reportFormats(input);
  if (!formats.ok) return printRefusal(io, formats.error);
  const model = mergedModel(input.operands, io.cwd);
  if (typeof model === "string") return printRefusal(io, model);
  const problem = await putReports(model, { formats: formats.value, input, io });
  if (problem !== undefined) return printRefusal(io, problem);
  if (input.text("output") !== undefined) printLines(io, [oneLine(model.summary)]);
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
    models.push(read.value);
  }
  const merged = mergeRuns(models);
  return merged.ok ? merged.value : merged.error;
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
