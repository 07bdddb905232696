import { expect, test } from "vitest";
import { unwrap } from "../../../kernel/result.ts";
import { createMemoryStore } from "../store/memory.ts";
import { waitForRun } from "./wait-for-run.ts";

const RUN = { workflowId: "w", runId: "r" };

test("returns a run once it isn't running any longer", async () => {
  const store = createMemoryStore();
  unwrap(await store.start({ ...RUN, workflowVersion: "1.0.0", step: "s", input: 1 }));
  const waiting = waitForRun({ store, ...RUN, pollMs: 1 });
  unwrap(await store.cancel({ ...RUN, reason: "r", actor: "ann" }));
  expect(unwrap(await waiting).status).toBe("cancelled");
});

test("returns an error for a missing run, and after the timeout", async () => {
  const store = createMemoryStore();
  expect(await waitForRun({ store, ...RUN })).toMatchObject({
    ok: false,
    error: { code: "run_not_found", message: 'Run "r" doesn\'t exist. List runs: npx veritest runs list' },
  });
  unwrap(await store.start({ ...RUN, workflowVersion: "1.0.0", step: "s", input: 1 }));
  expect(await waitForRun({ store, ...RUN, timeoutMs: 0 })).toMatchObject({
    ok: false,
    error: {
      code: "unavailable",
      message: 'Run "r" is still running after 0 ms. Check that a runner is active, or wait longer.',
    },
  });
});
