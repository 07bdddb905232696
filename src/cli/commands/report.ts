import { resolve } from "node:path";
import { statSync } from "node:fs";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { readHistory } from "../../reporter/run-history.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { VERBOSE_OPTION } from "../common-options.ts";
import { REPORT_OPTIONS, putReports, reportFormats } from "../report/output-files.ts";
import { readRun, runHistoryOf } from "../report/run-files.ts";
import { printRefusal } from "../terminal/print.ts";

/** `veritest report`: writes a stored run in other formats. Its exit code doesn't depend on the run's result. */
export const reportCommand: CliCommand = {
  arguments: [{ name: "<run>", description: "a run.json that VERITEST_REPORT=json or veritest merge wrote" }],
  options: [
    ...REPORT_OPTIONS,
    VERBOSE_OPTION,
    { flags: "--serve", description: "open the page in your browser, to accept and reject changes" },
    { flags: "--port <number>", description: "port for --serve (default: a free port)" },
    {
      flags: "--history <directory>",
      description: "directory of earlier runs for the page (default: the directory of this file)",
    },
  ],
  examples: [
    "veritest report veritest-report/run.json --format html --output report.html   # a page to share",
    "veritest report veritest-report/run.json --serve                              # accept and reject in the browser",
    "veritest report run.json --format markdown >> comment.md                 # without --output, it prints the report",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const formats = reportFormats(input);
  if (!formats.ok) return printRefusal(io, formats.error);
  const name = input.operands[0] ?? "";
  const path = resolve(io.cwd, name);
  const read = readRun(path, name);
  if (!read.ok) return printRefusal(io, read.error);
  const model = read.value;
  const directory = input.text("history");
  if (
    directory !== undefined &&
    statSync(resolve(io.cwd, directory), { throwIfNoEntry: false })?.isDirectory() !== true
  )
    return printRefusal(io, `--history must be a directory of earlier runs, got ${quote(directory)}.`);
  const serves = input.flag("serve");
  const port = portOf(input);
  if (!port.ok) return printRefusal(io, port.error);
  const history = serves || formats.value.includes("html") ? historyOf(model, { path, directory }, io) : [];
  // Only `--serve` loads the server.
  if (serves) {
    const { serveReport } = await import("../serve/serve-report.ts");
    return serveReport({ model, history, port: port.value, newerRun: () => newerRun(model, path, io) }, io);
  }
  const problem = await putReports(model, { formats: formats.value, input, io, history });
  return problem === undefined ? EXIT.clean : printRefusal(io, problem);
}

function portOf(input: CommandInput): Result<number, string> {
  const text = input.text("port");
  if (text === undefined) return ok(0);
  if (!input.flag("serve")) return err("--port needs --serve: give both.");
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port > 0 && port < 65_536
    ? ok(port)
    : err(`--port must be a number from 1 to 65535, got ${quote(text)}.`);
}

function historyOf(
  model: RunModel,
  { path, directory }: { readonly path: string; readonly directory: string | undefined },
  io: CliIo,
): ReturnType<typeof runHistoryOf> {
  const remembered = readHistory(cliPaths(io).state);
  return runHistoryOf(model, {
    path,
    directory: directory === undefined ? undefined : resolve(io.cwd, directory),
    remembered,
  });
}

/** Returns the start of a newer run, if the file or the project's history has one by now. */
function newerRun(model: RunModel, path: string, io: CliIo): string | undefined {
  const file = readRun(path, path);
  const starts = readHistory(cliPaths(io).state).map(({ startedAt }) => startedAt);
  return [...starts, ...(file.ok ? [file.value.startedAt] : [])]
    .filter((start) => start > model.startedAt)
    .sort()
    .at(-1);
}
