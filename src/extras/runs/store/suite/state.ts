import assert from "node:assert/strict";
import { effectiveState } from "../../../../kernel/step/effective-state.ts";
import type { RunFilter, RunStore } from "../contract.ts";
import { invoke, review } from "../../../../kernel/step/command.ts";
import { type ContractCase, commitOf, contractCase, errorOf, valueOf } from "./case.ts";

const CHANGE = { workflowId: "claims", runId: "run-1", expectedVersion: 1, reason: "seen it", actor: "ann" };
const REF = ["claims", "run-1"] as const;

/** A call of every method, to check that a closed store returns an error. */
const CALLS: Readonly<Record<string, (store: RunStore) => Promise<{ readonly ok: boolean }>>> = {
  start: (store) => store.start({ workflowId: "w", workflowVersion: "1", runId: "r", step: "s", input: 1 }),
  load: (store) => store.load(...REF),
  commit: (store) => store.commit(commitOf()),
  recordFailure: (store) =>
    store.recordFailure({ ...commitOf(), error: { code: "x", message: "x", retryable: false }, attempt: 1 }),
  setOverlay: (store) => store.setOverlay({ ...CHANGE, overlay: {} }),
  entries: (store) => store.entries(...REF),
  events: (store) => store.events(...REF),
  commands: (store) => store.commands(...REF),
  list: (store) => store.list(),
  "blocks.get": (store) => store.blocks.get("b"),
  "blocks.list": (store) => store.blocks.list(),
  "blocks.resolve": (store) =>
    store.blocks.resolve({ blockId: "b", decision: { kind: "approve" }, reason: "r", actor: "a" }),
  "outbox.get": async (store) => store.outbox.get("k"),
  "outbox.lease": (store) => store.outbox.lease({ owner: "w", limit: 1, leaseMs: 1 }),
  "outbox.markDispatched": (store) => store.outbox.markDispatched({ owner: "w", keys: ["k"] }),
  "outbox.finish": async (store) => store.outbox.finish("k"),
  "outbox.markFailed": (store) => store.outbox.markFailed({ owner: "w", key: "k", error: { code: "x", message: "x" } }),
  "outbox.reclaim": (store) => store.outbox.reclaim(),
};

const CLOSING: readonly ContractCase[] = Object.entries(CALLS).map(([name, call]) =>
  contractCase(`${name} answers "closed" after close`, async ({ store }) => {
    await store.close();
    const result = await call(store);
    assert.ok(!result.ok && "error" in result);
    assert.deepEqual(result.error, {
      code: "closed",
      message: "The store is closed. Open it again.",
      retryable: false,
    });
  }),
);

async function named(store: RunStore, filter?: RunFilter): Promise<readonly string[]> {
  return valueOf(await store.list(filter)).map(({ workflowId, runId }) => `${workflowId}/${runId}`);
}

/** Overlays, lists and closing. */
export const STATE: readonly ContractCase[] = [
  contractCase("an overlay doesn't change the computed state", async ({ store }) => {
    valueOf(await store.commit(commitOf({ output: { risk: "low", claims: 2 } })));
    assert.deepEqual(valueOf(await store.setOverlay({ ...CHANGE, overlay: { risk: "high" } })), { version: 2 });
    const run = valueOf(await store.load(...REF));
    assert.deepEqual([run?.computed, run?.overlay], [{ risk: "low", claims: 2 }, { risk: "high" }]);
    assert.deepEqual(run && effectiveState(run), { risk: "high", claims: 2 });
  }),
  contractCase("a commit does not touch the overlay", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    valueOf(await store.setOverlay({ ...CHANGE, overlay: { risk: "high" } }));
    valueOf(await store.commit(commitOf({ stepId: "b", expectedVersion: 2, output: { risk: "medium" } })));
    const run = valueOf(await store.load(...REF));
    assert.deepEqual([run?.computed, run?.overlay], [{ risk: "medium" }, { risk: "high" }]);
  }),
  contractCase("undefined in an overlay removes a computed field, and comes back as undefined", async ({ store }) => {
    valueOf(await store.commit(commitOf({ output: { risk: "low", claims: 2 } })));
    valueOf(await store.setOverlay({ ...CHANGE, overlay: { risk: undefined } }));
    const run = valueOf(await store.load(...REF));
    assert.deepEqual(Object.entries(run?.overlay ?? {}), [["risk", undefined]]);
    assert.deepEqual(run && effectiveState(run), { risk: undefined, claims: 2 });
  }),
  contractCase("null in an overlay is a value", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    valueOf(await store.setOverlay({ ...CHANGE, overlay: { risk: null } }));
    assert.deepEqual(valueOf(await store.load(...REF))?.overlay, { risk: null });
  }),
  contractCase("an overlay is replaced: a field that is left out is gone", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    valueOf(await store.setOverlay({ ...CHANGE, overlay: { risk: "high", note: "x" } }));
    valueOf(await store.setOverlay({ ...CHANGE, expectedVersion: 2, overlay: { note: "y" } }));
    assert.deepEqual(valueOf(await store.load(...REF))?.overlay, { note: "y" });
  }),
  contractCase("an overlay's entry names its actor and reason", async ({ store }) => {
    valueOf(await store.commit(commitOf({ events: [] })));
    valueOf(await store.setOverlay({ ...CHANGE, overlay: { risk: "high", note: undefined } }));
    assert.deepEqual(valueOf(await store.events(...REF)), [
      {
        type: "overlay.set",
        payload: { values: { risk: "high" }, removed: ["note"], reason: "seen it", actor: "ann" },
        version: 2,
        stepId: "overlay",
      },
    ]);
    assert.equal(valueOf(await store.entries(...REF)).at(-1)?.kind, "overlay");
  }),
  contractCase("an overlay for a past version is refused with both versions", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    const outdated = await store.setOverlay({ ...CHANGE, expectedVersion: 0, overlay: { risk: "high" } });
    const error = errorOf(outdated, "version_conflict");
    assert.deepEqual([error.expected, error.actual], [0, 1]);
    assert.deepEqual(valueOf(await store.load(...REF))?.overlay, {});
  }),
  contractCase("of concurrent overlays for one version one is set", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    const results = await Promise.all([1, 2, 3, 4].map((n) => store.setOverlay({ ...CHANGE, overlay: { n } })));
    assert.equal(results.filter(({ ok }) => ok).length, 1);
    assert.equal(valueOf(await store.load(...REF))?.version, 2);
  }),
  contractCase("an overlay of a run that is not there is refused", async ({ store }) => {
    errorOf(await store.setOverlay({ ...CHANGE, overlay: {} }), "run_not_found");
  }),
  contractCase("an overlay that isn't JSON is refused", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    errorOf(await store.setOverlay({ ...CHANGE, overlay: { risk: () => 1 } }), "not_json");
    assert.equal(valueOf(await store.load(...REF))?.version, 1);
  }),
  contractCase("runs are listed newest first, then by name", async ({ store, pass }) => {
    for (const runId of ["b", "a"]) valueOf(await store.commit(commitOf({ runId })));
    pass(10);
    valueOf(await store.commit(commitOf({ workflowId: "invoices", runId: "c" })));
    assert.deepEqual(await named(store), ["invoices/c", "claims/a", "claims/b"]);
  }),
  contractCase("runs are listed by workflow, run, time and status", async ({ store, now, pass }) => {
    valueOf(await store.commit(commitOf({ runId: "done" })));
    valueOf(await store.commit(commitOf({ runId: "waits", commands: [review("look")] })));
    pass(10);
    valueOf(await store.commit(commitOf({ runId: "runs", commands: [invoke("a", 1)] })));
    valueOf(await store.commit(commitOf({ workflowId: "invoices", runId: "done" })));
    assert.deepEqual(await named(store, { workflowId: "invoices" }), ["invoices/done"]);
    assert.deepEqual(await named(store, { runId: "done" }), ["invoices/done", "claims/done"]);
    assert.deepEqual(await named(store, { since: now() }), ["claims/runs", "invoices/done"]);
    assert.deepEqual(await named(store, { status: "blocked" }), ["claims/waits"]);
    assert.deepEqual(await named(store, { status: "running" }), ["claims/runs"]);
    assert.deepEqual(await named(store, { status: "completed" }), ["invoices/done", "claims/done"]);
    assert.deepEqual(await named(store, { status: "failed" }), []);
  }),
  contractCase("pages follow each other without gap or overlap", async ({ store, pass }) => {
    for (let index = 0; index < 25; index += 1) {
      valueOf(await store.commit(commitOf({ runId: `r${String(index).padStart(2, "0")}` })));
      if (index % 4 === 3) pass(1);
    }
    const all = await named(store);
    const seen: string[] = [];
    let after: RunFilter["after"];
    for (;;) {
      const page = valueOf(await store.list({ limit: 7, ...(after === undefined ? {} : { after }) }));
      seen.push(...page.map(({ workflowId, runId }) => `${workflowId}/${runId}`));
      after = page.at(-1);
      if (page.length < 7) break;
    }
    assert.equal(seen.length, 25);
    assert.deepEqual(seen, all);
  }),
  contractCase("closing twice is fine", async ({ store }) => {
    await store.close();
    await store.close();
  }),
  ...CLOSING,
];
