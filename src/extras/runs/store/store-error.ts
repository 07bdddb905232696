import { messageOf } from "../../../kernel/thrown.ts";

/** What can go wrong with a store, each with its own words. */
export type StoreErrorCode =
  | "version_conflict"
  | "run_not_found"
  | "orchestration_error"
  | "duplicate_command"
  | "block_open"
  | "block_not_found"
  | "wrong_decision"
  | "lease_mismatch"
  | "not_json"
  | "payload_too_large"
  | "invalid_id"
  | "bad_url"
  | "schema_missing"
  | "schema_newer"
  | "no_rights"
  | "unavailable"
  | "closed"
  | "store_failed";

/** Why a store did nothing. `retryable`: the same call may work later. */
export interface StoreError {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  /** Of a `version_conflict`: the version asked for, and the one that is there. */
  readonly expected?: number;
  readonly found?: number;
  /** Of a `lease_mismatch`: the rows that were not marked. */
  readonly keys?: readonly string[];
  readonly cause?: unknown;
}

const RETRYABLE: ReadonlySet<StoreErrorCode> = new Set(["version_conflict", "block_open", "unavailable"]);

/** Makes a store error; whether it is retryable follows from its code. */
export function storeError(
  code: StoreErrorCode,
  message: string,
  more: Pick<StoreError, "expected" | "found" | "keys" | "cause"> = {},
): StoreError {
  return { code, message, retryable: RETRYABLE.has(code), ...more };
}

/** The error of a write that came too late, or for a run that is not there. */
export function versionConflict(runId: string, expected: number, found: number | undefined): StoreError {
  if (found === undefined)
    return storeError("run_not_found", `Run "${runId}" is not there: expected version ${expected}. Start it first.`, {
      expected,
    });
  return storeError(
    "version_conflict",
    `Run "${runId}" is at version ${found}, expected ${expected}: another write came first. Load it and try again.`,
    { expected, found },
  );
}

/** The error of a second block of a run. */
export function blockOpen(runId: string, blockId: string | undefined): StoreError {
  const which = blockId === undefined ? "" : ` (${blockId})`;
  return storeError("block_open", `Run "${runId}" waits already${which}: a run has one open block. Resolve it first.`);
}

/** The error of a row that another owner holds, or nobody. */
export function leaseMismatch(owner: string, keys: readonly string[]): StoreError {
  const rows = keys.length === 1 ? `Command ${keys[0]} is` : `${keys.length} commands are`;
  return storeError("lease_mismatch", `${rows} not leased by "${owner}": the lease ran out, or was never its own.`, {
    keys,
  });
}

/** The error of a store that was closed. */
export const CLOSED: StoreError = storeError("closed", "The store is closed. Open it again.");

/** Any other failure of a store's driver. */
export function driverError(thrown: unknown): StoreError {
  return storeError("store_failed", `The store failed: ${messageOf(thrown)}.`, { cause: thrown });
}
