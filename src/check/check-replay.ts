import type { StoredCase } from "../baseline/library.ts";
import type { AnyStep } from "../step/define-step.ts";
import type { Check } from "./check.ts";
import { explainCheck } from "./explain-check.ts";
import { replayCase } from "./replay-case.ts";

/**
 * Asks of one stored case: does today's code, given the recorded answers, write the same bytes? And if it asks for
 * others: why?
 */
export async function checkReplay(step: AnyStep, stored: StoredCase): Promise<Check> {
  return explainCheck(await replayCase(step, stored));
}
