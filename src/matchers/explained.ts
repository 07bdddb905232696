import type { Check } from "../check/check.ts";
import type { RecomputedCase } from "../check/recompute-once.ts";

/** The check of a case, with the cause of its change where it has one. A clean case with nothing to accept loads nothing. */
export async function explained(found: RecomputedCase): Promise<Check> {
  const { check } = found;
  if (check.verdict.kind === "clean" && check.propose === undefined) return check;
  const { explainCheck } = await import("./failure-path.ts");
  return explainCheck(found);
}
