/**
 * What a model upgrade changes in 2,000 stored runs, as a few groups to look at instead of 2,000 answers, and what of it
 * becomes a baseline once somebody has accepted it: `node examples/upgrade-a-model/run.ts`. Needs no key. Fails where the numbers are not those this page promises.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { unwrap } from "../../src/kernel/result.ts";
import { formatDiff } from "../../src/kernel.ts";
import { recomputeBatch, runBatch } from "../../src/runner.ts";
import { openSqliteStore } from "../../src/store-sqlite.ts";
import { type Ended, createCliProject } from "../cli-project.ts";
import { NEW, OLD, sortLetter } from "./step.ts";

const COUNT = 2000;

const WHAT = ["My bill is wrong.", "The lamp is broken.", "I need it now.", "Could you come now?", "Thank you."];

function* letters(): Generator<{ key: string; input: unknown }> {
  for (let number = 0; number < COUNT; number += 1)
    yield { key: String(number), input: { letter: `Letter ${number}. ${WHAT[number % WHAT.length]}` } };
}

const STEP = new URL("step.ts", import.meta.url).href;

const project = createCliProject();
const path = join(project.directory, "runs.sqlite");
try {
  const store = unwrap(await openSqliteStore({ path, synchronous: "normal" }));
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

  console.log("\nThe same as a test: what differs waits for review, what is accepted is a baseline.\n");
  project.configure(`  const { sortLetter: step, NEW: model } = await import("${STEP}");
  return [{ step, adapters: () => ({ model }) }];`);
  const veritest = (...argv: readonly string[]): Ended => project.veritest(argv, { lines: 6 });
  const tested = veritest(
    "test",
    "--store",
    "sqlite:runs.sqlite",
    "--live",
    "--sample",
    "100",
    "--output",
    "report.md",
  );
  assert.equal(tested.code, 1);
  const waiting = /(\d+) changed/.exec(tested.out)?.[1];
  assert.equal(veritest("accept", "--all", "--reason", "the new model sorts complaints").code, 0);
  assert.equal(readdirSync(join(project.directory, "__baselines__/sort-letter")).length, Number(waiting));
  assert.equal(veritest("test").code, 0);
} finally {
  project.remove();
}
