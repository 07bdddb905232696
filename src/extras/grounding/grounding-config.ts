import { z } from "zod";
import { type Result, err, ok } from "../../kernel/result.ts";
import { formatIssues } from "../../kernel/step/schema.ts";
import { type GroundingError, groundingError } from "./grounding-error.ts";

/** Every threshold of verification and retrieval. Scores and shares lie between 0 and 1. */
export interface GroundingConfig {
  /** From here on an answer, or a claim, counts as grounded. */
  readonly groundedThreshold: number;
  /** From here on it counts as partly grounded; below, as ungrounded. */
  readonly partialThreshold: number;
  /** An answer with a claim below this is at most partly grounded, whatever its mean. 0 switches it off. */
  readonly minClaim: number;
  /** The coverage (η₁) below which retrieval tries again. */
  readonly coverageThreshold: number;
  /** How often retrieval may search in all. */
  readonly maxHops: number;
  /** The claim score from which its source sentences are cited. */
  readonly citationThreshold: number;
  /** The cosine above which a source sentence is a candidate for a claim. */
  readonly similarityThreshold: number;
  /** How many facts of one response are verified; the heaviest are taken, the others are listed. */
  readonly maxFacts: number;
}

const share = (fallback: number): z.ZodDefault<z.ZodNumber> => z.number().min(0).max(1).default(fallback);

const schema = z
  .strictObject({
    groundedThreshold: share(0.85),
    partialThreshold: share(0.7),
    minClaim: share(0.5),
    coverageThreshold: share(0.8),
    maxHops: z.int().min(1).max(10).default(3),
    citationThreshold: share(0.7),
    similarityThreshold: share(0.6),
    maxFacts: z.int().min(1).max(1000).default(20),
  })
  .refine(({ groundedThreshold, partialThreshold }) => partialThreshold <= groundedThreshold, {
    path: ["partialThreshold"],
    message: "must not be above groundedThreshold",
  });

/**
 * Completes and checks a configuration: what is left out gets its default (0.85, 0.70, 0.50, 0.80, 3 hops, 0.70, 0.60,
 * 20 facts). An unknown name or a value out of range is an error of kind `validation`.
 */
export function groundingConfig(config: Partial<GroundingConfig> = {}): Result<GroundingConfig, GroundingError> {
  const parsed = schema.safeParse(config);
  if (parsed.success) return ok(parsed.data);
  const message =
    `The grounding configuration is not valid: ${formatIssues(parsed.error.issues)}. ` +
    "Correct it, or leave a field out for its default.";
  return err(
    groundingError({ kind: "validation", code: "invalid_config", message, operation: "config", cause: parsed.error }),
  );
}
