import assert from "node:assert/strict";
import { fanout } from "../../../../kernel/step/command.ts";
import type { Result } from "../../../../kernel/result.ts";
import type { CommandRow, Lease, RunStore, StepCommit } from "../contract.ts";
import type { StoreError, StoreErrorCode } from "../store-error.ts";

/** Options of the store that a case needs. */
export interface CaseStoreOptions {
  /** The store's time, in Unix milliseconds: cases advance it themselves. */
  readonly clock: () => number;
  /** Maximum bytes of one JSON text. Default: the store's own. */
  readonly maxBytes?: number;
}

/** Opens an empty store. If a case calls it again, the next store has the data of the first. */
export type OpenStore = (options: CaseStoreOptions) => Promise<RunStore>;

/** One requirement of every store. */
export interface ContractCase {
  readonly name: string;
  /**
   * Checks the requirement with stores from `open`. Rejects with an `AssertionError` if a store doesn't meet the
   * requirement.
   */
  readonly run: (open: OpenStore) => Promise<void>;
}

/** An empty store and its clock. */
export interface ContractContext {
  readonly store: RunStore;
  readonly now: () => number;
  /** Advances the time. */
  readonly pass: (milliseconds: number) => void;
}

/** Creates a case that runs in a fresh context. */
export function contractCase(
  name: string,
  body: (context: ContractContext) => Promise<void>,
  options: Omit<CaseStoreOptions, "clock"> = {},
): ContractCase {
  return {
    name,
    run: async (open) => {
      let now = 1_700_000_000_000;
      const store = await open({ clock: () => now, ...options });
      try {
        await body({ store, now: () => now, pass: (milliseconds) => void (now += milliseconds) });
      } finally {
        await store.close();
      }
    },
  };
}

/** Returns a run's first commit, with the changes of a case. */
export function commitOf(changes: Partial<StepCommit> = {}): StepCommit {
  return {
    workflowId: "claims",
    workflowVersion: "1.0.0",
    runId: "run-1",
    stepId: "extract",
    stepName: "extract",
    expectedVersion: 0,
    input: { text: "water damage" },
    output: { risk: "low" },
    events: [{ type: "extracted", payload: { claims: 2 } }],
    commands: [],
    ...changes,
  };
}

/** Commits a fanout of `count` inputs, and returns the keys of its commands. */
export async function commitWithRows(store: RunStore, count: number): Promise<readonly string[]> {
  const inputs = Array.from({ length: count }, (_, id) => id);
  valueOf(await store.commit(commitOf({ commands: [fanout("verify", inputs)] })));
  return (await rowsOf(store)).map(({ key }) => key);
}

/** Returns a lease of all rows, for a minute. */
export function leaseOf(changes: Partial<Lease> = {}): Lease {
  return { owner: "worker-1", limit: 100, leaseMs: 60_000, ...changes };
}

/** Returns the value of a result, or fails the case. */
export function valueOf<T>(result: Result<T, StoreError>): T {
  assert.ok(result.ok, result.ok ? "" : `${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** Returns the error of a result, or fails the case if its code differs. */
export function errorOf(result: Result<unknown, StoreError>, code: StoreErrorCode): StoreError {
  assert.ok(!result.ok, `expected the error ${code}`);
  assert.equal(result.error.code, code, result.error.message);
  return result.error;
}

/** Lists the commands of the usual run. */
export async function rowsOf(store: RunStore): Promise<readonly CommandRow[]> {
  return valueOf(await store.commands("claims", "run-1"));
}

/** Lists the statuses of the usual run's commands, in the order in which they were written. */
export async function statusesOf(store: RunStore): Promise<readonly string[]> {
  return (await rowsOf(store)).map(({ target, status }) => `${target} ${status}`);
}
