import type { StoredCase } from "../baseline/library.ts";
import type { AnyStep } from "../step/define-step.ts";
import type { Check } from "./check.ts";
import { explainCheck } from "./explain-check.ts";
import { recomputeCase } from "./recompute-case.ts";
import type { RecomputeQuestion } from "./recompute-once.ts";

export type { RecomputeQuestion } from "./recompute-once.ts";

/** Asks of one stored case: does today's code, with these adapters, still decide the same? And if not: why? */
export async function checkRecompute(step: AnyStep, stored: StoredCase, question: RecomputeQuestion): Promise<Check> {
  return explainCheck(await recomputeCase(step, stored, question));
}
