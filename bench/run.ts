/** Times veritest against its peers: `npm run bench [-- group …] [--full] [--check]`, all groups when none is named. */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { BenchGroup, BenchOptions } from "./bench-group.ts";
import { GROUPS } from "./bench-groups.ts";
import { type Judged, judge } from "./judge.ts";
import { renderGoals } from "./render-goals.ts";
import { renderRow } from "./render-table.ts";

const RESULTS = fileURLToPath(new URL("results/", import.meta.url));

async function runGroup(group: BenchGroup, options: BenchOptions): Promise<readonly Judged[]> {
  const machine = `Node ${process.version}, ${cpus()[0]?.model ?? "unknown processor"}`;
  const load = (loadavg()[0] ?? 0).toFixed(1);
  console.log(`\n${group.name}: ${group.question}  (${machine}, load ${load})\n`);
  const rows = await group.run(options);
  for (const row of rows) console.log(`${renderRow(row)}\n`);
  const judged = judge(group.name, rows);
  if (judged.length > 0) console.log(renderGoals(judged));
  mkdirSync(RESULTS, { recursive: true });
  const report = { group: group.name, machine, load, unit: "ms of CPU time", rows, goals: judged };
  writeFileSync(`${RESULTS}${group.name}.json`, `${JSON.stringify(report, undefined, 2)}\n`);
  return judged;
}

function chosenGroups(names: readonly string[]): readonly BenchGroup[] {
  const known = GROUPS.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`Unknown group ${unknown.join(", ")}. Groups: ${known.join(", ")}.`);
  return GROUPS.filter(({ name }) => names.length === 0 || names.includes(name));
}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { full: { type: "boolean" }, check: { type: "boolean" } },
  });
  const judged: Judged[] = [];
  for (const group of chosenGroups(positionals))
    judged.push(...(await runGroup(group, { full: values.full ?? false })));
  const missed = judged.filter(({ standing }) => standing === "missed");
  console.log(
    `\n${judged.length - missed.length} of ${judged.length} goals met${missed.length === 0 ? "" : `; missed:\n\n${renderGoals(missed)}`}`,
  );
  if (values.check === true && missed.length > 0) process.exitCode = 1;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
