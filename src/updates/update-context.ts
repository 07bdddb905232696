import { readVariable } from "../kernel/environment.ts";
import { realNow } from "../kernel/real-clock.ts";
import { type Result, ok } from "../kernel/result.ts";
import { type ProjectPaths } from "../kernel/files/project-paths.ts";
import { type Actor, inferActor } from "./receipts/actor.ts";
import { appendReceipt } from "./receipts/receipts.ts";
import { type NoteWriter, openNotes } from "./receipts/open-notes.ts";
import type { Receipt, ReceiptDraft } from "./receipts/receipt.ts";
import { createRedactor } from "../redact/create-redactor.ts";
import { secretVariables } from "../redact/known-values.ts";
import type { LookUpPolicy, Policy, PolicyAt } from "./policy.ts";

/** Notes and receipts of a project, without the secrets that its configuration names. */
export interface Records {
  readonly paths: ProjectPaths;
  readonly notes: NoteWriter;
  /** A receipt's words without the secrets in them. */
  readonly redact: <Draft extends Pick<ReceiptDraft, "reason" | "gates">>(draft: Draft) => Draft;
  /** A text without the secrets in it. */
  readonly redactText: (text: string) => string;
  /** Appends a receipt without the secrets in it. */
  readonly receipt: (draft: ReceiptDraft) => Receipt;
  /** Returns one sentence if a note was lost. */
  readonly close: () => string | undefined;
}

/** Actor, policy and records of a decision. */
export interface UpdateContext extends Records {
  readonly policy: Policy;
  readonly actor: Actor;
  /** `run`: the end of a test run. `person`: a person who reviews each change, as with `veritest accept`. */
  readonly by: "run" | "person";
  readonly reason: string | undefined;
  readonly now: Date;
  /** Policy and actor of the changes in a directory, if they may have another configuration than the run's own. */
  readonly policyAt?: ((directory: string) => Promise<Result<ActingPolicy, string>>) | undefined;
}

/** Policy of a directory, with the actor it applies to. */
export interface ActingPolicy extends PolicyAt {
  readonly actor: Actor;
}

/** Process state that a decision needs. */
export interface UpdateContextOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** True if the process has a terminal. */
  readonly isTTY: boolean;
  /** Reason for the decision. `VERITEST_REASON` if undefined. */
  readonly reason?: string | undefined;
  /** True if the actor sees each change before it's written. */
  readonly isInteractive?: boolean;
  readonly now?: Date;
  /** Looks up the policy of a directory. Default: one policy for all. */
  readonly lookUpPolicy?: LookUpPolicy;
}

/**
 * Opens the context of a decision: the actor, and notes and receipts that redact as the policy requires. Doesn't touch
 * a file before the first note or receipt. Returns an error sentence if the actor is unknown. {@link Records.close}
 * ends it.
 */
export function openUpdateContext(
  paths: ProjectPaths,
  policy: Policy,
  io: UpdateContextOptions,
): Result<UpdateContext, string> {
  const actor = resolveActor(policy, io);
  if (!actor.ok) return actor;
  const records = openRecords(paths, policy, io);
  const reason = io.reason ?? readVariable(io.environment, "VERITEST_REASON");
  return ok({
    ...records,
    policy,
    actor: actor.value,
    // Only a person accepts a protected step. For other actors the command line has the same rules as a run.
    by: io.isInteractive === true && actor.value.kind === "human" ? "person" : "run",
    // Redacted here, so that every user of the reason writes it without secrets.
    reason: reason === undefined ? undefined : records.redactText(reason),
    now: io.now ?? new Date(realNow()),
    policyAt: io.lookUpPolicy === undefined ? undefined : actingPolicies(io.lookUpPolicy, io),
  });
}

function actingPolicies(lookUp: LookUpPolicy, io: UpdateContextOptions): NonNullable<UpdateContext["policyAt"]> {
  return async (directory) => {
    const lookup = await lookUp(directory);
    if (!lookup.ok) return lookup;
    const actor = resolveActor(lookup.value.policy, io);
    return actor.ok ? ok({ ...lookup.value, actor: actor.value }) : actor;
  };
}

/** Opens notes and receipts for commands that write no baseline: `veritest note`, verified commits. */
export function openRecords(
  paths: ProjectPaths,
  { redact }: Pick<Policy, "redact">,
  { environment }: Pick<UpdateContextOptions, "environment">,
): Records {
  const { redactText } = createRedactor({ ...redact, values: secretVariables(environment) });
  const notes = openNotes({ directory: paths.notes, clock: Date.now, redact: redactText });
  const hide: Records["redact"] = (draft) => ({
    ...draft,
    ...(draft.reason === undefined ? {} : { reason: redactText(draft.reason) }),
    // A gate's name may be a command line, and its detail quotes its findings.
    gates: draft.gates.map((gate) => ({
      ...gate,
      name: redactText(gate.name),
      ...(gate.detail === undefined ? {} : { detail: redactText(gate.detail) }),
    })),
  });
  return {
    paths,
    notes,
    redact: hide,
    redactText,
    receipt: (draft) => appendReceipt(paths.notes, hide(draft)),
    close: () => notes.warning(),
  };
}

/** Actor of the process, from the policy or the environment. */
export function resolveActor(
  { actor }: Pick<Policy, "actor">,
  io: Pick<UpdateContextOptions, "environment" | "isTTY">,
): Result<Actor, string> {
  return actor === undefined ? inferActor(io) : ok({ kind: actor, because: "policy.actor" });
}
