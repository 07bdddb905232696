/** Times veritest against its peers: `npm run bench [-- group …]`, all groups when none is named. */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import type { BenchGroup } from "./bench-case.ts";
import { keyedDiff } from "./groups/keyed-diff.ts";
import { measure } from "./measure.ts";
import { renderTable } from "./render-table.ts";

const GROUPS: ReadonlyMap<string, BenchGroup> = new Map([["keyed-diff", keyedDiff]]);
const RESULTS = fileURLToPath(new URL("results/", import.meta.url));

async function runGroup(name: string, group: BenchGroup): Promise<void> {
  const machine = `Node ${process.version}, ${cpus()[0]?.model ?? "unknown processor"}`;
  console.log(`\n${name}  (${machine})\n`);
  const cases = [];
  for (const benchCase of await group()) {
    const timings = measure(benchCase);
    console.log(`${renderTable(benchCase.name, timings)}\n`);
    cases.push({ name: benchCase.name, timings });
  }
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}${name}.json`, `${JSON.stringify({ group: name, machine, unit: "ms CPU per call", cases }, undefined, 2)}\n`);
}

async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !GROUPS.has(name));
  if (unknown.length > 0) throw new Error(`Unknown group ${unknown.join(", ")}. Groups: ${[...GROUPS.keys()].join(", ")}.`);
  for (const [name, group] of GROUPS) if (names.length === 0 || names.includes(name)) await runGroup(name, group);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
