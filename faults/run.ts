/**
 * Tries faults on the commit of baselines: `npm run test:faults [-- row…] [--full] [--json file]`. Ends with 1 when any
 * row misses its goal.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type RowReport, isMet, renderProgress, renderReports } from "./render-reports.ts";
import type { Row } from "./row.ts";
import { ROWS } from "./rows.ts";
import { discardAll } from "./world/scratch.ts";
import { Tally } from "./world/tally.ts";

async function runRow(row: Row, full: boolean): Promise<RowReport> {
  const started = performance.now();
  const tally = new Tally();
  await row.run(tally, { full });
  const { counts, failures, notices } = tally;
  return { name: row.name, counts, failures, notices, seconds: (performance.now() - started) / 1000 };
}

function chosen(names: readonly string[]): readonly Row[] {
  const unknown = names.filter((name) => !ROWS.some((row) => row.name.includes(name)));
  if (unknown.length > 0)
    throw new Error(`Unknown row ${unknown.join(", ")}. Rows: ${ROWS.map(({ name }) => name).join(", ")}.`);
  return ROWS.filter((row) => names.length === 0 || names.some((name) => row.name.includes(name)));
}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { full: { type: "boolean" }, json: { type: "string" } },
  });
  const reports: RowReport[] = [];
  for (const row of chosen(positionals)) {
    const report = await runRow(row, values.full ?? false);
    reports.push(report);
    console.error(renderProgress(report));
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(reports, undefined, 2)}\n`);
  console.log(renderReports(reports));
  if (!reports.every(isMet)) process.exitCode = 1;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
} finally {
  discardAll();
}
