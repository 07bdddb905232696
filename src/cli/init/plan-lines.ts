import { editOf } from "../../diff/edit.ts";
import type { HandWork, PlannedFile } from "./plan-init.ts";

/** A configuration with more changed lines than this is shown by its name alone. */
const MAX_EDITS = 200;

/**
 * A file that is to be written, as a diff: all of a new one, of another the lines that change with one around them.
 * Not safe to print.
 */
export function fileLines({ path, before, after }: PlannedFile): string[] {
  if (before === undefined) return [`${path} (new)`, ...linesOf(after).map((line) => `  + ${line}`.trimEnd())];
  const edit = editOf(linesOf(before), linesOf(after));
  const steps = edit.filter(({ kind }) => kind !== "same").length > MAX_EDITS ? [] : edit;
  const near = (index: number): boolean =>
    [-1, 0, 1].some((offset) => (steps[index + offset]?.kind ?? "same") !== "same");
  const shown = steps.flatMap(({ kind, item }, index) => {
    if (near(index)) return [`  ${SIGNS[kind]} ${item}`.trimEnd()];
    return near(index - 1) && index < steps.length - 1 ? ["  …"] : [];
  });
  return [path, ...shown];
}

function linesOf(text: string): string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

/** What somebody has to write by hand. Not safe to print. */
export function handLines({ path, because, lines }: HandWork): string[] {
  return [`${path} is left as it is: ${because}. Write into it by hand:`, ...lines.map((line) => `  ${line}`)];
}
