import assert from "node:assert/strict";
import { type Command, fanout, invoke, review, suspend } from "../../../../kernel/step/command.ts";
import type { RunStore } from "../contract.ts";
import {
  type ContractCase,
  commitOf,
  commitWithRows,
  contractCase,
  errorOf,
  leaseOf,
  rowsOf,
  statusesOf,
  valueOf,
} from "./case.ts";

const ERROR = { code: "no_answer", message: "The model answered nothing." };
const RUN = { workflowId: "claims", runId: "run-1" };
const DECISION = { ...RUN, reason: "fixed", actor: "ann" };

/** Commits a fanout of two with a collect, the first command with a blocking one, and the second without. */
async function blockedMember(
  store: RunStore,
  block: Command,
): Promise<{ readonly key: string; readonly other: string; readonly blockId: string }> {
  valueOf(await store.commit(commitOf({ commands: [fanout("verify", ["a", "b"], { then: "sum" })] })));
  const [first, second] = await rowsOf(store);
  const [key = "", other = ""] = [first?.key, second?.key];
  const { blockId = "" } = valueOf(
    await store.commit(commitOf({ stepId: key, expectedVersion: 1, commands: [block] })),
  );
  valueOf(await store.commit(commitOf({ stepId: other, expectedVersion: 2 })));
  return { key, other, blockId };
}

/** Delays, joins and ends of runs. */
export const LIVES: readonly ContractCase[] = [
  contractCase("a run with a command of an unknown version has its own status", async ({ store, pass }) => {
    const [key = ""] = await commitWithRows(store, 2);
    const error = { code: "unknown_version", message: "This runner doesn't have it." };
    valueOf(await store.outbox.lease(leaseOf()));
    valueOf(await store.outbox.markFailed({ owner: "worker-1", key, error, retryMs: 5, uncounted: true }));
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "unknown_version");
    assert.equal(valueOf(await store.list({ status: "unknown_version" })).length, 1);
    pass(5);
    valueOf(await store.outbox.lease(leaseOf()));
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "running");
  }),
  contractCase("a retried run has its failed commands pending again, and an entry of it", async ({ store, pass }) => {
    const [key = "", other = ""] = await commitWithRows(store, 2);
    valueOf(await store.outbox.lease(leaseOf()));
    valueOf(await store.outbox.markFailed({ owner: "worker-1", key, error: ERROR }));
    valueOf(await store.commit(commitOf({ stepId: other, expectedVersion: 1 })));
    pass(10);
    assert.deepEqual(valueOf(await store.retry(DECISION)), { retried: 1 });
    assert.deepEqual(valueOf(await store.retry(DECISION)), { retried: 0 });
    const [row] = valueOf(await store.outbox.lease(leaseOf()));
    assert.deepEqual([row?.key, row?.attempts, row?.error], [key, 1, undefined]);
    const entry = valueOf(await store.entries("claims", "run-1")).at(-1);
    assert.deepEqual(
      [entry?.kind, entry?.version, entry?.events],
      ["retry", 3, [{ type: "run.retried", payload: { reason: "fixed", actor: "ann" } }]],
    );
    errorOf(await store.retry({ ...DECISION, runId: "none" }), "run_not_found");
  }),
  contractCase("a cancelled run drops its commands and refuses commits", async ({ store, pass }) => {
    const keys = await commitWithRows(store, 2);
    valueOf(await store.outbox.lease(leaseOf({ limit: 1 })));
    assert.deepEqual(valueOf(await store.cancel(DECISION)), { cancelled: true });
    assert.deepEqual(valueOf(await store.cancel(DECISION)), { cancelled: false });
    assert.deepEqual(await statusesOf(store), ["verify cancelled", "verify cancelled"]);
    const run = valueOf(await store.load("claims", "run-1"));
    assert.deepEqual([run?.status, run?.version], ["cancelled", 2]);
    assert.equal(valueOf(await store.list({ status: "cancelled" })).length, 1);
    pass(1_000_000);
    assert.equal(valueOf(await store.outbox.reclaim()).reclaimed, 0);
    assert.deepEqual(valueOf(await store.outbox.lease(leaseOf())), []);
    const afterCancel = commitOf({ stepId: keys[0] ?? "", expectedVersion: 2 });
    const error = errorOf(await store.commit(afterCancel), "run_cancelled");
    assert.equal(error.message, 'Run "run-1" is cancelled, so it doesn\'t accept further results. Start a new run.');
    const failure = { ...RUN, workflowVersion: "1.0.0", stepId: keys[0] ?? "", stepName: "verify" };
    errorOf(
      await store.recordFailure({ ...failure, error: { ...ERROR, retryable: true }, attempt: 1 }),
      "run_cancelled",
    );
    assert.equal(valueOf(await store.load("claims", "run-1"))?.version, 2);
  }),
  contractCase("a cancelled run has no open block", async ({ store }) => {
    const wait = suspend({ reason: "wait", checkpoint: 1 });
    const blockId = valueOf(await store.commit(commitOf({ commands: [wait] }))).blockId ?? "";
    assert.deepEqual(valueOf(await store.cancel(DECISION)), { cancelled: true });
    assert.deepEqual(valueOf(await store.blocks.list()), []);
    const block = valueOf(await store.blocks.get(blockId));
    assert.deepEqual(block?.resolution, { decision: { kind: "cancel" }, actor: "ann", reason: "fixed" });
    const resume = { kind: "resume", data: 1 } as const;
    assert.equal(valueOf(await store.blocks.resolve({ blockId, decision: resume, reason: "r", actor: "a" })), null);
  }),
  contractCase("a failed run stays failed if it is cancelled, and can be retried", async ({ store }) => {
    valueOf(await store.commit(commitOf({ commands: [fanout("verify", ["a"], { then: "sum" })] })));
    const [member] = valueOf(await store.outbox.lease(leaseOf()));
    const failed = { owner: leaseOf().owner, key: member?.key ?? "", error: ERROR };
    valueOf(await store.outbox.markFailed(failed));
    const before = valueOf(await store.load("claims", "run-1"));
    assert.equal(before?.status, "failed");
    assert.deepEqual(valueOf(await store.cancel(DECISION)), { cancelled: false });
    assert.deepEqual(valueOf(await store.load("claims", "run-1")), before);
    assert.deepEqual(await statusesOf(store), ["verify failed", "sum joining"]);
    assert.deepEqual(valueOf(await store.retry(DECISION)), { retried: 1 });
    assert.deepEqual(valueOf(await store.cancel(DECISION)), { cancelled: true });
  }),
  contractCase("an ended run is removed completely, another one is refused", async ({ store }) => {
    const [key = ""] = await commitWithRows(store, 1);
    valueOf(await store.commit(commitOf({ runId: "run-2", commands: [] })));
    const error = errorOf(await store.remove(RUN), "run_active");
    assert.equal(
      error.message,
      'Run "run-1" is running, so it can\'t be deleted. ' +
        "Cancel it first: npx veritest runs cancel <id> --reason <text>.",
    );
    valueOf(await store.commit(commitOf({ stepId: key, expectedVersion: 1 })));
    assert.deepEqual(valueOf(await store.remove(RUN)), { removed: true });
    assert.deepEqual(valueOf(await store.remove(RUN)), { removed: false });
    assert.equal(valueOf(await store.load("claims", "run-1")), undefined);
    assert.deepEqual([valueOf(await store.entries("claims", "run-1")), await rowsOf(store)], [[], []]);
    assert.equal(valueOf(await store.outbox.get(key)), undefined);
    assert.equal(valueOf(await store.list()).length, 1);
    assert.equal((await commitWithRows(store, 1)).length, 1);
  }),
  contractCase("a command with a delay is due later", async ({ store, now, pass }) => {
    const commands = [invoke("remind", 1, { after: 500 }), invoke("verify", 1)];
    valueOf(await store.commit(commitOf({ commands })));
    const targets = async (): Promise<readonly string[]> =>
      valueOf(await store.outbox.lease(leaseOf())).map(({ target }) => target);
    assert.deepEqual(await targets(), ["verify"]);
    assert.equal((await rowsOf(store))[0]?.availableAt, now() + 500);
    pass(499);
    assert.deepEqual(await targets(), []);
    pass(1);
    assert.deepEqual(await targets(), ["remind"]);
  }),
  contractCase("a collect waits for the last command of its fanout, and for no other", async ({ store }) => {
    const commands = [fanout("verify", ["a", "b"], { then: "sum" }), invoke("other", 1)];
    valueOf(await store.commit(commitOf({ commands })));
    const [first, second, sum] = await rowsOf(store);
    assert.deepEqual(await statusesOf(store), ["verify pending", "verify pending", "sum joining", "other pending"]);
    assert.deepEqual([sum?.kind, sum?.payload], ["collect", { keys: [first?.key, second?.key] }]);
    valueOf(await store.commit(commitOf({ stepId: second?.key ?? "", expectedVersion: 1 })));
    assert.equal((await statusesOf(store))[2], "sum joining");
    valueOf(await store.commit(commitOf({ stepId: first?.key ?? "", expectedVersion: 2 })));
    assert.deepEqual(await statusesOf(store), [
      "verify dispatched",
      "verify dispatched",
      "sum pending",
      "other pending",
    ]);
    valueOf(await store.commit(commitOf({ stepId: sum?.key ?? "", expectedVersion: 3 })));
    assert.equal((await statusesOf(store))[2], "sum dispatched");
  }),
  contractCase(
    "a run whose collect waits for a failed command has failed, and goes on after a retry",
    async ({ store }) => {
      valueOf(await store.commit(commitOf({ commands: [fanout("verify", ["a", "b"], { then: "sum" })] })));
      const [first, second] = await rowsOf(store);
      valueOf(await store.outbox.lease(leaseOf()));
      valueOf(await store.outbox.markFailed({ owner: "worker-1", key: first?.key ?? "", error: ERROR }));
      valueOf(await store.commit(commitOf({ stepId: second?.key ?? "", expectedVersion: 1 })));
      assert.deepEqual(await statusesOf(store), ["verify failed", "verify dispatched", "sum joining"]);
      assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "failed");
      valueOf(await store.retry(DECISION));
      assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "running");
      valueOf(await store.commit(commitOf({ stepId: first?.key ?? "", expectedVersion: 3 })));
      assert.deepEqual(await statusesOf(store), ["verify dispatched", "verify dispatched", "sum pending"]);
    },
  ),
  contractCase("a collect waits until a suspended command of its fanout is resumed and done", async ({ store }) => {
    const { key, other, blockId } = await blockedMember(store, suspend({ reason: "wait", checkpoint: 1 }));
    assert.deepEqual(await statusesOf(store), ["verify blocked", "verify dispatched", "sum joining"]);
    const decision = { kind: "resume", data: 2 } as const;
    valueOf(await store.blocks.resolve({ blockId, decision, reason: "r", actor: "ann" }));
    const rows = await statusesOf(store);
    assert.deepEqual(rows, ["verify dispatched", "verify dispatched", "sum joining", "extract pending"]);
    const resumed = (await rowsOf(store))[3]?.key ?? "";
    assert.notEqual(resumed, key);
    assert.notEqual(resumed, other);
    valueOf(await store.commit(commitOf({ stepId: resumed, expectedVersion: 4 })));
    assert.equal((await statusesOf(store))[2], "sum pending");
  }),
  ...(["approve", "override", "reject"] as const).map((kind) =>
    contractCase(`a collect waits for the review of its fanout's command: ${kind}`, async ({ store }) => {
      const { blockId } = await blockedMember(store, review("look"));
      assert.equal((await statusesOf(store))[2], "sum joining");
      const decision = kind === "override" ? { kind, patch: { risk: "high" } } : { kind };
      valueOf(await store.blocks.resolve({ blockId, decision, reason: "r", actor: "ann" }));
      assert.deepEqual(
        await statusesOf(store),
        kind === "reject"
          ? ["verify rejected", "verify dispatched", "sum rejected"]
          : ["verify dispatched", "verify dispatched", "sum pending"],
      );
      assert.equal(valueOf(await store.load("claims", "run-1"))?.status, kind === "reject" ? "completed" : "running");
    }),
  ),
  contractCase("an empty collect is due at once; with a rejected review it's rejected", async ({ store }) => {
    valueOf(await store.commit(commitOf({ commands: [fanout("verify", [], { then: "sum" })] })));
    assert.deepEqual(await statusesOf(store), ["sum pending"]);
    const commands = [review("look"), fanout("verify", ["a"], { then: "sum" })];
    const { blockId = "" } = valueOf(await store.commit(commitOf({ stepId: "b", expectedVersion: 1, commands })));
    const decision = { kind: "reject" } as const;
    valueOf(await store.blocks.resolve({ blockId, decision, reason: "no", actor: "ann" }));
    assert.deepEqual(await statusesOf(store), ["sum pending", "verify rejected", "sum rejected"]);
  }),
];
