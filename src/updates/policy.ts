import { MAX_BASELINE_BYTES } from "../redact/project-settings.ts";
import type { Result } from "../kernel/result.ts";
import type { VerdictClass } from "../check/verdict.ts";
import type { ActorKind } from "./receipts/actor.ts";

/** Unit that must pass before its updates are written: the run, each test file, or each test. */
export type Scope = "run" | "file" | "test";

/** A command that must exit with 0 before baselines are written. */
export interface VerifyCommand {
  /** Name of the command in messages. */
  readonly name: string;
  /** Program and its arguments, run without a shell. */
  readonly run: readonly string[];
  /** Milliseconds after which the command is killed and counts as failed. */
  readonly timeoutMs: number;
}

/** One pending update, as a policy's `approve` receives it. */
export interface ProposedChange {
  readonly kind: "add" | "update" | "remove";
  /** Path of the baseline file, relative to the project's root, with forward slashes. */
  readonly target: string;
  /** Name of the step, or the test file of a value. */
  readonly group: string;
  readonly verdict: VerdictClass;
  /** Changes as they were shown, safe to print. */
  readonly shown: readonly string[];
  /** Text to write, which is untrusted model output. Undefined for a removal. */
  readonly text: string | undefined;
}

/** Context of the updates, passed to `approve`. */
export interface ApprovalContext {
  readonly actor: ActorKind;
  readonly reason: string | undefined;
  readonly root: string;
}

/** Approval of a set of changes: true, false, or a sentence with the reason for a refusal. */
export type Approve = (
  changes: readonly ProposedChange[],
  context: ApprovalContext,
) => boolean | string | Promise<boolean | string>;

/** Settings for redaction in a project, besides the secrets that are detected automatically. */
export interface RedactSettings {
  readonly fields: readonly string[];
  readonly paths: readonly string[];
  readonly keep: readonly string[];
  /** Regular expressions of the parts of texts that are secrets. */
  readonly patterns?: readonly string[] | undefined;
  /** Kinds of artifacts, or paths, of which only the hash is stored. */
  readonly hashOnly?: readonly string[] | undefined;
}

/** Changes that must be reviewed one by one, not by an example of their group. */
export type ForbiddenGroups = "protected" | "agents";

/** Conditions for writing baselines, besides those that always apply. */
export interface Policy {
  readonly scope: Scope;
  /** Kind of actor. Inferred from the environment if undefined. */
  readonly actor: ActorKind | undefined;
  /** Permission of an agent's runs: to write baselines or only to propose updates. */
  readonly agents: "propose-only" | "commit";
  /** Maximum number of baselines that one commit may update or remove. Additions aren't counted. */
  readonly maxUpdates: number;
  /** Names of steps, with `*` for any characters, whose baselines are only written by `veritest accept`. */
  readonly protect: readonly string[];
  /** Classes of changes that are never written, such as `schema_violation`. */
  readonly forbid: readonly VerdictClass[];
  /** True if a baseline whose output has fields that the step's schema doesn't name can't be written. */
  readonly forbidUnnamed: boolean;
  /** True if a reason is required: `VERITEST_REASON`, or `--reason` on the command line. */
  readonly requireReason: boolean;
  /** Changes that can't be accepted as a group: changes of protected steps, or changes that an agent accepts. */
  readonly forbidGroups: readonly ForbiddenGroups[];
  readonly verify: readonly VerifyCommand[];
  readonly approve: Approve | undefined;
  /** Maximum size of a baseline, in bytes. */
  readonly maxBytes: number;
  /** Days until an undecided pending update is dropped. */
  readonly pendingDays: number;
  /**
   * Settings for redaction, in addition to the secrets that are detected automatically. The secrets gate also uses
   * them.
   */
  readonly redact: RedactSettings;
  /** True if a file that was edited by hand since its last commit may be overwritten. */
  readonly allowDirty: boolean;
}

/** Policy of a directory. */
export interface PolicyAt {
  readonly policy: Policy;
  /** Directory of the configuration that the policy is from. Undefined without a configuration. */
  readonly root: string | undefined;
}

/** Looks up the policy of a directory. The error is one sentence: its configuration can't be loaded. */
export type LookUpPolicy = (directory: string) => Promise<Result<PolicyAt, string>>;

/** The policy of a project without a configuration. */
export const DEFAULT_POLICY: Policy = {
  scope: "run",
  actor: undefined,
  agents: "commit",
  maxUpdates: Infinity,
  protect: [],
  forbid: [],
  forbidUnnamed: false,
  requireReason: false,
  forbidGroups: [],
  verify: [],
  approve: undefined,
  maxBytes: MAX_BASELINE_BYTES,
  pendingDays: 30,
  allowDirty: false,
  redact: { fields: [], paths: [], keep: [] },
};
