import { escapeText } from "./text.ts";

/** A line of output whose names and texts may come from anywhere, or a document that its renderer made safe. */
export type OutputLine = string | { readonly rendered: string };

/**
 * Text that prints some lines: a line stays one line, and its control, bidi and invisible characters, and what begins a
 * command in the log of a CI job, are shown and not obeyed.
 */
export function printed(lines: readonly OutputLine[]): string {
  return `${lines.map((line) => (typeof line === "string" ? oneLine(line) : line.rendered)).join("\n")}\n`;
}

/** Returns a text as one line: escapes line breaks, tabs and control characters. */
export function oneLine(text: string): string {
  return escapeText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** Writes lines to the standard error of this process. */
export function printToStderr(lines: readonly OutputLine[]): void {
  process.stderr.write(printed(lines));
}
