import assert from "node:assert/strict";
import type { Result } from "../../../../kernel/result.ts";
import type { CommandRow, Lease, RunStore, StepCommit } from "../contract.ts";
import type { StoreError, StoreErrorCode } from "../store-error.ts";

/** What a case asks of the store it is given. */
export interface CaseStoreOptions {
  /** The store's now, in Unix milliseconds: cases move time themselves. */
  readonly clock: () => number;
  /** As `StoreLimits.maxBytes`; left to the store's default where it is absent. */
  readonly maxBytes?: number;
}

/** Opens a store that holds nothing. A second call in one case opens the same data once more. */
export type OpenStore = (options: CaseStoreOptions) => Promise<RunStore>;

/** One promise that every store keeps. */
export interface ContractCase {
  readonly name: string;
  /** Rejects with an `AssertionError` where the store does not keep it. */
  readonly run: (open: OpenStore) => Promise<void>;
}

/** A fresh store and the time it goes by. */
export interface CaseWorld {
  readonly store: RunStore;
  readonly now: () => number;
  /** Moves time. */
  readonly pass: (milliseconds: number) => void;
}

/** Makes a case of what it does in a fresh world. */
export function contractCase(
  name: string,
  body: (world: CaseWorld) => Promise<void>,
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

/** A run's first commit, with what a case changes of it. */
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

/** A lease of everything, for a minute. */
export function leaseOf(changes: Partial<Lease> = {}): Lease {
  return { owner: "worker-1", limit: 100, leaseMs: 60_000, ...changes };
}

/** The value of a result, or a failed case. */
export function valueOf<T>(result: Result<T, StoreError>): T {
  assert.ok(result.ok, result.ok ? "" : `${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** The error of a result, of the code it must have. */
export function errorOf(result: Result<unknown, StoreError>, code: StoreErrorCode): StoreError {
  assert.ok(!result.ok, `expected the error ${code}`);
  assert.equal(result.error.code, code, result.error.message);
  return result.error;
}

/** The commands of the usual run. */
export async function rowsOf(store: RunStore): Promise<readonly CommandRow[]> {
  return valueOf(await store.commands("claims", "run-1"));
}

/** What stands where, in the order in which it was written. */
export async function standings(store: RunStore): Promise<readonly string[]> {
  return (await rowsOf(store)).map(({ target, status }) => `${target} ${status}`);
}
