import type { Timing } from "./measure.ts";

/** A case's timings as lines: CPU time of one call, the middle half of the rounds, and the ratio to the first. */
export function renderTable(caseName: string, timings: readonly Timing[]): string {
  const base = timings[0]?.median ?? Number.NaN;
  const rows = timings.map(({ name, median, lower, upper }) => [
    `  ${name}`,
    `${median.toFixed(2)} ms`,
    `${lower.toFixed(2)}–${upper.toFixed(2)}`,
    `×${(median / base).toFixed(2)}`,
  ]);
  const table = [["", "CPU per call", "middle half", "ratio"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join("  "));
  return [caseName, ...lines].join("\n");
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
