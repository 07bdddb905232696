import { truncate } from "../../base/text.ts";
import type { BodyLine, Tone } from "./body-line.ts";
import { printable } from "../../base/cells.ts";

/** Lines that are shown of a text, and characters of each. */
const MAX_LINES = 20_000;
const MAX_LINE = 4000;

/**
 * Both whole texts of a change as one: what they begin and end with alike is there once, what is between first as it
 * was, then as it is to be.
 */
export function fullText(before: string | undefined, after: string | undefined): BodyLine[] {
  const [old, next] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, next.length);
  let head = 0;
  while (head < most && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  return bounded([
    ...toned(old.slice(0, head), "  ", "plain"),
    ...toned(old.slice(head, old.length - tail), "- ", "removed"),
    ...toned(next.slice(head, next.length - tail), "+ ", "added"),
    ...toned(next.slice(next.length - tail), "  ", "plain"),
  ]);
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.replace(/\n$/, "").split("\n");
}

interface RawLine {
  readonly raw: string;
  readonly sign: string;
  readonly tone: Tone;
}

function toned(lines: readonly string[], sign: string, tone: Tone): RawLine[] {
  return lines.map((raw) => ({ raw, sign, tone }));
}

function bounded(lines: readonly RawLine[]): BodyLine[] {
  const shown = lines
    .slice(0, MAX_LINES)
    .map(({ raw, sign, tone }): BodyLine => ({ text: `${sign}${printable(truncate(raw, MAX_LINE))}`, tone }));
  return lines.length > shown.length
    ? [...shown, { text: `… and ${lines.length - shown.length} more lines`, tone: "faint" }]
    : shown;
}
