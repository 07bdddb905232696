import type { GroundingConfig } from "../grounding-config.ts";
import type { GroundingLabel } from "./verification.ts";

/** The label of a score: grounded from 0.85 on, partial from 0.70 on, else ungrounded, by the configured thresholds. */
export function labelOf(
  score: number,
  { groundedThreshold, partialThreshold }: Pick<GroundingConfig, "groundedThreshold" | "partialThreshold">,
): Exclude<GroundingLabel, "no_claims"> {
  if (score >= groundedThreshold) return "grounded";
  return score >= partialThreshold ? "partial" : "ungrounded";
}
