import type { Row } from "./bench-group.ts";
import { median, quantile } from "./timing.ts";

/** A row's timings as lines: CPU time, the middle half of the rounds, and how many times that ours is. */
export function renderRow({ name, timings, metrics, notes }: Row): string {
  const rows = timings.map((timing) => [
    `  ${timing.name}`,
    shownTime(median(timing.rounds)),
    `${shownTime(quantile(timing.rounds, 0.25))} – ${shownTime(quantile(timing.rounds, 0.75))}`,
    metrics
      .filter((metric) => metric.name === `÷ ${timing.name}`)
      .map(({ value }) => `×${shownNumber(value)}`)
      .join(""),
  ]);
  const lines = alignColumns([["", "CPU time", "middle half", "ours ÷ it"], ...rows]);
  return [name, ...(timings.length === 0 ? [] : lines), ...notes.map((note) => `  ${note}`)].join("\n");
}

/** Rows of cells as lines, the first column to the left and the others to the right. */
export function alignColumns(table: readonly (readonly string[])[]): string[] {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/** A number with three significant digits. */
export function shownNumber(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function shownTime(milliseconds: number): string {
  if (Math.abs(milliseconds) < 0.1) return `${shownNumber(milliseconds * 1000)} µs`;
  return Math.abs(milliseconds) < 1000 ? `${shownNumber(milliseconds)} ms` : `${shownNumber(milliseconds / 1000)} s`;
}
