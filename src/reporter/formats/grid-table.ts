import { firstRows, isNotable, outcomeCounts } from "../../explain/outcome-grid.ts";
import { plainLine } from "../../explain/plain-lines.ts";
import type { ReportGrid, ReportGridCell } from "../../explain/report-case.ts";
import { counted } from "../../explain/wording.ts";

/** Rows of a table in a comment: the other reports have them all. */
const MAX_ROWS = 20;

/**
 * Writes a grid as an HTML table for markdown. A column with one correct, unchanged value in all rows becomes part of a
 * sentence, because most conditions change nothing and a comment is narrow.
 */
export function gridTable(grid: ReportGrid): string {
  const uniform = uniformColumns(grid);
  const columnIndexes = grid.columns.map((_, at) => at).filter((at) => !uniform.has(at));
  const rows = firstRows(grid.rows, MAX_ROWS);
  const left = columnIndexes.length === 0 ? 0 : grid.moreRows + grid.rows.length - rows.length;
  const cells = rows.map(({ name, cells: of }) => [
    headCell(name),
    ...columnIndexes.map((at) => cellOf(of[at] ?? null)),
  ]);
  const head = ["<th></th>", ...columnIndexes.map((at) => headCell(grid.columns[at] ?? ""))];
  const table = `<table>\n${[head, ...cells].map((row) => `<tr>${row.join("")}</tr>\n`).join("")}</table>\n`;
  return [
    `<p>${outcomeCounts(grid)}</p>\n`,
    ...(columnIndexes.length === 0 ? [] : [table]),
    ...(left === 0 ? [] : [`<p>… and ${counted(left, "more row")}</p>\n`]),
    ...uniformSentences({ grid, uniform, all: columnIndexes.length === 0 }),
  ].join("");
}

/** Columns with one value in every row they apply to, with that value. */
function uniformColumns({ columns, rows }: ReportGrid): ReadonlyMap<number, string> {
  const texts = columns.map((_, at) => uniformText(rows.map(({ cells }) => cells[at] ?? null)));
  return new Map(texts.flatMap((text, at) => (text === undefined ? [] : [[at, text] as const])));
}

function uniformText(cells: readonly (ReportGridCell | null)[]): string | undefined {
  const [first, ...rest] = cells.filter((cell) => cell !== null);
  if (first === undefined || isNotable(first)) return undefined;
  return rest.every((cell) => cell.text === first.text && !isNotable(cell)) ? first.text : undefined;
}

/**
 * Sentences for uniform columns. Columns with another value are named first; the most frequent value covers all others.
 */
function uniformSentences({
  grid: { columns },
  uniform,
  all,
}: {
  readonly grid: ReportGrid;
  readonly uniform: ReadonlyMap<number, string>;
  readonly all: boolean;
}): string[] {
  const groups = [...Map.groupBy(uniform, ([, text]) => text)].toSorted(([, a], [, b]) => a.length - b.length);
  return groups.map(([text, of], index) => {
    const names = of.map(([at]) => code(columns[at] ?? "")).join(", ");
    const rest = all && groups.length === 1 ? "all" : "all others";
    return `<p>${index === groups.length - 1 ? rest : names}: ${code(text)}</p>\n`;
  });
}

function headCell(name: string): string {
  return `<th>${code(name)}</th>`;
}

function cellOf(cell: ReportGridCell | null): string {
  if (cell === null) return "<td>-</td>";
  const { text, before, wrong } = cell;
  const was = before === undefined ? "" : `, was ${code(before)}`;
  return `<td>${wrong ? "<b>wrong</b>: " : ""}${code(text)}${was}</td>`;
}

function code(text: string): string {
  return `<code>${htmlLine(text)}</code>`;
}

/** A text on one line as the content of an element of HTML. */
export function htmlLine(text: string): string {
  return plainLine(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
