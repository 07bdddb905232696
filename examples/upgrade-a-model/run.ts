/**
 * Upgrades the model of 2,000 stored runs: its changes come as a few groups to look at, and accepted ones become baselines.
 * Fails if the numbers differ from those that README.md promises.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { formatDiff, unwrap } from "veritest/kernel";
import { recomputeBatch, runBatch } from "veritest/runner";
import { openSqliteStore } from "veritest/store/sqlite";
import { NEW, OLD, sortLetter } from "./step.ts";

const COUNT = 2000;

const SENTENCES = ["My bill is wrong.", "The lamp is broken.", "I need it now.", "Could you come now?", "Thank you."];

function* letters(): Generator<{ key: string; input: unknown }> {
  for (let number = 0; number < COUNT; number += 1)
    yield { key: String(number), input: { letter: `Letter ${number}. ${SENTENCES[number % SENTENCES.length]}` } };
}

/** Runs a command of veritest to its end and shows what it prints. */
function veritest(...args: readonly string[]): { readonly code: number | null; readonly out: string } {
  const cli = fileURLToPath(new URL("dist/cli.js", import.meta.resolve("veritest/package.json")));
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: "utf8" });
  console.log(`\n$ npx veritest ${args.join(" ")}\n${stdout}${stderr}`);
  return { code: status, out: stdout };
}

// Each run starts from nothing, with its pending changes in this directory.
process.chdir(import.meta.dirname);
for (const path of ["__baselines__", "state", "runs.sqlite"]) rmSync(path, { recursive: true, force: true });
process.env["VERITEST_STATE_DIR"] = "state";

const store = unwrap(await openSqliteStore({ path: "runs.sqlite", synchronous: "normal" }));
const batch = { step: sortLetter, items: letters(), store, batchId: "march", adapters: { model: OLD } };
const stored = unwrap(await runBatch({ ...batch, progress: process.stderr, total: COUNT }));
console.log(`Stored: ${stored.completed} runs of the old model, ${stored.failed} failed.`);
const again = unwrap(await runBatch({ ...batch, items: letters() }));
console.log(`Started again it does nothing twice: ${again.skipped} skipped.`);

const summary = unwrap(
  await recomputeBatch({ store, steps: [sortLetter], adapters: { model: NEW }, progress: process.stderr }),
);
const { runs, clean, changed, groups } = summary;
console.log(`\nThe new model: ${runs} runs, ${clean} the same, ${changed} changed, in ${groups.length} groups.`);
for (const { step, paths, count, examples } of groups) {
  console.log(`\n${count} × ${step}: ${paths.join(", ")}`);
  for (const { runId, diff } of examples.slice(0, 1)) console.log(`  ${runId}\n${formatDiff(diff)}`);
}
assert.deepEqual([runs, clean, changed], [COUNT, 1200, 800]);
assert.deepEqual(
  groups.map(({ paths, count }) => [paths, count]),
  [
    [["topic"], 400],
    [["urgent"], 400],
  ],
);
await store.close();

console.log("\nThe same as a test: a change is pending, and a baseline once it is accepted.\n");
const tested = veritest("test", "--store", "sqlite:runs.sqlite", "--live", "--sample", "100", "--output", "report.md");
assert.equal(tested.code, 1);
const pending = /(\d+) changed/.exec(tested.out)?.[1];
assert.equal(veritest("accept", "--all", "--reason", "the new model sorts complaints").code, 0);
assert.equal(readdirSync("__baselines__/sort-letter").length, Number(pending));
assert.equal(veritest("test").code, 0);
