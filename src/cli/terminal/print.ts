import { printed } from "../../kernel/printed.ts";
import { escapeJson, escapeText } from "../../kernel/text.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { CliIo } from "./io.ts";

export { oneLine } from "../../kernel/printed.ts";

/** Prints lines of text that may come from a model. Escapes terminal control characters. */
export function printLines({ stdout }: CliIo, lines: readonly string[]): void {
  if (lines.length > 0) stdout.write(`${lines.map(escapeText).join("\n")}\n`);
}

/** Returns an `io` that drops the text for people: a command with `--json` prints JSON alone. */
export function textIo(io: CliIo, isJson: boolean): CliIo {
  return isJson ? { ...io, stdout: { write: () => true } } : io;
}

/** Prints data as JSON, safe for a terminal; it parses to the same data. With an `indent` of 0 it is one line. */
export function printJson({ stdout }: CliIo, data: unknown, indent = 2): void {
  stdout.write(`${escapeJson(JSON.stringify(data, undefined, indent))}\n`);
}

/** Prints a warning as one line. */
export function printWarning({ stderr }: CliIo, message: string): void {
  stderr.write(printed([`veritest: ${message}`]));
}

/** Prints one line on why a command did nothing, and returns its exit code (default: 2). */
export function printRefusal(io: CliIo, message: string, code: ExitCode = EXIT.usage): ExitCode {
  printWarning(io, message);
  return code;
}

/** Prints a document as it is: its renderer has made all that it shows safe, or a program reads it. */
export function printDocument({ stdout }: Pick<CliIo, "stdout">, document: string): void {
  stdout.write(document);
}

/** Passes on the output of a program, or a message of this one, as it is. */
export function printDiagnostics({ stderr }: Pick<CliIo, "stderr">, text: string): void {
  stderr.write(text);
}
