import { messageOf } from "../../../kernel/error-message.ts";

/** Codes of store errors. */
export type StoreErrorCode =
  | "version_conflict"
  | "run_not_found"
  | "orchestration_error"
  | "duplicate_command"
  | "block_not_found"
  | "wrong_decision"
  | "run_active"
  | "run_cancelled"
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

/** Error of a store. `retryable`: the same call may succeed later. */
export interface StoreError {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  /** Expected and actual version of the run. Only for `version_conflict`. */
  readonly expected?: number;
  readonly actual?: number;
  /** Keys of the rows that were not marked. Only for `lease_mismatch`. */
  readonly keys?: readonly string[];
  readonly cause?: unknown;
}

const RETRYABLE: ReadonlySet<StoreErrorCode> = new Set(["version_conflict", "unavailable"]);

/** Creates a store error. Its code determines if it's retryable. */
export function storeError(
  code: StoreErrorCode,
  message: string,
  more: Pick<StoreError, "expected" | "actual" | "keys" | "cause"> = {},
): StoreError {
  return { code, message, retryable: RETRYABLE.has(code), ...more };
}

/** Error of a write for an outdated version, or for a run that doesn't exist. */
export function versionConflict(runId: string, expected: number | undefined, actual: number | undefined): StoreError {
  if (expected === undefined && actual === undefined) return runNotFound(runId);
  if (expected === undefined)
    return storeError(
      "version_conflict",
      `Other processes changed run "${runId}" during each attempt to commit. Commit again.`,
      actual === undefined ? {} : { actual },
    );
  if (actual === undefined)
    return storeError(
      "run_not_found",
      `Run "${runId}" doesn't exist, so it isn't at version ${expected}. Start the run first.`,
      {
        expected,
      },
    );
  return storeError(
    "version_conflict",
    `Run "${runId}" is at version ${actual}, not ${expected}, because another process wrote first. Load the run again.`,
    { expected, actual },
  );
}

/** Error for a run that doesn't exist. */
export function runNotFound(runId: string): StoreError {
  return storeError("run_not_found", `Run "${runId}" doesn't exist. List runs: npx veritest runs list`);
}

/** Error of a commit to a cancelled run. */
export function runCancelled(runId: string): StoreError {
  return storeError(
    "run_cancelled",
    `Run "${runId}" is cancelled, so it doesn't accept further results. Start a new run.`,
  );
}

/** Error for a run that hasn't ended. */
export function runActive(runId: string, status: string): StoreError {
  const how = "Cancel it first: npx veritest runs cancel <id> --reason <text>.";
  return storeError("run_active", `Run "${runId}" is ${status}, so it can't be deleted. ${how}`);
}

/** Error of a row that has another owner or none. */
export function leaseMismatch(owner: string, keys: readonly string[]): StoreError {
  const rows = keys.length === 1 ? `Command ${keys[0]} is` : `${keys.length} commands are`;
  return storeError(
    "lease_mismatch",
    `${rows} not leased by "${owner}", because the lease has expired or belongs to another owner.`,
    {
      keys,
    },
  );
}

/** Error of a closed store. */
export const CLOSED: StoreError = storeError("closed", "The store is closed. Open it again.");

/** Error for any other failure of a store's driver. */
export function driverError(thrown: unknown): StoreError {
  return storeError("store_failed", `The store failed: ${messageOf(thrown)}.`, { cause: thrown });
}
