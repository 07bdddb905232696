import type { Sources } from "../verify/sources.ts";
import { type VerifyOptions, verifyGrounding } from "../verify/verify-grounding.ts";
import type { Verification } from "../verify/verification.ts";
import { type GroundingAnswer, checkedThreshold, receivedText, throwGroundingError } from "./received-value.ts";
import { explainGrounding, restLines, shownScore } from "./explain-grounding.ts";

/** Options of {@link toBeGroundedIn}. */
export interface ToBeGroundedInOptions extends VerifyOptions {
  /** The least score that passes. Default: the configured `groundedThreshold`, 0.85. */
  readonly threshold?: number;
  /** Where the answer is in a step result's output. */
  readonly path?: string;
}

/** The answer of {@link toBeGroundedIn}: also the verification itself, for baselines and reports. */
export interface GroundedAnswer extends GroundingAnswer {
  readonly verification: Verification<string>;
}

const MATCHER = "toBeGroundedIn";

/**
 * Checks that an answer is supported by its sources: its score reaches the threshold. An answer that passes and is
 * not grounded, only partly or less, comes with a warning. One that claims nothing does not pass: there is nothing to
 * support. Throws a TypeError for something that is no text and for a threshold that is none, and an Error when the
 * verification itself fails.
 *
 * @example
 * await expect(answer).toBeGroundedIn(chunks, { threshold: 0.7 });
 */
export async function toBeGroundedIn(
  received: unknown,
  sources: Sources,
  options: ToBeGroundedInOptions = {},
): Promise<GroundedAnswer> {
  const threshold = checkedThreshold(MATCHER, options.threshold ?? options.config?.groundedThreshold ?? 0.85);
  const text = receivedText({ matcher: MATCHER, received, path: options.path });
  const verified = await verifyGrounding(text, sources, options);
  if (!verified.ok) return throwGroundingError(MATCHER, verified.error);
  const verification = verified.value;
  const pass = verification.groundingScore !== null && verification.groundingScore >= threshold;
  const warning = pass ? warningOf(verification, threshold) : undefined;
  return {
    pass,
    message: () => messageOf(verification, threshold, pass),
    verification,
    ...(warning === undefined ? {} : { warning }),
  };
}

/** What is said of an answer that passes a threshold below the one for grounded answers. */
function warningOf({ groundingScore, label }: Verification<string>, threshold: number): string | undefined {
  if (label === "partial") return `${MATCHER}: the answer is only partly grounded, score ${shownScore(groundingScore)}`;
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
