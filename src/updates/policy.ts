import { MAX_BASELINE_BYTES } from "../redact/current-redactor.ts";
import type { VerdictKind } from "../check/verdict.ts";
import type { ActorKind } from "./receipts/actor.ts";

/** How much must be well before anything of a run is written: the whole run, each test file by itself, or each test. */
export type Scope = "run" | "file" | "test";

/** A command that must exit with 0 before baselines are written. */
export interface VerifyCommand {
  readonly name: string;
  /** The program and its arguments; no shell reads it. */
  readonly run: readonly string[];
  /** Milliseconds until it is killed and counts as failed. */
  readonly timeoutMs: number;
}

/** One proposed change, as a policy's `approve` sees it. */
export interface ProposedChange {
  readonly kind: "add" | "update" | "remove";
  /** The file, relative to the project's root, with forward slashes. */
  readonly target: string;
  /** The step, or the test file of a value. */
  readonly group: string;
  readonly verdict: VerdictKind;
  /** The changes as they were shown, safe to print. */
  readonly shown: readonly string[];
  /** The text to write: model output, not to be trusted; undefined for a removal. */
  readonly text: string | undefined;
}

/** What `approve` is told of the settlement. */
export interface ApprovalContext {
  readonly actor: ActorKind;
  readonly reason: string | undefined;
  readonly root: string;
}

/** The last word on a set of changes: true, or false, or one sentence on why not. */
export type Approve = (
  proposals: readonly ProposedChange[],
  context: ApprovalContext,
) => boolean | string | Promise<boolean | string>;

/** What a project redacts, or leaves alone, beside what is recognised by itself. */
export interface RedactSettings {
  readonly fields: readonly string[];
  readonly paths: readonly string[];
  readonly keep: readonly string[];
  /** Regular expressions of the parts of texts that are secrets. */
  readonly patterns?: readonly string[] | undefined;
  /** Kinds of artifacts, or paths, of which only the hash is kept. */
  readonly hashOnly?: readonly string[] | undefined;
  /** Paths in requests that are no part of them. */
  readonly ignore?: readonly string[] | undefined;
  readonly keepIds?: boolean | undefined;
}

/** Of whom a policy may ask to look at each change, and not at an example of a group. */
export type ForbiddenGroups = "protected" | "agents";

/** What must hold before baselines are written, beside what always must. */
export interface Policy {
  readonly scope: Scope;
  /** Who acts; inferred from the environment where undefined. */
  readonly actor: ActorKind | undefined;
  /** Whether an agent's runs write baselines or only propose them. */
  readonly agents: "propose-only" | "commit";
  /** The most baselines one settlement may update or remove; additions are not counted. */
  readonly maxUpdates: number;
  /** Names of steps, with `*` for any characters, whose baselines are only written by `veritest accept`. */
  readonly protect: readonly string[];
  /** Classes of verdicts whose changes are never written. */
  readonly forbid: readonly VerdictKind[];
  /** Whether a reason must be given: `VERITEST_REASON`, or `--reason` on the command line. */
  readonly requireReason: boolean;
  /** Whose changes are not accepted by the group: those of protected steps, those that an agent accepts. */
  readonly forbidGroups: readonly ForbiddenGroups[];
  readonly verify: readonly VerifyCommand[];
  readonly approve: Approve | undefined;
  /** The most bytes of one baseline. */
  readonly maxBytes: number;
  /** Days until a proposal that nobody settled is dropped. */
  readonly pendingDays: number;
  /**
   * What the project redacts, or leaves alone, beside what is recognised by itself: the secrets gate searches alike.
   */
  readonly redact: RedactSettings;
  /** Whether a file that was edited by hand since it was last committed may be overwritten. */
  readonly allowDirty: boolean;
}

/** The policy of a project without a configuration. */
export const DEFAULT_POLICY: Policy = {
  scope: "run",
  actor: undefined,
  agents: "commit",
  maxUpdates: Infinity,
  protect: [],
  forbid: [],
  requireReason: false,
  forbidGroups: [],
  verify: [],
  approve: undefined,
  maxBytes: MAX_BASELINE_BYTES,
  pendingDays: 30,
  allowDirty: false,
  redact: { fields: [], paths: [], keep: [] },
};
