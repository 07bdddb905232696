/**
 * What a model upgrade changes in 2,000 stored runs, as a few groups to look at instead of 2,000 answers:
 * `node examples/upgrade-a-model/run.ts`. Needs no key. Fails where the numbers are not those this page promises.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { unwrap } from "../../src/base/result.ts";
import { type StepContext, defineStep, formatDiff } from "../../src/index.ts";
import { recomputeBatch, runBatch } from "../../src/runner.ts";
import { openSqliteStore } from "../../src/store-sqlite.ts";

const COUNT = 2000;

interface Model {
  sort(letter: string): Promise<{ topic: string; urgent: boolean; language: string }>;
}

const sortLetter = defineStep({
  name: "sort-letter",
  input: z.object({ letter: z.string() }),
  output: z.object({ topic: z.string(), urgent: z.boolean(), language: z.string() }),
  run: async ({ letter }, ctx: StepContext<{ model: Model }>) => ({ output: await ctx.adapters.model.sort(letter) }),
});

const OLD: Model = {
  sort: async (letter) => ({
    topic: letter.includes("bill") ? "invoice" : "other",
    urgent: letter.includes("now"),
    language: "en",
  }),
};
/** Knows complaints, which were "other", and takes a question mark for no hurry. */
const NEW: Model = {
  sort: async (letter) => {
    const old = await OLD.sort(letter);
    return {
      ...old,
      topic: letter.includes("broken") ? "complaint" : old.topic,
      urgent: old.urgent && !letter.endsWith("?"),
    };
  },
};

const WHAT = ["My bill is wrong.", "The lamp is broken.", "I need it now.", "Could you come now?", "Thank you."];

function* letters(): Generator<{ key: string; input: unknown }> {
  for (let number = 0; number < COUNT; number += 1)
    yield { key: String(number), input: { letter: `Letter ${number}. ${WHAT[number % WHAT.length]}` } };
}

const directory = mkdtempSync(join(tmpdir(), "veritest-example-"));
const path = join(directory, "runs.sqlite");
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
} finally {
  rmSync(directory, { recursive: true, force: true });
}
