import { resolve } from "node:path";
import { statSync } from "node:fs";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { REPORT_FORMATS, type ReportFormat } from "../../explain/report-formats.ts";
import { formatOf } from "../../reporter/formats/report-formats.ts";
import { renderReport } from "../../reporter/render-report.ts";
import { readHistory } from "../../reporter/run-history.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { writeOutput } from "../report/output-files.ts";
import { readRun, runHistoryOf } from "../report/run-files.ts";
import { isVerbose, usesColors } from "../../explain/environment-preferences.ts";
import { printRefusal, printDocument } from "../terminal/print.ts";

/** Formats that are written to a file, the most used first, and formats that are printed. */
const FILES = REPORT_FORMATS.filter((name) => formatOf(name).isPrinted !== true).toReversed();
const PRINTED = REPORT_FORMATS.filter((name) => formatOf(name).isPrinted === true);

/** `veritest report`: writes a stored run in other formats. Its exit code doesn't depend on the run's result. */
export const reportCommand: CliCommand = {
  arguments: [{ name: "<run>", description: "a run.json, as VERITEST_REPORT=json or veritest merge writes it" }],
  options: [
    ...FILES.map((name) => ({ flags: `--${name} <file>`, description: formatOf(name).help })),
    ...PRINTED.map((name) => ({ flags: `--${name}`, description: formatOf(name).help })),
    { flags: "--all", description: "of --text, show each case, and not one of each kind of change" },
    { flags: "--serve", description: "show the page in a browser of this machine, and accept or reject in it" },
    { flags: "--port <number>", description: "of --serve (a free one)" },
    {
      flags: "--history <directory>",
      description: "directory of earlier runs, for the page (default: the files next to this one)",
    },
  ],
  examples: [
    "veritest report veritest-report/run.json --html report.html   # for somebody without a terminal",
    "veritest report veritest-report/run.json --serve                # accept and reject by clicks",
    "veritest report run.json --markdown - >> comment.md           # - is the screen",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const name = input.operands[0] ?? "";
  const path = resolve(io.cwd, name);
  const read = readRun(path, name);
  if (!read.ok) return printRefusal(io, read.error);
  const { model } = read.value;
  const directory = input.text("history");
  if (
    directory !== undefined &&
    statSync(resolve(io.cwd, directory), { throwIfNoEntry: false })?.isDirectory() !== true
  )
    return printRefusal(io, `--history takes a directory of earlier runs, not ${quote(directory)}.`);
  const requested = FILES.filter((format) => input.text(format) !== undefined);
  const serves = input.flag("serve");
  const port = portOf(input);
  if (!port.ok) return printRefusal(io, port.error);
  const history = serves || requested.includes("html") ? historyOf(model, { path, directory }, io) : [];
  for (const format of requested) {
    const file = input.text(format) ?? "";
    const text = await renderReport(format, model, { history, root: cliPaths(io).root });
    const problem = file === "-" ? print(text, io) : writeOutput(resolve(io.cwd, file), text, io);
    if (problem !== undefined) return printRefusal(io, problem);
  }
  // Only `--serve` loads the server.
  if (serves) {
    const { serveReport } = await import("../serve/serve-report.ts");
    return serveReport({ model, history, port: port.value, newerRun: () => newerRun(model, path, io) }, io);
  }
  for (const format of printedFormats(input, requested))
    printDocument(
      io,
      await renderReport(format, model, {
        root: cliPaths(io).root,
        columns: io.stdout.columns,
        colors: usesColors(io.stdout.isTTY, io.environment),
        all: input.flag("all") || isVerbose(io.environment),
      }),
    );
  return EXIT.clean;
}

function portOf(input: CommandInput): Result<number, string> {
  const text = input.text("port");
  if (text === undefined) return ok(0);
  if (!input.flag("serve")) return err("--port needs --serve: give both.");
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port > 0 && port < 65_536
    ? ok(port)
    : err(`--port takes a number from 1 to 65535, not ${quote(text)}.`);
}

function printedFormats(input: CommandInput, requested: readonly ReportFormat[]): readonly ReportFormat[] {
  const printed = PRINTED.filter((format) => input.flag(format));
  return requested.length + printed.length === 0 ? ["text"] : printed;
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
  return [...starts, ...(file.ok ? [file.value.model.startedAt] : [])]
    .filter((start) => start > model.startedAt)
    .sort()
    .at(-1);
}

function print(text: string, io: CliIo): undefined {
  printDocument(io, text);
}
