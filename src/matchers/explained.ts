import type { Check } from "../check/check.ts";
import type { RecomputedCase } from "../check/recompute-once.ts";
import { loadFailurePath } from "./load-failure-path.ts";

/**
 * The check of a case that is asked here, timed, with the cause of its change where it has one. A clean case with
 * nothing to accept loads nothing.
 */
export async function explained(ask: () => Promise<RecomputedCase>): Promise<Check> {
  const started = performance.now();
  const { check: untimed, run } = await ask();
  const check = { ...untimed, ms: performance.now() - started };
  if (check.verdict.kind === "clean" && check.propose === undefined) return check;
  const { explainCheck } = await loadFailurePath();
  return explainCheck({ check, run });
}
