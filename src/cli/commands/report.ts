import { resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import type { RunModel } from "../../explain/run-model.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { VERBOSE_OPTION } from "../common-options.ts";
import { REPORT_OPTIONS, putReports, reportFormats } from "../report/output-files.ts";
import { readRun } from "../report/run-files.ts";
import { printRefusal } from "../terminal/print.ts";

/** `veritest report`: writes a stored run in other formats. Its exit code doesn't depend on the run's result. */
export const reportCommand: CliCommand = {
  arguments: [{ name: "<run>", description: "a run.json that VERITEST_REPORT=json or veritest merge wrote" }],
  options: [
    ...REPORT_OPTIONS,
    VERBOSE_OPTION,
    { flags: "--serve", description: "open the page in your browser, to accept and reject changes" },
    { flags: "--port <number>", description: "port for --serve (default: a free port)" },
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
  const serves = input.flag("serve");
  const port = portOf(input);
  if (!port.ok) return printRefusal(io, port.error);
  // Only `--serve` loads the server.
  if (serves) {
    const { serveReport } = await import("../serve/serve-report.ts");
    return serveReport({ model, port: port.value, newerRun: () => newerRun(model, path) }, io);
  }
  const problem = await putReports(model, { formats: formats.value, input, io });
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

/** Returns the start of a newer run, if the file has one by now. */
function newerRun(model: RunModel, path: string): string | undefined {
  const file = readRun(path, path);
  return file.ok && file.value.startedAt > model.startedAt ? file.value.startedAt : undefined;
}
