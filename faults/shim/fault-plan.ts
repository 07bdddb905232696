import { isPlainObject } from "../../src/kernel/json/plain-data.ts";

/**
 * What happens at the chosen call: the process dies before or after it, dies in the middle of a write, or the call
 * fails.
 */
export type FaultAction = "kill before" | "kill after" | "tear" | "fail" | "fail after";

/** Which call of a program meets which fault. */
export interface FaultPlan {
  /** Calls on paths below these directories count, others are the program's own affair. */
  readonly within: readonly string[];
  /** `writes` change or sync something, `reads` only look. */
  readonly counts: "writes" | "reads";
  /** The number of the call, from 1; 0 for none, to count or trace them. */
  readonly at: number;
  readonly action: FaultAction;
  /** The system's error code, for calls that fail. */
  readonly code: string;
  /** True when every later call that can fail so does too. */
  readonly sticky: boolean;
  /** The number of a later call before which the process dies as well. */
  readonly killAt?: number;
  /** True for a file system without hard links and syncs of directories, beside the fault. */
  readonly poor?: boolean;
}

/** Narrows what one process handed to another. */
export function isFaultPlan(value: unknown): value is FaultPlan {
  if (!isPlainObject(value) || !Array.isArray(value["within"])) return false;
  return typeof value["at"] === "number" && typeof value["action"] === "string" && typeof value["counts"] === "string";
}

/** A plan without a fault. */
export function watchOnly(within: readonly string[]): FaultPlan {
  return { within, counts: "writes", at: 0, action: "fail", code: "EIO", sticky: false };
}
