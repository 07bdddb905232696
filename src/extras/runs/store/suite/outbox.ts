import assert from "node:assert/strict";
import { emit, invoke, suspend } from "../../../../kernel/step/command.ts";
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

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** Leases and marks. */
export const OUTBOX: readonly ContractCase[] = [
  contractCase("an empty store leases no rows", async ({ store }) => {
    assert.deepEqual(valueOf(await store.outbox.lease(leaseOf())), []);
  }),
  contractCase("a lease returns complete rows, with owner, end and attempt", async ({ store, now }) => {
    const [key] = await commitWithRows(store, 1);
    assert.deepEqual(valueOf(await store.outbox.lease(leaseOf())), [
      {
        key,
        workflowId: "claims",
        workflowVersion: "1.0.0",
        runId: "run-1",
        stepId: "extract",
        kind: "invoke",
        target: "verify",
        payload: 0,
        status: "leased",
        finished: false,
        attempts: 1,
        availableAt: now(),
        leaseOwner: "worker-1",
        leaseUntil: now() + 60_000,
      },
    ]);
  }),
  contractCase("rows carry the trace they were written in to whoever leases them", async ({ store }) => {
    const start = { workflowId: "claims", workflowVersion: "1.0.0", runId: "run-2", step: "extract", input: 1 };
    valueOf(await store.start({ ...start, traceparent: TRACEPARENT }));
    const commands = [invoke("verify", 1), emit("noted", 2)];
    valueOf(await store.commit(commitOf({ commands, traceparent: TRACEPARENT })));
    const leased = valueOf(await store.outbox.lease(leaseOf()));
    assert.deepEqual(
      leased.map(({ target, traceparent }) => [target, traceparent]),
      [
        ["extract", TRACEPARENT],
        ["verify", TRACEPARENT],
        ["noted", TRACEPARENT],
      ],
    );
  }),
  contractCase("an invalid traceparent isn't stored", async ({ store }) => {
    const traceparent = `${TRACEPARENT}; and some text of anybody's`;
    valueOf(await store.commit(commitOf({ commands: [invoke("verify", 1)], traceparent })));
    const [row] = await rowsOf(store);
    assert.equal(row !== undefined && "traceparent" in row, false);
  }),
  contractCase("a resumed run goes on in the trace of the step that had suspended", async ({ store }) => {
    const start = { workflowId: "claims", workflowVersion: "1.0.0", runId: "run-1", step: "extract", input: 1 };
    valueOf(await store.start({ ...start, traceparent: TRACEPARENT }));
    const [first] = await rowsOf(store);
    const commands = [suspend({ reason: "a document is missing", checkpoint: 1 })];
    const commit = commitOf({ stepId: first?.key ?? "", expectedVersion: 1, commands });
    const blockId = valueOf(await store.commit(commit)).blockId ?? "";
    const decision = { kind: "resume", data: 2 } as const;
    valueOf(await store.blocks.resolve({ blockId, decision, reason: "it came", actor: "ann" }));
    const rows = await rowsOf(store);
    assert.deepEqual(
      rows.map(({ stepId, traceparent }) => [stepId, traceparent]),
      [
        ["start", TRACEPARENT],
        [`resume:${blockId}`, TRACEPARENT],
      ],
    );
  }),
  contractCase("get returns a row by its key", async ({ store }) => {
    const [key = ""] = await commitWithRows(store, 1);
    assert.deepEqual(valueOf(await store.outbox.get(key)), (await rowsOf(store))[0]);
    assert.equal(valueOf(await store.outbox.get("sha256:none")), undefined);
  }),
  contractCase("rows are leased in the order in which they were written", async ({ store }) => {
    const keys = await commitWithRows(store, 7);
    const leased = [
      ...valueOf(await store.outbox.lease(leaseOf({ limit: 3 }))),
      ...valueOf(await store.outbox.lease(leaseOf({ limit: 3 }))),
      ...valueOf(await store.outbox.lease(leaseOf({ limit: 3 }))),
    ];
    assert.deepEqual(
      leased.map(({ key }) => key),
      keys,
    );
  }),
  contractCase("rows of older commits are leased first", async ({ store, pass }) => {
    valueOf(await store.commit(commitOf({ commands: [emit("first", 1)] })));
    pass(5);
    valueOf(await store.commit(commitOf({ runId: "run-2", commands: [emit("second", 1)] })));
    pass(5);
    valueOf(await store.commit(commitOf({ runId: "run-0", commands: [emit("third", 1)] })));
    const leased = valueOf(await store.outbox.lease(leaseOf()));
    assert.deepEqual(
      leased.map(({ target }) => target),
      ["first", "second", "third"],
    );
  }),
  contractCase("a leased row isn't leased to another owner", async ({ store }) => {
    await commitWithRows(store, 3);
    assert.equal(valueOf(await store.outbox.lease(leaseOf())).length, 3);
    assert.equal(valueOf(await store.outbox.lease(leaseOf({ owner: "worker-2" }))).length, 0);
  }),
  contractCase("owners at once share the rows, none twice", async ({ store }) => {
    const keys = await commitWithRows(store, 60);
    const leases = await Promise.all(
      Array.from({ length: 12 }, (_, index) => store.outbox.lease(leaseOf({ owner: `w${index}`, limit: 10 }))),
    );
    const leased = leases.flatMap((lease) => valueOf(lease).map(({ key }) => key));
    assert.equal(new Set(leased).size, leased.length);
    assert.deepEqual(leased.toSorted(), keys.toSorted());
  }),
  contractCase("a limit of 0 leases nothing", async ({ store }) => {
    await commitWithRows(store, 2);
    assert.deepEqual(valueOf(await store.outbox.lease(leaseOf({ limit: 0 }))), []);
  }),
  contractCase("an effect that is marked is finished", async ({ store }) => {
    valueOf(await store.commit(commitOf({ commands: [emit("paid", 1)] })));
    const [row] = valueOf(await store.outbox.lease(leaseOf()));
    assert.deepEqual(valueOf(await store.outbox.markDispatched({ owner: "worker-1", keys: [row?.key ?? ""] })), {
      marked: 1,
    });
    const [after] = await rowsOf(store);
    assert.deepEqual([after?.status, after?.finished, after?.leaseOwner], ["dispatched", true, undefined]);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "completed");
  }),
  contractCase("a step that is handed on is finished by its commit only", async ({ store }) => {
    const [key = ""] = await commitWithRows(store, 1);
    valueOf(await store.outbox.lease(leaseOf()));
    valueOf(await store.outbox.markDispatched({ owner: "worker-1", keys: [key] }));
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "running");
    valueOf(await store.commit(commitOf({ stepId: key, expectedVersion: 1 })));
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "completed");
  }),
  contractCase("a marked row is not leased again", async ({ store, pass }) => {
    const keys = await commitWithRows(store, 2);
    valueOf(await store.outbox.lease(leaseOf()));
    valueOf(await store.outbox.markDispatched({ owner: "worker-1", keys }));
    pass(1_000_000);
    assert.equal(valueOf(await store.outbox.reclaim()).reclaimed, 0);
    assert.deepEqual(valueOf(await store.outbox.lease(leaseOf())), []);
  }),
  contractCase("only the owner may mark, and the error names the rows", async ({ store }) => {
    const keys = await commitWithRows(store, 2);
    valueOf(await store.outbox.lease(leaseOf()));
    const error = errorOf(await store.outbox.markDispatched({ owner: "worker-2", keys }), "lease_mismatch");
    assert.deepEqual(error.keys, keys);
    assert.deepEqual(await statusesOf(store), ["verify leased", "verify leased"]);
  }),
  contractCase("marks only the owner's rows and names the others", async ({ store }) => {
    const keys = await commitWithRows(store, 2);
    valueOf(await store.outbox.lease(leaseOf({ limit: 1 })));
    valueOf(await store.outbox.lease(leaseOf({ limit: 1, owner: "worker-2" })));
    const error = errorOf(await store.outbox.markDispatched({ owner: "worker-1", keys }), "lease_mismatch");
    assert.deepEqual(error.keys, [keys[1]]);
    assert.deepEqual(await statusesOf(store), ["verify dispatched", "verify leased"]);
  }),
  contractCase("a row that is not leased cannot be marked", async ({ store }) => {
    const keys = await commitWithRows(store, 1);
    errorOf(await store.outbox.markDispatched({ owner: "worker-1", keys }), "lease_mismatch");
    errorOf(await store.outbox.markDispatched({ owner: "worker-1", keys: ["sha256:none"] }), "lease_mismatch");
  }),
  contractCase("marking no rows is fine", async ({ store }) => {
    assert.deepEqual(valueOf(await store.outbox.markDispatched({ owner: "worker-1", keys: [] })), { marked: 0 });
  }),
  contractCase("a lease lasts until its end", async ({ store, pass }) => {
    await commitWithRows(store, 1);
    valueOf(await store.outbox.lease(leaseOf()));
    pass(60_000);
    assert.equal(valueOf(await store.outbox.reclaim()).reclaimed, 0);
    pass(1);
    assert.equal(valueOf(await store.outbox.reclaim()).reclaimed, 1);
    assert.deepEqual(await statusesOf(store), ["verify pending"]);
  }),
  contractCase("a reclaimed row goes to the next owner, marked, and loses no attempt", async ({ store, pass }) => {
    await commitWithRows(store, 1);
    for (const worker of [1, 2, 3]) {
      const [row] = valueOf(await store.outbox.lease(leaseOf({ owner: `worker-${worker}` })));
      assert.deepEqual(
        [row?.attempts, row?.deaths, row?.leaseOwner],
        [1, worker === 1 ? undefined : 0, `worker-${worker}`],
      );
      pass(60_001);
      valueOf(await store.outbox.reclaim());
    }
  }),
  contractCase("a renewed lease lasts from now, for its owner's rows alone", async ({ store, pass }) => {
    const keys = await commitWithRows(store, 2);
    valueOf(await store.outbox.lease(leaseOf({ limit: 1 })));
    valueOf(await store.outbox.lease(leaseOf({ limit: 1, owner: "worker-2" })));
    pass(50_000);
    assert.deepEqual(valueOf(await store.outbox.renew({ owner: "worker-1", keys, leaseMs: 60_000 })), { renewed: 1 });
    pass(59_000);
    assert.equal(valueOf(await store.outbox.reclaim()).reclaimed, 1);
    assert.deepEqual(await statusesOf(store), ["verify leased", "verify pending"]);
    assert.deepEqual(valueOf(await store.outbox.renew({ owner: "worker-1", keys: [], leaseMs: 1 })), { renewed: 0 });
  }),
  contractCase("deaths are counted for one row, until it fails otherwise", async ({ store }) => {
    const [key = "", other = ""] = await commitWithRows(store, 2);
    valueOf(await store.outbox.lease(leaseOf()));
    assert.deepEqual(valueOf(await store.outbox.countDeath(key)), { deaths: 1 });
    assert.deepEqual(valueOf(await store.outbox.countDeath(key)), { deaths: 2 });
    assert.equal(valueOf(await store.outbox.get(other))?.deaths, undefined);
    valueOf(await store.outbox.markFailed({ owner: "worker-1", key, error: ERROR, retryMs: 0 }));
    assert.equal(valueOf(await store.outbox.get(key))?.deaths, undefined);
    valueOf(await store.commit(commitOf({ stepId: other, expectedVersion: 1 })));
    assert.equal(valueOf(await store.outbox.countDeath(other)), undefined);
  }),
  contractCase("who lost a lease can no longer mark", async ({ store, pass }) => {
    const keys = await commitWithRows(store, 1);
    valueOf(await store.outbox.lease(leaseOf()));
    pass(60_001);
    valueOf(await store.outbox.reclaim());
    errorOf(await store.outbox.markDispatched({ owner: "worker-1", keys }), "lease_mismatch");
    valueOf(await store.outbox.lease(leaseOf({ owner: "worker-2" })));
    errorOf(await store.outbox.markDispatched({ owner: "worker-1", keys }), "lease_mismatch");
    errorOf(await store.outbox.markFailed({ owner: "worker-1", key: keys[0] ?? "", error: ERROR }), "lease_mismatch");
    assert.deepEqual(valueOf(await store.outbox.markDispatched({ owner: "worker-2", keys })), { marked: 1 });
  }),
  contractCase("who lost a lease may still commit, once", async ({ store, pass }) => {
    const [key = ""] = await commitWithRows(store, 1);
    valueOf(await store.outbox.lease(leaseOf()));
    pass(60_001);
    valueOf(await store.outbox.reclaim());
    valueOf(await store.outbox.lease(leaseOf({ owner: "worker-2" })));
    valueOf(await store.commit(commitOf({ stepId: key, expectedVersion: 1 })));
    assert.deepEqual(await statusesOf(store), ["verify dispatched"]);
    const second = await store.commit(commitOf({ stepId: key, expectedVersion: 2 }));
    assert.equal(valueOf(second).duplicate, true);
  }),
  contractCase("a failed row with a delay is pending until it has passed", async ({ store, pass }) => {
    const [key = ""] = await commitWithRows(store, 1);
    valueOf(await store.outbox.lease(leaseOf()));
    const marked = await store.outbox.markFailed({ owner: "worker-1", key, error: ERROR, retryMs: 500 });
    assert.deepEqual(valueOf(marked), { status: "pending" });
    assert.deepEqual(valueOf(await store.outbox.lease(leaseOf())), []);
    pass(500);
    const [row] = valueOf(await store.outbox.lease(leaseOf()));
    assert.deepEqual([row?.attempts, row?.error], [2, ERROR]);
  }),
  contractCase("an attempt that does not count is not counted", async ({ store, pass }) => {
    const [key = ""] = await commitWithRows(store, 1);
    for (const attempts of [1, 1, 1]) {
      const [row] = valueOf(await store.outbox.lease(leaseOf()));
      assert.equal(row?.attempts, attempts);
      const mark = { owner: "worker-1", key, error: ERROR, retryMs: 10, uncounted: true };
      assert.deepEqual(valueOf(await store.outbox.markFailed(mark)), { status: "pending" });
      pass(10);
    }
  }),
  contractCase("a failed row without a delay is failed for good, and its run", async ({ store, pass }) => {
    const [key = ""] = await commitWithRows(store, 1);
    valueOf(await store.outbox.lease(leaseOf()));
    const marked = await store.outbox.markFailed({ owner: "worker-1", key, error: ERROR });
    assert.deepEqual(valueOf(marked), { status: "failed" });
    pass(1_000_000);
    valueOf(await store.outbox.reclaim());
    assert.deepEqual(valueOf(await store.outbox.lease(leaseOf())), []);
    const [row] = await rowsOf(store);
    assert.deepEqual([row?.status, row?.finished, row?.error], ["failed", true, ERROR]);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "failed");
  }),
  contractCase("a run with failed and open commands is running", async ({ store }) => {
    const [key = ""] = await commitWithRows(store, 2);
    valueOf(await store.outbox.lease(leaseOf()));
    valueOf(await store.outbox.markFailed({ owner: "worker-1", key, error: ERROR }));
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "running");
  }),
  contractCase("a queued row may be failed by any worker", async ({ store }) => {
    const keys = await commitWithRows(store, 1);
    valueOf(await store.outbox.lease(leaseOf()));
    valueOf(await store.outbox.markDispatched({ owner: "worker-1", keys }));
    const marked = await store.outbox.markFailed({ owner: "queue-worker", key: keys[0] ?? "", error: ERROR });
    assert.deepEqual(valueOf(marked), { status: "failed" });
  }),
  contractCase("a queued effect is finished once", async ({ store }) => {
    valueOf(await store.commit(commitOf({ commands: [emit("paid", 1)] })));
    const [row] = valueOf(await store.outbox.lease(leaseOf()));
    const key = row?.key ?? "";
    assert.deepEqual(valueOf(await store.outbox.finish(key)), { finished: false });
    valueOf(await store.outbox.markDispatched({ owner: "worker-1", keys: [key], queued: true }));
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "running");
    assert.deepEqual(valueOf(await store.outbox.finish(key)), { finished: true });
    assert.deepEqual(valueOf(await store.outbox.finish(key)), { finished: false });
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "completed");
  }),
  contractCase("a finished row cannot fail", async ({ store }) => {
    const [key = ""] = await commitWithRows(store, 1);
    valueOf(await store.commit(commitOf({ stepId: key, expectedVersion: 1 })));
    errorOf(await store.outbox.markFailed({ owner: "worker-1", key, error: ERROR }), "lease_mismatch");
  }),
  contractCase("a delayed row doesn't delay the others", async ({ store }) => {
    const [first = "", second = "", third = ""] = await commitWithRows(store, 3);
    valueOf(await store.outbox.lease(leaseOf({ limit: 1 })));
    valueOf(await store.outbox.markFailed({ owner: "worker-1", key: first, error: ERROR, retryMs: 1_000_000 }));
    const leased = valueOf(await store.outbox.lease(leaseOf()));
    assert.deepEqual(
      leased.map(({ key }) => key),
      [second, third],
    );
  }),
  contractCase("a row that becomes pending again is sorted by its due time", async ({ store, pass }) => {
    const [first = "", second = "", third = ""] = await commitWithRows(store, 3);
    valueOf(await store.outbox.lease(leaseOf({ limit: 1 })));
    valueOf(await store.outbox.markFailed({ owner: "worker-1", key: first, error: ERROR, retryMs: 10 }));
    pass(20);
    const leased = valueOf(await store.outbox.lease(leaseOf()));
    assert.deepEqual(
      leased.map(({ key }) => key),
      [second, third, first],
    );
  }),
  contractCase("leasing takes rows of every workflow and run", async ({ store }) => {
    for (const workflowId of ["claims", "invoices"])
      for (const runId of ["a", "b"])
        valueOf(await store.commit(commitOf({ workflowId, runId, commands: [invoke("verify", 1)] })));
    const leased = valueOf(await store.outbox.lease(leaseOf()));
    assert.deepEqual(
      leased.map(({ workflowId, runId }) => `${workflowId}/${runId}`),
      ["claims/a", "claims/b", "invoices/a", "invoices/b"],
    );
  }),
  contractCase("a thousand rows go through in batches", async ({ store }) => {
    await commitWithRows(store, 1000);
    let handed = 0;
    for (;;) {
      const rows = valueOf(await store.outbox.lease(leaseOf()));
      if (rows.length === 0) break;
      const keys = rows.map(({ key }) => key);
      handed += valueOf(await store.outbox.markDispatched({ owner: "worker-1", keys })).marked;
    }
    assert.equal(handed, 1000);
  }),
];
