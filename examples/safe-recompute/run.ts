/**
 * Corrects a stored run by hand, upgrades its model, and changes its schema: the correction survives, and is reported if
 * the schema no longer accepts it. Fails if the outcome differs from what README.md promises.
 */
import assert from "node:assert/strict";
import { z } from "zod";
import { type StepContext, defineStep, defineWorkflow } from "veritest";
import { effectiveState, overlayConflicts, unwrap } from "veritest/kernel";
import { createRunner, recomputeBatch } from "veritest/runner";
import { type RunStore, type StoredRun, createMemoryStore } from "veritest/store";

interface Model {
  rate(text: string): Promise<{ risk: string; amount: number }>;
}

const rateClaim = defineStep({
  name: "rate-claim",
  input: z.object({ text: z.string() }),
  output: z.object({ risk: z.enum(["low", "medium", "high"]), amount: z.number() }),
  run: async ({ text }, ctx: StepContext<{ model: Model }>) => ({
    output: z
      .object({ risk: z.enum(["low", "medium", "high"]), amount: z.number() })
      .parse(await ctx.adapters.model.rate(text)),
  }),
});
const claims = defineWorkflow({ name: "claims", version: "1.0.0", steps: { "rate-claim": rateClaim } });

/** Two "models" of this machine: the newer one reads amounts with care, and is more afraid. */
const OLD: Model = { rate: async () => ({ risk: "low", amount: 1200 }) };
const NEW: Model = { rate: async () => ({ risk: "medium", amount: 1250 }) };

function show(title: string, { computed, overlay }: Pick<StoredRun, "computed" | "overlay">): void {
  const effective: Record<string, unknown> = effectiveState({ computed, overlay });
  const cell = (value: unknown): string => (value === undefined ? "·" : JSON.stringify(value)).padEnd(10);
  console.log(`\n${title}\n`);
  console.log(
    `             ${Object.keys(effective)
      .map((name) => name.padEnd(10))
      .join("")}`,
  );
  for (const [name, layer] of Object.entries({ overlay, computed, effective }))
    console.log(
      `  ${name.padEnd(10)} ${Object.keys(effective)
        .map((field) => cell(Reflect.get(layer, field)))
        .join("")}`,
    );
}

async function load(store: RunStore): Promise<StoredRun> {
  const run = unwrap(await store.load("claims", "claim-1"));
  assert.ok(run !== undefined);
  return run;
}

const store = createMemoryStore();
const runner = createRunner({ store, workflows: [claims], adapters: { model: OLD } });
unwrap(
  await runner.startRun({ workflow: "claims", step: "rate-claim", input: { text: "water damage" }, runId: "claim-1" }),
);
unwrap(await runner.runUntilIdle("claims", "claim-1"));
show("1. The old model rates a claim.", await load(store));

const before = await load(store);
unwrap(
  await store.setOverlay({
    workflowId: "claims",
    runId: "claim-1",
    expectedVersion: before.version,
    overlay: { risk: "high" },
    reason: "The house stands by the river.",
    actor: "ann",
  }),
);
show("2. Ann corrects the risk. The computed value stays what it was.", await load(store));

const summary = unwrap(
  await recomputeBatch({
    store,
    steps: [rateClaim],
    adapters: { model: NEW },
    onItem: async ({ run, entry, diff, status }) => {
      assert.equal(status, "value_changed");
      console.log(
        `\n3. The new model is asked again: ${diff?.entries.map(({ path }) => path.join(".")).join(", ")} change.`,
      );
      unwrap(
        await store.commit({
          workflowId: run.workflowId,
          workflowVersion: run.workflowVersion,
          runId: run.runId,
          stepId: `recompute:${entry.stepId}`,
          stepName: entry.stepName,
          expectedVersion: (await load(store)).version,
          input: entry.input,
          output: await NEW.rate(""),
          events: [{ type: "recomputed" }],
          commands: [],
        }),
      );
    },
  }),
);
assert.deepEqual([summary.runs, summary.changed], [1, 1]);
const after = await load(store);
show("   Accepted: the computed values change, Ann's correction stays.", after);
assert.deepEqual(after.computed, { risk: "medium", amount: 1250 });
assert.deepEqual(effectiveState(after), { risk: "high", amount: 1250 });

const nextSchema = z.object({ risk: z.enum(["1", "2", "3"]), amount: z.number() }).partial();
const conflicts = await overlayConflicts(nextSchema, after.overlay);
console.log("\n4. The next schema rates by numbers. Ann's word doesn't fit it: it is reported, and stays:\n");
for (const { path, message } of conflicts) console.log(`   overlay.${path.join(".")}: ${message}`);
assert.equal(conflicts.length, 1);

const events = unwrap(await store.events("claims", "claim-1"));
console.log(`\n   Who did what: ${events.map(({ type, version }) => `${version} ${type}`).join(", ")}`);
