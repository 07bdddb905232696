import { printDocument } from "../terminal/print.ts";
import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import type { ReportFormat } from "../../explain/format-names.ts";
import { isLedOut } from "../../kernel/files/real-directory.ts";
import { replaceWithoutSync } from "../../kernel/files/durable.ts";
import { renderReport } from "../../reporter/render-report.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CliIo } from "../terminal/io.ts";

/** Destination of a report. */
export interface ReportTarget {
  readonly format: ReportFormat;
  /** As given on the command line; undefined for the screen. */
  readonly output: string | undefined;
}

/** Returns why a report can't be written to a file, before the run starts; undefined if it can. */
export function outputProblem(output: string | undefined, { cwd }: CliIo): string | undefined {
  if (output === undefined) return undefined;
  const isDirectory =
    output === "" || statSync(resolve(cwd, output), { throwIfNoEntry: false })?.isDirectory() === true;
  return isDirectory ? `--output must be a file, but ${quote(output)} is a directory.` : undefined;
}

/**
 * Prints a report, or writes it to its file atomically. Returns the file's path for messages. The error is one
 * sentence.
 */
export async function writeReport(
  model: RunModel,
  target: ReportTarget,
  io: CliIo,
): Promise<Result<string | undefined, string>> {
  const { format, output } = target;
  try {
    const text = await renderReport(format, model, { columns: 100, colors: false, root: cliPaths(io).root });
    if (output === undefined) {
      printDocument(io, text);
      return ok(undefined);
    }
    const path = resolve(io.cwd, output);
    if (isLedOut(path, io.cwd))
      return err(`${displayPath(path)} points outside this directory through a symbolic link. Pass the real path.`);
    mkdirSync(dirname(path), { recursive: true });
    replaceWithoutSync(path, text);
    return ok(displayPath(path));
  } catch (thrown) {
    return err(`Cannot write the report: ${messageOf(thrown)}`);
  }
}
