import { readVariable } from "../kernel/environment.ts";
import { type Result, ok } from "../kernel/result.ts";
import { type Places } from "../kernel/files/places.ts";
import { type Actor, inferActor } from "./receipts/actor.ts";
import { appendReceipt } from "./receipts/receipts.ts";
import { type NoteWriter, openNotes } from "./receipts/open-notes.ts";
import type { Receipt, ReceiptDraft } from "./receipts/receipt.ts";
import { createRedactor } from "../redact/create-redactor.ts";
import { secretVariables } from "../redact/known-values.ts";
import type { Policy } from "./policy.ts";

/** What a process writes down of a project, without the secrets that the project's configuration names. */
export interface Records {
  readonly places: Places;
  readonly notes: NoteWriter;
  /** A receipt's words without the secrets in them. */
  readonly hide: <Draft extends Pick<ReceiptDraft, "reason" | "gates">>(draft: Draft) => Draft;
  /** A text without the secrets in it. */
  readonly hideText: (text: string) => string;
  /** Appends a receipt without the secrets in it. */
  readonly receipt: (draft: ReceiptDraft) => Receipt;
  /** Returns one sentence if a note was lost. */
  readonly close: () => string | undefined;
}

/** Who settles, by which policy, and where it is written down. */
export interface Settler extends Records {
  readonly policy: Policy;
  readonly actor: Actor;
  /** `run`: the end of a test run. `person`: somebody who looks at each change, as with `veritest accept`. */
  readonly by: "run" | "person";
  readonly reason: string | undefined;
  readonly now: Date;
}

/** What a settlement needs to know of its process. */
export interface SettlerIo {
  readonly environment: NodeJS.ProcessEnv;
  /** Whether the process talks to a terminal. */
  readonly isTTY: boolean;
  /** Why it is done; `VERITEST_REASON` where undefined. */
  readonly reason?: string | undefined;
  /** Whether whoever settles sees each change before it is written. */
  readonly attended?: boolean;
  readonly now?: Date;
}

/**
 * Opens what a settlement needs: who acts, and notes and receipts that hide what the policy names. No file is touched
 * before the first note or receipt. One sentence where nobody can tell who acts. {@link Records.close} ends it.
 */
export function openSettler(places: Places, policy: Policy, io: SettlerIo): Result<Settler, string> {
  const actor = actorOf(policy, io);
  if (!actor.ok) return actor;
  const records = openRecords(places, policy, io);
  const reason = io.reason ?? readVariable(io.environment, "VERITEST_REASON");
  return ok({
    ...records,
    policy,
    actor: actor.value,
    // A protected step is a person's to accept: for anybody else the command line is no other way than a run.
    by: io.attended === true && actor.value.kind === "human" ? "person" : "run",
    // Here, so that nobody who is told the reason can write it down with a secret in it.
    reason: reason === undefined ? undefined : records.hideText(reason),
    now: io.now ?? new Date(),
  });
}

/** Opens notes and receipts for what settles no baseline: `veritest note`, whole runs. */
export function openRecords(
  places: Places,
  { redact }: Pick<Policy, "redact">,
  { environment }: Pick<SettlerIo, "environment">,
): Records {
  const { redactText } = createRedactor({ ...redact, values: secretVariables(environment) });
  const notes = openNotes({ directory: places.notes, clock: Date.now, redact: redactText });
  const hide: Records["hide"] = (draft) => ({
    ...draft,
    ...(draft.reason === undefined ? {} : { reason: redactText(draft.reason) }),
    // A gate's detail quotes what it found.
    gates: draft.gates.map((gate) => (gate.detail === undefined ? gate : { ...gate, detail: redactText(gate.detail) })),
  });
  return {
    places,
    notes,
    hide,
    hideText: redactText,
    receipt: (draft) => appendReceipt(places.notes, hide(draft)),
    close: () => notes.warning(),
  };
}

/** Who acts, by the policy or the environment. */
export function actorOf(
  { actor }: Pick<Policy, "actor">,
  io: Pick<SettlerIo, "environment" | "isTTY">,
): Result<Actor, string> {
  return actor === undefined ? inferActor(io) : ok({ kind: actor, because: "policy.actor" });
}
