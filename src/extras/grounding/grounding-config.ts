import { z } from "zod/v4";
import { type Result, ok } from "../../kernel/result.ts";
import { formatIssues } from "../../kernel/step/schema.ts";
import { type GroundingError, groundingFailure } from "./grounding-error.ts";

/** Thresholds of verification and retrieval. Scores and shares are between 0 and 1. */
export interface GroundingConfig {
  /** Minimum score of a grounded answer or claim. */
  readonly groundedThreshold: number;
  /** Minimum score of a partly grounded answer or claim. Lower scores are ungrounded. */
  readonly partialThreshold: number;
  /**
   * Minimum claim score. An answer with a claim below it is at most partly grounded, whatever its mean. 0 disables it.
   */
  readonly minClaim: number;
  /** Coverage (η₁) below which retrieval tries again. */
  readonly coverageThreshold: number;
  /** Maximum number of searches. */
  readonly maxHops: number;
  /** Minimum score of a claim whose source sentences are cited. */
  readonly citationThreshold: number;
  /** Cosine similarity that a claim must exceed. If it doesn't, `embeddingVerifier` gives it the score 0. */
  readonly similarityThreshold: number;
  /** Maximum number of facts in one response. If it has more, only the heaviest facts are verified, and it fails. */
  readonly maxFacts: number;
}

const share = (fallback: number): z.ZodDefault<z.ZodNumber> => z.number().min(0).max(1).default(fallback);

const schema = z
  .strictObject({
    groundedThreshold: share(0.85),
    partialThreshold: share(0.7),
    minClaim: share(0.35),
    coverageThreshold: share(0.8),
    maxHops: z.int().min(1).max(10).default(3),
    citationThreshold: share(0.7),
    similarityThreshold: share(0.6),
    maxFacts: z.int().min(1).max(1000).default(200),
  })
  .refine(({ groundedThreshold, partialThreshold }) => partialThreshold <= groundedThreshold, {
    path: ["partialThreshold"],
    message: "must not be above groundedThreshold",
  });

/**
 * Validates a configuration and applies defaults: `groundedThreshold` 0.85, `partialThreshold` 0.7, `minClaim` 0.35,
 * `coverageThreshold` 0.8, `maxHops` 3, `citationThreshold` 0.7, `similarityThreshold` 0.6, `maxFacts` 200. Returns a
 * `validation` error for an unknown name or a value out of range.
 */
export function groundingConfig(config: Partial<GroundingConfig> = {}): Result<GroundingConfig, GroundingError> {
  const parsed = schema.safeParse(config);
  if (parsed.success) return ok(parsed.data);
  const message =
    `The grounding configuration isn't valid: ${formatIssues(parsed.error.issues)}. ` +
    "Correct the field, or remove it to use its default.";
  return groundingFailure({
    kind: "validation",
    code: "invalid_config",
    message,
    operation: "config",
    cause: parsed.error,
  });
}
