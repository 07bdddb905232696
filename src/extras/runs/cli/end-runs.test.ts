import { expect, test } from "vitest";
import { unwrap } from "../../../kernel/result.ts";
import { createMemoryStore } from "../store/memory.ts";
import { pruneRuns } from "./end-runs.ts";

test("prune keeps a run that was retried after it was listed, and deletes the other ended runs", async () => {
  const store = createMemoryStore();
  for (const runId of ["a", "b", "c"]) {
    unwrap(await store.start({ workflowId: "w", workflowVersion: "1.0.0", runId, step: "s", input: {} }));
    const [row] = unwrap(await store.outbox.lease({ owner: "o", limit: 1, leaseMs: 1000 }));
    const error = { code: "busy", message: "Not now." };
    unwrap(await store.outbox.markFailed({ owner: "o", key: row?.key ?? "", error }));
  }
  const list = store.list.bind(store);
  store.list = async (filter) => {
    const listed = await list(filter);
    unwrap(await store.retry({ workflowId: "w", runId: "b", reason: "r", actor: "ann" }));
    return listed;
  };
  expect(await pruneRuns(store, { before: Date.now() + 1000 })).toBe(2);
  expect(unwrap(await list()).map(({ runId, status }) => [runId, status])).toEqual([["b", "running"]]);
});
