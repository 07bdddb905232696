import type { Actor } from "./actor.ts";

/** The newest format of a receipt. */
export const RECEIPT_VERSION = 1;

/** What was settled: `run` is a whole run in a worktree, the others are transactions over baselines. */
export const RECEIPT_KINDS = ["commit", "accept", "reject", "discard", "hold", "run"] as const;

/** What was settled. */
export type ReceiptKind = (typeof RECEIPT_KINDS)[number];

/** One check that stood between a proposal and its baseline. */
export interface ReceiptGate {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/** One file before and after; `null` where there was or is none. */
export interface ReceiptChange {
  /** With forward slashes, relative to the root. */
  readonly target: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A program and its version. */
export interface ReceiptRunner {
  readonly name: string;
  readonly version: string;
}

/** What the settlement ran on. */
export interface ReceiptVersions {
  readonly veritest: string;
  readonly node: string;
  /** Such as `linux-x64`. */
  readonly platform: string;
}

/** What a settlement says of itself; the chain's own fields come when it is appended. */
export interface ReceiptDraft {
  readonly txId: string;
  readonly kind: ReceiptKind;
  /** ISO 8601, in UTC. */
  readonly at: string;
  readonly run: string;
  readonly actor: Actor;
  readonly reason?: string;
  readonly scope?: "run" | "file" | "test";
  readonly gitHead?: string;
  /** Whether the work tree had changes of its own. */
  readonly dirty?: boolean;
  readonly gates: readonly ReceiptGate[];
  readonly changes: readonly ReceiptChange[];
  readonly runner?: ReceiptRunner;
  readonly versions: ReceiptVersions;
}

/** One settlement, linked to the one before it. */
export interface Receipt extends ReceiptDraft {
  readonly version: typeof RECEIPT_VERSION;
  /** Its number in the chain, from 1. */
  readonly seq: number;
  /** `sha256:…` of the canonical JSON of all other fields. */
  readonly id: string;
  /** The id of the receipt before it; `null` for the first. */
  readonly parent: string | null;
}
