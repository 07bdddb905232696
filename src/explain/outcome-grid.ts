import type { ReportGrid, ReportGridCell } from "./report-case.ts";
import { counted, formatCount } from "./wording.ts";

/** One outcome of a grid, with the names of its row and its column. Untrusted texts. */
export interface GridOutcome extends ReportGridCell {
  readonly row: string;
  readonly column: string;
}

/** Fields that a grid and a report's grid have in common. */
interface Row {
  readonly cells: readonly (Pick<ReportGridCell, "before" | "wrong"> | null)[];
}

/**
 * Returns the outcomes that are wrong or differ from the accepted ones, new ones first and the wrong ones of those
 * before the rest, because a short list shows only the first.
 */
export function notableOutcomes(grid: ReportGrid): GridOutcome[] {
  const rank = ({ before, wrong }: GridOutcome): number => (before === undefined ? 2 : 0) + (wrong ? 0 : 1);
  return outcomesOf(grid)
    .filter(isNotable)
    .toSorted((a, b) => rank(a) - rank(b));
}

/** Returns the outcomes that no step should have, accepted or not. */
export function wrongOutcomes(grid: ReportGrid | null | undefined): GridOutcome[] {
  return grid === null || grid === undefined ? [] : notableOutcomes(grid).filter(({ wrong }) => wrong);
}

/** One outcome in words: `tools.pay#1 × crash-after-effect: wrote twice (was: same)`. Not yet safe to show. */
export function outcomeText({ row, column, text, before }: GridOutcome): string {
  return `${row} × ${column}: ${text}${before === undefined ? "" : ` (was: ${before})`}`;
}

/** Counts outcomes: `15 outcomes: 1 wrong, 2 changed`. `sign` also marks the wrong ones. */
export function outcomeCounts(grid: ReportGrid, sign: string = ""): string {
  const outcomes = outcomesOf(grid);
  const wrong = outcomes.filter((outcome) => outcome.wrong).length;
  const changed = outcomes.filter(({ before }) => before !== undefined).length;
  const counts = [
    ...(wrong === 0 ? [] : [`${formatCount(wrong)} wrong${sign}`]),
    ...(changed === 0 ? [] : [`${formatCount(changed)} changed`]),
  ];
  return `${counted(outcomes.length, "outcome")}${counts.length === 0 ? "" : `: ${counts.join(", ")}`}`;
}

/** Returns at most `max` rows, in their order; rows without a wrong or changed outcome are left out first. */
export function firstRows<One extends Row>(rows: readonly One[], max: number): readonly One[] {
  if (rows.length <= max) return rows;
  const [telling, unchanged] = [rows.filter(hasTelling), rows.filter((row) => !hasTelling(row))];
  const kept = new Set([...telling, ...unchanged].slice(0, max));
  return rows.filter((row) => kept.has(row));
}

function outcomesOf({ columns, rows }: ReportGrid): GridOutcome[] {
  return rows.flatMap(({ name, cells }) =>
    cells.flatMap((cell, at) => (cell === null ? [] : [{ ...cell, row: name, column: columns[at] ?? "" }])),
  );
}

function hasTelling({ cells }: Row): boolean {
  return cells.some((cell) => cell !== null && isNotable(cell));
}

/** Returns true if an outcome needs a review. */
export function isNotable({ before, wrong }: Pick<ReportGridCell, "before" | "wrong">): boolean {
  return wrong || before !== undefined;
}
