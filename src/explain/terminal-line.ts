import { truncate } from "../kernel/text.ts";
import { countCells, fitToCells, wrapToCells } from "../kernel/terminal-cells.ts";
import { shownLine } from "./shown-text.ts";

/** Role of a piece of a line, which a terminal may style. */
export type Tone = "plain" | "strong" | "faint" | "added" | "removed" | "alarm";

/** Piece of a line. Its text may be anything: it is escaped when it is rendered. */
export interface LinePiece {
  readonly text: string;
  readonly tone: Tone;
}

/** One line of a report, before the width of the screen is known. */
export interface TerminalLine {
  readonly indent: number;
  readonly spans: readonly LinePiece[];
  /** A line that is too wide is wrapped at spaces, for sentences. Default: cut, with an ellipsis. */
  readonly wraps?: boolean;
  /** Maximum number of columns, even on a wider screen. */
  readonly within?: number | undefined;
  /** Additional indentation of its later lines. */
  readonly hang?: number;
}

/** Screen for lines: its columns, and whether it shows colours. */
export interface Screen {
  readonly columns: number;
  readonly colors: boolean;
}

/** A line of a log that begins so is a command to GitHub Actions. */
const COMMAND = /^\s*::/;
const CODES: Readonly<Record<Tone, string>> = {
  plain: "",
  strong: "1",
  faint: "2",
  added: "32",
  removed: "31",
  alarm: "1;31",
};
/** Maximum number of code units in one cell: a character of two with three combining marks of two each. */
const UNITS_PER_CELL = 8;
/** Characters of a text that is broken into lines: a message, not a document. */
const MAX_WRAPPED = 2000;
const HANG = 2;
/** Marks on one character that `countCells` counts as no cell. */
const MAX_MARKS = 3;
/** Narrowest screen that is supported. */
const MIN_COLUMNS = 20;

/**
 * Returns the lines a screen shows for one: one, or more if it wraps. A text can't run commands of a terminal or of a
 * CI system's log.
 */
export function drawLine(line: TerminalLine, screen: Screen): string[] {
  const { indent, spans, wraps = false, within = Infinity, hang = HANG } = line;
  const columns = Math.max(Math.min(screen.columns, within), MIN_COLUMNS);
  const limit = wraps ? MAX_WRAPPED : columns * UNITS_PER_CELL;
  const safe = withoutCommand(
    spans.map(({ text, tone }) => ({ text: shownLine(wraps ? truncate(text, limit) : text.slice(0, limit)), tone })),
    wraps,
  );
  const lines = wraps
    ? wrapped(safe, { first: columns - indent, later: columns - indent - hang })
    : [cut(safe, columns - indent)];
  return lines.map((row, index) =>
    `${" ".repeat(indent + (index === 0 ? 0 : hang))}${joinedByTone(row)
      .map((span) => paint(span, screen.colors))
      .join("")}`.trimEnd(),
  );
}

/** Returns true if spans fit on one line of this width, after this indent. */
export function fits({ indent, spans }: TerminalLine, columns: number): boolean {
  let units = 0;
  for (const { text } of spans) units += text.length;
  // A line that is longer in code units may still be narrower in cells, but only with combining marks.
  return units + indent <= columns && indent + countCells(spans.map(({ text }) => shownLine(text)).join("")) <= columns;
}

/**
 * Escapes spans that together begin a command. Two colons may be from two spans: a step named `:` before `: 1 of 2`. A
 * line that wraps may break before any of them.
 */
function withoutCommand(spans: readonly LinePiece[], wraps: boolean): LinePiece[] {
  let before = "";
  return spans.map(({ text, tone }) => {
    const begins = COMMAND.test(before + text) && !COMMAND.test(before);
    const joins = begins || (wraps && before.endsWith(":"));
    before += text;
    if (begins && COMMAND.test(text)) return { text: disarmed(text), tone };
    return { text: joins ? text.replace(/^:/, "\\u003a") : text, tone };
  });
}

function disarmed(text: string): string {
  return text.replaceAll("::", ":\\u003a");
}

function cut(spans: readonly LinePiece[], columns: number): LinePiece[] {
  const whole = spans.map(({ text }) => text).join("");
  if (countCells(whole) <= columns) return [...spans];
  let limit = fitToCells(whole, columns).length - 1;
  const kept: LinePiece[] = [];
  for (const { text, tone } of spans) {
    kept.push({ text: text.slice(0, limit), tone });
    limit = Math.max(0, limit - text.length);
  }
  return [...kept, { text: "…", tone: "faint" }];
}

/** Breaks spans at spaces. Any line may begin with any word, so a word that could begin a command is escaped first. */
function wrapped(
  spans: readonly LinePiece[],
  { first, later }: { readonly first: number; readonly later: number },
): LinePiece[][] {
  const words = spans.flatMap(({ text, tone }) =>
    text.split(/(?<= )/).flatMap((word) => piecesOf(word, later).map((piece) => ({ text: piece, tone }))),
  );
  const lines: LinePiece[][] = [];
  let line: LinePiece[] = [];
  let count = 0;
  for (const word of words) {
    const width = lines.length === 0 ? first : later;
    if (count + cellsIn(word.text.trimEnd()) > width) {
      // A line isn't made of spaces alone; they are dropped if a word doesn't fit after them.
      if (line.some(({ text }) => text.trim() !== "")) lines.push(line);
      [line, count] = [[], 0];
    }
    line.push(word);
    count += cellsIn(word.text);
  }
  return [...lines, line].map(trimmedEnd);
}

/** Cells of a piece behind others: marks at its beginning may be too many there for the character before. */
function cellsIn(piece: string): number {
  return countCells(piece) + (/^[\p{Mn}\p{Me}]/u.test(piece) ? MAX_MARKS : 0);
}

function piecesOf(word: string, width: number): string[] {
  const wide = countCells(word.trimEnd()) > width;
  const safe = wide || COMMAND.test(word) ? disarmed(word) : word;
  return countCells(safe.trimEnd()) > width ? wrapToCells(safe, width) : [safe];
}

function trimmedEnd(line: readonly LinePiece[]): LinePiece[] {
  const last = line.findLastIndex(({ text }) => text.trim() !== "");
  return line.slice(0, last + 1).map((span, index) => (index === last ? { ...span, text: span.text.trimEnd() } : span));
}

/** Neighbours of one tone as one span, so that a log is not full of codes. */
function joinedByTone(line: readonly LinePiece[]): LinePiece[] {
  const joined: LinePiece[] = [];
  for (const span of line) {
    const last = joined.at(-1);
    if (last?.tone === span.tone) joined[joined.length - 1] = { text: last.text + span.text, tone: span.tone };
    else joined.push(span);
  }
  return joined;
}

function paint({ text, tone }: LinePiece, colors: boolean): string {
  const code = CODES[tone];
  return colors && code !== "" && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
}
