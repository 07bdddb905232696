import assert from "node:assert/strict";
import { type Command, emit, invoke, review, suspend, commandKey } from "../../../../kernel/step/command.ts";
import type { Decision } from "../../../../kernel/step/block.ts";
import type { RunStore } from "../contract.ts";
import { type ContractCase, commitOf, contractCase, errorOf, leaseOf, rowsOf, statusesOf, valueOf } from "./case.ts";

const PEOPLE = { reason: "looked at it", actor: "ann" };

async function block(store: RunStore, commands: readonly Command[]): Promise<string> {
  return valueOf(await store.commit(commitOf({ commands }))).blockId ?? "";
}

async function reviewed(store: RunStore): Promise<string> {
  return block(store, [invoke("verify", 1), review("risk is high", { amount: 9000 }), emit("noted", {})]);
}

async function suspended(store: RunStore): Promise<string> {
  const checkpoint = { asked: ["name"], at: 3 };
  return block(store, [invoke("verify", 1), suspend({ reason: "a document is missing", checkpoint })]);
}

function decisions(kinds: readonly Decision[], fits: "review" | "suspend"): ContractCase[] {
  return kinds.map((decision) =>
    contractCase(`${decision.kind} does not resolve a ${fits}`, async ({ store }) => {
      const blockId = await (fits === "review" ? reviewed(store) : suspended(store));
      errorOf(await store.blocks.resolve({ blockId, decision, ...PEOPLE }), "wrong_decision");
      assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "blocked");
      assert.equal(valueOf(await store.load("claims", "run-1"))?.version, 1);
    }),
  );
}

/** Reviews and suspends. */
export const BLOCKS: readonly ContractCase[] = [
  contractCase("a review opens a block under its command's key", async ({ store, now }) => {
    const blockId = await reviewed(store);
    const command = review("risk is high", { amount: 9000 });
    assert.equal(blockId, commandKey({ workflowId: "claims", runId: "run-1", stepName: "extract", command }));
    assert.deepEqual(valueOf(await store.blocks.get(blockId)), {
      blockId,
      workflowId: "claims",
      workflowVersion: "1.0.0",
      runId: "run-1",
      stepId: "extract",
      stepName: "extract",
      kind: "review",
      reason: "risk is high",
      payload: { amount: 9000 },
      openedAt: now(),
    });
  }),
  contractCase("a review keeps the output and defers its siblings", async ({ store }) => {
    await reviewed(store);
    const run = valueOf(await store.load("claims", "run-1"));
    assert.deepEqual([run?.status, run?.computed], ["blocked", { risk: "low" }]);
    assert.deepEqual(await statusesOf(store), ["verify deferred", "noted deferred"]);
    assert.deepEqual(valueOf(await store.outbox.lease(leaseOf())), []);
  }),
  contractCase("approve lets the siblings go", async ({ store, now }) => {
    const blockId = await reviewed(store);
    const resolved = valueOf(await store.blocks.resolve({ blockId, decision: { kind: "approve" }, ...PEOPLE }));
    assert.deepEqual(resolved?.resolution, { decision: { kind: "approve" }, ...PEOPLE });
    assert.equal(resolved?.resolvedAt, now());
    assert.deepEqual(await statusesOf(store), ["verify pending", "noted pending"]);
    assert.equal(valueOf(await store.outbox.lease(leaseOf())).length, 2);
  }),
  contractCase(
    "a sibling's delay counts from its commit, however long the review takes",
    async ({ store, now, pass }) => {
      const delayed = [invoke("soon", 1, { after: 100 }), invoke("later", 1, { after: 500 })];
      const blockId = await block(store, [review("risk is high"), ...delayed]);
      pass(200);
      valueOf(await store.blocks.resolve({ blockId, decision: { kind: "approve" }, ...PEOPLE }));
      const rows = await rowsOf(store);
      assert.deepEqual(
        rows.map(({ availableAt }) => availableAt - now()),
        [0, 300],
      );
      assert.equal(valueOf(await store.outbox.lease(leaseOf())).length, 1);
    },
  ),
  contractCase("reject rejects the siblings for good", async ({ store, pass }) => {
    const blockId = await reviewed(store);
    valueOf(await store.blocks.resolve({ blockId, decision: { kind: "reject" }, ...PEOPLE }));
    assert.deepEqual(await statusesOf(store), ["verify rejected", "noted rejected"]);
    pass(1_000_000);
    assert.deepEqual(valueOf(await store.outbox.lease(leaseOf())), []);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "completed");
  }),
  contractCase("override writes the overlay, then approves", async ({ store }) => {
    const blockId = await reviewed(store);
    const decision = { kind: "override", patch: { risk: "high" } } as const;
    valueOf(await store.blocks.resolve({ blockId, decision, ...PEOPLE }));
    const run = valueOf(await store.load("claims", "run-1"));
    assert.deepEqual([run?.computed, run?.overlay], [{ risk: "low" }, { risk: "high" }]);
    assert.deepEqual(await statusesOf(store), ["verify pending", "noted pending"]);
  }),
  contractCase("override adds to the overlay that is there", async ({ store }) => {
    const blockId = await reviewed(store);
    valueOf(
      await store.setOverlay({
        workflowId: "claims",
        runId: "run-1",
        expectedVersion: 1,
        overlay: { note: "x", risk: "medium" },
        ...PEOPLE,
      }),
    );
    const decision = { kind: "override", patch: { risk: undefined } } as const;
    const resolved = valueOf(await store.blocks.resolve({ blockId, decision, ...PEOPLE }));
    assert.deepEqual(resolved?.resolution?.decision, decision);
    assert.deepEqual(valueOf(await store.load("claims", "run-1"))?.overlay, { note: "x", risk: undefined });
  }),
  ...(["review", "suspend"] as const).map((kind) =>
    contractCase(
      `the timeout of a ${kind} is a command that is due later, and done with its block`,
      async (context) => {
        const { store, pass } = context;
        const wait =
          kind === "review"
            ? review("look", undefined, { timeout: { after: 500, decision: "reject" } })
            : suspend({ reason: "wait", checkpoint: 1, timeout: { after: 500, data: "late" } });
        const blockId = await block(store, [invoke("verify", 1), wait]);
        const timeout = (await rowsOf(store)).at(-1);
        assert.deepEqual([timeout?.kind, timeout?.target, timeout?.payload], ["timeout", "extract", { blockId }]);
        assert.deepEqual(valueOf(await store.blocks.get(blockId))?.timeout, wait.timeout);
        assert.deepEqual(valueOf(await store.outbox.lease(leaseOf())), []);
        assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "blocked");
        pass(500);
        const [due] = valueOf(await store.outbox.lease(leaseOf()));
        assert.equal(due?.key, timeout?.key);
        const decision = kind === "review" ? ({ kind: "approve" } as const) : ({ kind: "resume", data: 1 } as const);
        valueOf(await store.blocks.resolve({ blockId, decision, ...PEOPLE }));
        const row = valueOf(await store.outbox.get(timeout?.key ?? ""));
        assert.deepEqual([row?.status, row?.finished, row?.leaseOwner], ["dispatched", true, undefined]);
      },
    ),
  ),
  contractCase("resolving writes a version with an event that names actor and reason", async ({ store }) => {
    const blockId = await reviewed(store);
    const decision = { kind: "override", patch: { risk: "high" } } as const;
    valueOf(await store.blocks.resolve({ blockId, decision, ...PEOPLE }));
    assert.equal(valueOf(await store.load("claims", "run-1"))?.version, 2);
    assert.deepEqual(valueOf(await store.events("claims", "run-1")).at(-1), {
      type: "review.overridden",
      payload: { blockId, ...PEOPLE, patch: { values: { risk: "high" }, removed: [] } },
      version: 2,
      stepId: blockId,
    });
  }),
  contractCase("a second resolve answers null and changes nothing", async ({ store }) => {
    const blockId = await reviewed(store);
    valueOf(await store.blocks.resolve({ blockId, decision: { kind: "approve" }, ...PEOPLE }));
    for (const decision of [{ kind: "reject" }, { kind: "approve" }, { kind: "override", patch: { a: 1 } }] as const)
      assert.equal(valueOf(await store.blocks.resolve({ blockId, decision, ...PEOPLE, actor: "ben" })), null);
    assert.deepEqual(await statusesOf(store), ["verify pending", "noted pending"]);
    const run = valueOf(await store.load("claims", "run-1"));
    assert.deepEqual([run?.version, run?.overlay], [2, {}]);
    assert.equal(valueOf(await store.blocks.get(blockId))?.resolution?.actor, "ann");
  }),
  contractCase("of concurrent resolves one succeeds", async ({ store }) => {
    const blockId = await reviewed(store);
    const kinds = ["approve", "reject", "approve", "reject", "approve", "reject"] as const;
    const resolved = await Promise.all(
      kinds.map((kind) => store.blocks.resolve({ blockId, decision: { kind }, ...PEOPLE })),
    );
    const first = resolved.map(valueOf).filter((answer) => answer !== null);
    assert.equal(first.length, 1);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.version, 2);
    const rejected = first[0]?.resolution?.decision.kind === "reject";
    assert.deepEqual(
      await statusesOf(store),
      ["verify", "noted"].map((row) => `${row} ${rejected ? "rejected" : "pending"}`),
    );
  }),
  contractCase("a block that is not there is an error", async ({ store }) => {
    const error = errorOf(
      await store.blocks.resolve({ blockId: "sha256:none", decision: { kind: "approve" }, ...PEOPLE }),
      "block_not_found",
    );
    assert.equal(
      error.message,
      'Block "sha256:none" doesn\'t exist. To list open blocks: npx veritest runs blocked, or blocks.list().',
    );
    assert.equal(valueOf(await store.blocks.get("sha256:none")), undefined);
  }),
  ...decisions([{ kind: "resume", data: 1 }], "review"),
  ...decisions([{ kind: "approve" }, { kind: "reject" }, { kind: "override", patch: {} }], "suspend"),
  contractCase("a suspend discards its siblings and keeps the checkpoint", async ({ store }) => {
    const blockId = await suspended(store);
    assert.deepEqual(await statusesOf(store), []);
    const block = valueOf(await store.blocks.get(blockId));
    assert.deepEqual([block?.kind, block?.checkpoint], ["suspend", { asked: ["name"], at: 3 }]);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "blocked");
    assert.equal(valueOf(await store.entries("claims", "run-1"))[0]?.commands.length, 2);
  }),
  contractCase("resume invokes the step with checkpoint and data, under the block's step id", async ({ store }) => {
    const blockId = await suspended(store);
    const decision = { kind: "resume", data: { name: "Ann" } } as const;
    valueOf(await store.blocks.resolve({ blockId, decision, ...PEOPLE }));
    const payload = { checkpoint: { asked: ["name"], at: 3 }, resumeData: { name: "Ann" } };
    const [row] = await rowsOf(store);
    assert.deepEqual(
      [row?.target, row?.stepId, row?.payload, row?.status],
      ["extract", `resume:${blockId}`, payload, "pending"],
    );
    const origin = { workflowId: "claims", runId: "run-1", stepName: `resume:${blockId}` };
    assert.equal(row?.key, commandKey({ ...origin, command: invoke("extract", payload) }));
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "running");
  }),
  contractCase("resume invokes the resume step if one is named", async ({ store }) => {
    const wait = suspend({ reason: "wait", checkpoint: 1, resumeStep: "finish" });
    const blockId = await block(store, [wait]);
    valueOf(await store.blocks.resolve({ blockId, decision: { kind: "resume", data: 2 }, ...PEOPLE }));
    assert.deepEqual(await statusesOf(store), ["finish pending"]);
  }),
  contractCase("a second resume makes no second job", async ({ store }) => {
    const blockId = await suspended(store);
    valueOf(await store.blocks.resolve({ blockId, decision: { kind: "resume", data: 1 }, ...PEOPLE }));
    const again = await store.blocks.resolve({ blockId, decision: { kind: "resume", data: 2 }, ...PEOPLE });
    assert.equal(valueOf(again), null);
    assert.equal((await rowsOf(store)).length, 1);
  }),
  contractCase("the data of a resume is stored with the block", async ({ store }) => {
    const blockId = await suspended(store);
    const decision = { kind: "resume", data: { a: [1] } } as const;
    valueOf(await store.blocks.resolve({ blockId, decision, ...PEOPLE }));
    const block = valueOf(await store.blocks.get(blockId));
    assert.deepEqual(block?.resolution?.decision, decision);
    assert.deepEqual(block?.checkpoint, { asked: ["name"], at: 3 });
  }),
  contractCase("data of a resume that can't be stored is refused, the block stays open", async ({ store }) => {
    const blockId = await suspended(store);
    const decision = { kind: "resume", data: { at: () => 1 } } as const;
    errorOf(await store.blocks.resolve({ blockId, decision, ...PEOPLE }), "not_json");
    assert.equal(valueOf(await store.blocks.list()).length, 1);
  }),
  contractCase("blocks of several steps are open at once, and each releases its own commands", async ({ store }) => {
    const first = await reviewed(store);
    const commands = [review("again"), emit("t", 1)];
    const second = valueOf(await store.commit(commitOf({ stepId: "b", expectedVersion: 1, commands })));
    assert.deepEqual(await statusesOf(store), ["verify deferred", "noted deferred", "t deferred"]);
    const decision = { kind: "approve" } as const;
    valueOf(await store.blocks.resolve({ blockId: second.blockId ?? "", decision, ...PEOPLE }));
    assert.deepEqual(await statusesOf(store), ["verify deferred", "noted deferred", "t pending"]);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "blocked");
    valueOf(await store.blocks.resolve({ blockId: first, decision, ...PEOPLE }));
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "running");
  }),
  contractCase("a commit without a block succeeds while one is open", async ({ store }) => {
    await reviewed(store);
    const other = commitOf({ stepId: "b", expectedVersion: 1, commands: [emit("t", 1)] });
    assert.equal(valueOf(await store.commit(other)).version, 2);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "blocked");
    assert.deepEqual(await statusesOf(store), ["verify deferred", "noted deferred", "t pending"]);
  }),
  contractCase("resolving touches no commands of other steps", async ({ store }) => {
    const blockId = await reviewed(store);
    valueOf(await store.commit(commitOf({ stepId: "b", expectedVersion: 1, commands: [emit("t", 1)] })));
    valueOf(await store.blocks.resolve({ blockId, decision: { kind: "reject" }, ...PEOPLE }));
    assert.deepEqual(await statusesOf(store), ["verify rejected", "noted rejected", "t pending"]);
  }),
  contractCase("a run may block again after it was resolved", async ({ store }) => {
    const blockId = await reviewed(store);
    valueOf(await store.blocks.resolve({ blockId, decision: { kind: "approve" }, ...PEOPLE }));
    const second = await store.commit(commitOf({ stepId: "b", expectedVersion: 2, commands: [review("again")] }));
    assert.notEqual(valueOf(second).blockId, blockId);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "blocked");
  }),
  contractCase("the open blocks are listed, the oldest first, by workflow and run", async ({ store, pass }) => {
    for (const [workflowId, runId] of [
      ["claims", "b"],
      ["invoices", "a"],
      ["claims", "a"],
    ] as const) {
      valueOf(await store.commit(commitOf({ workflowId, runId, commands: [review("look")] })));
      pass(10);
    }
    const names = async (filter?: Parameters<RunStore["blocks"]["list"]>[0]): Promise<string[]> =>
      valueOf(await store.blocks.list(filter)).map(({ workflowId, runId }) => `${workflowId}/${runId}`);
    assert.deepEqual(await names(), ["claims/b", "invoices/a", "claims/a"]);
    assert.deepEqual(await names({ workflowId: "claims" }), ["claims/b", "claims/a"]);
    assert.deepEqual(await names({ runId: "a" }), ["invoices/a", "claims/a"]);
    assert.deepEqual(await names({ workflowId: "claims", runId: "a" }), ["claims/a"]);
  }),
  contractCase("resolved blocks are listed if requested", async ({ store }) => {
    const blockId = await reviewed(store);
    valueOf(await store.blocks.resolve({ blockId, decision: { kind: "approve" }, ...PEOPLE }));
    assert.deepEqual(valueOf(await store.blocks.list()), []);
    assert.equal(valueOf(await store.blocks.list({ resolved: true })).length, 1);
  }),
];
