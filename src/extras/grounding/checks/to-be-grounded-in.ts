import { quote, truncate } from "../../../kernel/text.ts";
import type { Sources } from "../verify/sources.ts";
import { type VerifyOptions, verifyGrounding } from "../verify/verify-grounding.ts";
import type { Verification, VerifiedClaim } from "../verify/verification.ts";
import { type GroundingResult, checkedThreshold, receivedText, throwGroundingError } from "./received-value.ts";
import { explainGrounding, restLines, shownScore } from "./explain-grounding.ts";

/** Options of {@link toBeGroundedIn}. */
export interface ToBeGroundedInOptions extends VerifyOptions {
  /** Minimum score to pass. Default: the configured `groundedThreshold`, 0.85. */
  readonly threshold?: number;
  /**
   * Minimum score of each claim: an answer with a claim below it is at most partly grounded. 0 disables it. Default:
   * 0.5.
   */
  readonly minClaim?: number;
  /** Path of the answer in a step result's output. */
  readonly path?: string;
}

/** Result of {@link toBeGroundedIn} with the verification itself, for baselines and reports. */
export interface GroundedResult extends GroundingResult {
  readonly verification: Verification<string>;
}

const MATCHER = "toBeGroundedIn";

/** Maximum number of characters of a quoted claim. */
const MAX_CLAIM = 200;

/**
 * Checks that its sources support an answer: its score reaches the threshold, and no claim is below `minClaim` if the
 * threshold requires a grounded answer. An answer that passes without being grounded gets a warning. An answer without
 * a claim fails, since there is no claim to support. Throws a TypeError for a value that isn't text and for an invalid
 * threshold, and an Error if the verification itself fails.
 *
 * @example
 * await expect(answer).toBeGroundedIn(chunks, { threshold: 0.7 });
 */
export async function toBeGroundedIn(
  received: unknown,
  sources: Sources,
  options: ToBeGroundedInOptions = {},
): Promise<GroundedResult> {
  const grounded = options.config?.groundedThreshold ?? 0.85;
  const threshold = checkedThreshold(MATCHER, options.threshold ?? grounded);
  const minClaim = checkedThreshold(MATCHER, options.minClaim ?? options.config?.minClaim ?? 0.5);
  const text = receivedText({ matcher: MATCHER, received, path: options.path });
  const verified = await verifyGrounding(text, sources, { ...options, config: { ...options.config, minClaim } });
  if (!verified.ok) return throwGroundingError(MATCHER, verified.error);
  const verification = verified.value;
  const { groundingScore, claims } = verification;
  const enough = groundingScore !== null && groundingScore >= threshold;
  const weak = enough ? claims.find(({ score }) => score < minClaim) : undefined;
  const pass = enough && (weak === undefined || threshold < grounded);
  const named = weak === undefined ? undefined : weakLine(weak, minClaim);
  const warning = pass ? warningOf(verification, threshold, named) : undefined;
  return {
    pass,
    message: () =>
      [messageOf(verification, threshold, pass), ...(named === undefined ? [] : ["", `  ${named}`])].join("\n"),
    verification,
    ...(warning === undefined ? {} : { warning }),
  };
}

/** Describes the claim that keeps an answer with a good mean from being grounded. */
function weakLine({ text, score }: VerifiedClaim, minClaim: number): string {
  const claim = quote(truncate(text.replace(/\s+/g, " "), MAX_CLAIM));
  return `a claim has ${shownScore(score)}, below ${shownScore(minClaim)} (minClaim): ${claim}`;
}

/** Returns the warning for an answer that passes a threshold below the one for grounded answers. */
function warningOf(
  { groundingScore, label }: Verification<string>,
  threshold: number,
  weak: string | undefined,
): string | undefined {
  const why = weak === undefined ? "" : `; ${weak}`;
  if (label === "partial")
    return `${MATCHER}: the answer is only partly grounded, score ${shownScore(groundingScore)}${why}`;
  return label === "ungrounded"
    ? `${MATCHER}: the answer is ungrounded, score ${shownScore(groundingScore)}, ` +
        `and passes a threshold of ${shownScore(threshold)}`
    : undefined;
}

function messageOf(verification: Verification<string>, threshold: number, pass: boolean): string {
  const { groundingScore, label } = verification;
  if (pass)
    return (
      `${MATCHER}: the answer is grounded, score ${shownScore(groundingScore)} (${label}); ` +
      `below ${shownScore(threshold)} was expected`
    );
  if (groundingScore !== null) return `${MATCHER}: ${explainGrounding(verification, threshold)}`;
  return [
    `${MATCHER}: the answer claims nothing (no_claims), so there is nothing to ground`,
    ...restLines(verification),
    "",
    "If that is what it should do, assert the refusal itself, e.g. expect(answer).toMatch(/don't know/).",
  ].join("\n");
}
