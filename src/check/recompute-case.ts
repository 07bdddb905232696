import type { StoredCase } from "../baseline/library.ts";
import type { AnyStep } from "../step/define-step.ts";
import { needsLive } from "./verdict.ts";
import { type RecomputeQuestion, type RecomputedCase, recomputeOnce } from "./recompute-once.ts";

/** Recomputes one stored case in the mode of the question, without asking for the cause yet. */
export async function recomputeCase(
  step: AnyStep,
  stored: StoredCase,
  question: RecomputeQuestion,
): Promise<RecomputedCase> {
  const { adapters, mode = "live" } = question;
  if (adapters === undefined) return recomputeOnce(step, stored, question);
  if (mode !== "auto")
    return recomputeOnce(step, stored, { ...question, adapters: mode === "live" ? adapters : undefined });
  const served = await recomputeOnce(step, stored, { ...question, adapters: undefined });
  // As a whole: half a conversation of old answers and half of new ones is none that ever was.
  return needsLive(served.check.verdict) ? recomputeOnce(step, stored, question) : served;
}
