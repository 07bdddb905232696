import type { Counts } from "./world/tally.ts";

/** What became of one row. */
export interface RowReport {
  readonly name: string;
  readonly counts: Readonly<Counts>;
  readonly failures: readonly string[];
  /** What was not tried on this machine, and why. */
  readonly notices: readonly string[];
  readonly seconds: number;
}

const HEAD = ["row", "tried", "old", "new", "mixed", "corrupt", "lost", "litter", "wrong exit", "s"];

/** The most failures that are listed of one row. */
const MAX_LISTED = 12;

/** True when everything that was tried came out all old or all new, cleanly and truthfully told. */
export function isMet({ counts, failures, notices }: RowReport): boolean {
  return failures.length === 0 && (counts.tried > 0 || notices.length > 0);
}

/** One line on a row that ended: the table comes when all have. */
export function renderProgress({ name, counts, failures, seconds }: RowReport): string {
  return `${name}: ${counts.tried} tried, ${failures.length} failures, ${seconds.toFixed(1)} s`;
}

/** The table of all rows, what failed in them, and one line that counts them. */
export function renderReports(reports: readonly RowReport[]): string {
  const rows = reports.map(({ name, counts, seconds }) => [
    name,
    ...Object.values(counts).map(String),
    seconds.toFixed(1),
  ]);
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  const failed = reports.filter((report) => !isMet(report));
  return [
    line(HEAD),
    ...rows.map(line),
    ...reports.flatMap(({ name, notices }) => notices.map((notice) => `notice, ${name}: ${notice}`)),
    ...failed.flatMap(listed),
    `${reports.length - failed.length} passed, ${failed.length} failed`,
  ].join("\n");
}

function listed({ name, failures }: RowReport): string[] {
  const more = failures.length - MAX_LISTED;
  const shown = failures.length === 0 ? ["nothing was tried"] : failures.slice(0, MAX_LISTED);
  return [`${name}:`, ...shown.map((failure) => `  ${failure}`), ...(more > 0 ? [`  and ${more} more`] : [])];
}
