import type { Sources } from "../verify/source.ts";
import { type VerifyOptions, verifyGrounding } from "../verify/verify-grounding.ts";
import type { Verification } from "../verify/verification.ts";
import { explainGrounding, restLines, shown } from "./explain-grounding.ts";
import type { GroundingAnswer } from "./grounding-answer.ts";
import { receivedText } from "./received-value.ts";
import { throwGroundingError } from "./throw-grounding-error.ts";

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

/**
 * Checks that an answer is supported by its sources: its score reaches the threshold. A partial score that passes comes
 * with a warning. An answer that claims nothing does not pass: there is nothing to support. Throws a TypeError for
 * something that is no text, and an Error when the verification itself fails.
 *
 * @example
 * await expect(answer).toBeGroundedIn(chunks, { threshold: 0.7 });
 */
export async function toBeGroundedIn(received: unknown, sources: Sources, options: ToBeGroundedInOptions = {}): Promise<GroundedAnswer> {
  const matcher = "toBeGroundedIn";
  const text = receivedText({ matcher, received, path: options.path });
  const verified = await verifyGrounding(text, sources, options);
  if (!verified.ok) return throwGroundingError(matcher, verified.error);
  const verification = verified.value;
  const { groundingScore, label } = verification;
  const threshold = options.threshold ?? options.config?.groundedThreshold ?? 0.85;
  const pass = groundingScore !== null && groundingScore >= threshold;
  const warning = pass && label === "partial" ? `${matcher}: the answer is only partly grounded, score ${shown(groundingScore)}` : undefined;
  return { pass, message: () => messageOf(verification, { matcher, threshold, pass }), verification, ...(warning === undefined ? {} : { warning }) };
}

function messageOf(
  verification: Verification<string>,
  { matcher, threshold, pass }: { readonly matcher: string; readonly threshold: number; readonly pass: boolean },
): string {
  const { groundingScore, label } = verification;
  if (pass) return `${matcher}: the answer is grounded, score ${shown(groundingScore)} (${label}); below ${shown(threshold)} was expected`;
  if (groundingScore !== null) return `${matcher}: ${explainGrounding(verification, threshold)}`;
  return [
    `${matcher}: the answer claims nothing (no_claims), so there is nothing to ground`,
    ...restLines(verification),
    "",
    "If that is what it should do, assert the refusal itself, e.g. expect(answer).toMatch(/don't know/).",
  ].join("\n");
}
