import { escapeJson, escapeText } from "../../kernel/text.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { CliIo } from "./io.ts";

/** Prints lines of text that may come from a model. Escapes terminal control characters. */
export function printLines({ stdout }: CliIo, lines: readonly string[]): void {
  if (lines.length > 0) stdout.write(`${lines.map(escapeText).join("\n")}\n`);
}

/** Prints data as indented JSON, safe for a terminal; it parses to the same data. */
export function printJson({ stdout }: CliIo, data: unknown): void {
  stdout.write(`${escapeJson(JSON.stringify(data, undefined, 2))}\n`);
}

/** Prints a warning as one line. */
export function printWarning({ stderr }: CliIo, message: string): void {
  stderr.write(`veritest: ${oneLine(message)}\n`);
}

/** Prints one line on why a command did nothing, and returns its exit code (default: 2). */
export function printRefusal(io: CliIo, message: string, code: ExitCode = EXIT.usage): ExitCode {
  printWarning(io, message);
  return code;
}

/** Returns a text as one line: escapes line breaks, tabs and control characters. */
export function oneLine(text: string): string {
  return escapeText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
