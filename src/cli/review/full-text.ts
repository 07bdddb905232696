import { truncate } from "../../base/text.ts";
import { type EditStep, editOf } from "../../diff/edit.ts";
import type { BodyLine, Tone } from "./body-line.ts";
import { printable } from "../../base/cells.ts";

/** Lines that are shown of a text, and characters of each. */
const MAX_LINES = 20_000;
const MAX_LINE = 4000;

/** Both whole texts of a change as one: lines that both have are there once, the others with what they were. */
export function fullText(before: string | undefined, after: string | undefined): BodyLine[] {
  return bounded(editOf(linesOf(before), linesOf(after)));
}

const LOOKS: Readonly<Record<EditStep["kind"], readonly [sign: string, tone: Tone]>> = {
  same: ["  ", "plain"],
  removed: ["- ", "removed"],
  added: ["+ ", "added"],
};

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.replace(/\n$/, "").split("\n");
}

function bounded(steps: readonly EditStep[]): BodyLine[] {
  const shown = steps.slice(0, MAX_LINES).map(({ kind, item }): BodyLine => {
    const [sign, tone] = LOOKS[kind];
    return { text: `${sign}${printable(truncate(item, MAX_LINE))}`, tone };
  });
  return steps.length > shown.length
    ? [...shown, { text: `… and ${steps.length - shown.length} more lines`, tone: "faint" }]
    : shown;
}
