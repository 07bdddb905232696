import { type Token, partners, tokenize } from "./tokenize.ts";

/** A configuration file, read into tokens. */
export interface SourceCode {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The index of each bracket's partner. */
  readonly pairs: ReadonlyMap<number, number>;
}

/** Reads a source text; undefined where its brackets, texts or comments do not end. */
export function readSource(text: string): SourceCode | undefined {
  const tokens = tokenize(text);
  const pairs = tokens === undefined ? undefined : partners(tokens);
  return tokens === undefined || pairs === undefined ? undefined : { text, tokens, pairs };
}

/** Whether a text literal of the source is exactly this. */
export function holdsText({ tokens }: SourceCode, value: string): boolean {
  return tokens.some(({ kind, text }) => kind === "text" && text.slice(1, -1) === value);
}

/** The line break that a text uses. */
export function lineBreakOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The blanks that begin the line in which an offset lies. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

/** Whether two offsets lie in one line. */
export function sameLine(text: string, from: number, to: number): boolean {
  return !text.slice(from, to).includes("\n");
}
