import { type Result, err, ok } from "../../base/result.ts";
import { loadConfig } from "../../config/load-config.ts";
import { type Actor, inferActor } from "../../notes/actor.ts";
import { openNotes } from "../../notes/open-notes.ts";
import { createRedactor } from "../../redact/create-redactor.ts";
import { secretVariables } from "../../redact/known-values.ts";
import type { Decision } from "../../settle/pending/settle-pending.ts";
import { cliPlaces } from "../cli-places.ts";
import type { CliIo } from "../io.ts";
import { say, warn } from "../say.ts";
import { finishOthers } from "./finish-others.ts";

/**
 * Gets ready to settle something from the command line: loads the policy, tells who acts, and finishes what dead
 * processes left. One sentence where that fails: with a policy that cannot be read nothing may be settled.
 */
export async function openDecision(io: CliIo, reason: string | undefined): Promise<Result<Decision, string>> {
  const places = cliPlaces(io);
  const config = await loadConfig(places.root);
  if (!config.ok) return config;
  const { policy } = config.value;
  const actor = actorOf(policy.actor, io);
  if (!actor.ok) return actor;
  const { done, stuck } = finishOthers(places);
  say(io, done);
  if (stuck.length > 0) return err(stuck.join(" "));
  const { redactText } = createRedactor({ values: secretVariables(io.environment) });
  const notes = openNotes({ directory: places.notes, clock: Date.now, redact: redactText });
  // A protected step is a person's to accept: for anybody else the command line is no other way than a run.
  const by = actor.value.kind === "human" ? "person" : "run";
  return ok({
    places,
    policy,
    settler: { actor: actor.value, by, reason: reason ?? io.environment["VERITEST_REASON"] },
    notes,
    now: new Date(),
  });
}

/** Closes what a decision held open, and says what was lost of its notes. */
export function closeDecision({ notes }: Decision, io: CliIo): void {
  notes.close();
  const warning = notes.warning();
  if (warning !== undefined) warn(io, warning);
}

function actorOf(configured: Actor["kind"] | undefined, { environment, stdout }: CliIo): Result<Actor, string> {
  return configured === undefined
    ? inferActor({ environment, isTTY: stdout.isTTY === true })
    : ok({ kind: configured, because: "policy.actor" });
}
