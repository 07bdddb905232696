import { refuseUnknownOptions, refuseUnknownWord } from "../../../kernel/did-you-mean.ts";
import type { Sources } from "../verify/sources.ts";
import { type VerifyOptions, verifyGrounding } from "../verify/verify-grounding.ts";
import { OVERLAP_NOTE } from "../verify/language.ts";
import type { Verification } from "../verify/verification.ts";
import { type GroundingResult, checkedThreshold, receivedText, throwGroundingError } from "./received-value.ts";
import { type Wanted, contradictionLine, explainGrounding, restLines, shownScore } from "./explain-grounding.ts";

/** Options for {@link toBeGroundedIn}. */
export interface ToBeGroundedInOptions extends VerifyOptions {
  /** Minimum support to pass. Default: the configured `partialThreshold` if you set it, or 0.60. */
  readonly threshold?: number;
  /** Minimum support of each claim. 0 disables it. Default: the configured `minClaim`, 0.35. */
  readonly minClaim?: number;
  /** Effect of a contradiction between a claim and its sources. Default: `fail`. */
  readonly contradictions?: "fail" | "warn";
  /** Effect of an answer that only says that the sources don't have the answer. Default: `warn`. */
  readonly refusals?: "fail" | "warn";
  /** Path of the answer in the step's output. */
  readonly path?: string;
}

/** Result of {@link toBeGroundedIn} with the verification itself, for baselines and reports. */
export interface GroundedResult extends GroundingResult {
  readonly verification: Verification<string>;
}

const MATCHER = "toBeGroundedIn";

/**
 * Checks that the sources support an answer. It passes if no claim contradicts a source, each claim reaches `minClaim`,
 * and the answer's support reaches the threshold.
 *
 * - An answer whose support is below `groundedThreshold` passes with a warning.
 * - An answer that only refuses passes with a warning.
 * - Any other answer without a claim fails. So does an answer with more claims than `maxFacts`.
 *
 * Throws a TypeError for a value that isn't text and for invalid options. Throws an Error if the verification itself
 * fails.
 *
 * @example
 * await expect(answer).toBeGroundedIn(chunks, { threshold: 0.85 });
 */
export async function toBeGroundedIn(
  received: unknown,
  sources: Sources,
  options: ToBeGroundedInOptions = {},
): Promise<GroundedResult> {
  refuseUnknownOptions(MATCHER, options, OPTIONS);
  refuseUnknownWord(`${MATCHER}: contradictions`, options.contradictions ?? "fail", ["fail", "warn"]);
  refuseUnknownWord(`${MATCHER}: refusals`, options.refusals ?? "warn", ["fail", "warn"]);
  refuseUnknownWord(`${MATCHER}: weigh`, options.weigh ?? "specificity", ["specificity", "position"]);
  const wanted: Wanted = {
    threshold: checkedThreshold(MATCHER, options.threshold ?? options.config?.partialThreshold ?? 0.6),
    minClaim: checkedThreshold(MATCHER, options.minClaim ?? options.config?.minClaim ?? 0.35),
  };
  const text = receivedText({ matcher: MATCHER, received, path: options.path });
  const verified = await verifyGrounding(text, sources, {
    ...options,
    config: { ...options.config, minClaim: wanted.minClaim },
  });
  if (!verified.ok) return throwGroundingError(MATCHER, verified.error);
  const verification = verified.value;
  const { support, claims, contradictions, leftOut } = verification;
  const pass =
    (support === null ? isRefusal(verification) && options.refusals !== "fail" : support >= wanted.threshold) &&
    leftOut.length === 0 &&
    claims.every(({ score }) => score >= wanted.minClaim) &&
    (contradictions.length === 0 || options.contradictions === "warn");
  const warning = pass ? warningOf(verification) : undefined;
  return {
    pass,
    message: () => messageOf(verification, wanted, pass),
    verification,
    ...(warning === undefined ? {} : { warning }),
  };
}

function isRefusal({ support, nonClaims }: Verification<string>): boolean {
  return support === null && nonClaims.some(({ kind }) => kind === "refusal");
}

const OPTIONS = "threshold minClaim contradictions refusals judge verifier question weigh path config".split(" ");

/** Returns the warning for an answer that passes without being grounded. */
function warningOf(verification: Verification<string>): string | undefined {
  const { support, label, contradictions, verifier } = verification;
  if (support === null)
    return `${MATCHER}: the answer doesn't make a claim, ${restLines(verification).join("").trim()}`;
  if (contradictions.length > 0) return `${MATCHER}: ${contradictions.slice(0, 3).map(contradictionLine).join("; ")}`;
  if (label === "grounded") return undefined;
  const extent = label === "partial" ? "only partly grounded" : "ungrounded";
  const note = verifier.endsWith(OVERLAP_NOTE) ? ` (${OVERLAP_NOTE}, as the rules are for English)` : "";
  return `${MATCHER}: the answer is ${extent}, support ${shownScore(support)}${note}`;
}

function messageOf(verification: Verification<string>, wanted: Wanted, pass: boolean): string {
  const { support, label, contradictions } = verification;
  if (pass && support !== null) {
    const listed = contradictions.slice(0, 3).map(contradictionLine).join("; ");
    const [measured, least] = [
      `${MATCHER}: support ${shownScore(support)} (${label}) and`,
      shownScore(wanted.threshold),
    ];
    return listed === ""
      ? `${measured} no contradiction. Expected a contradiction, or support below ${least}`
      : `${measured} contradictions that are only warnings (${listed}). Expected support below ${least}`;
  }
  if (support !== null) return `${MATCHER}: ${explainGrounding(verification, wanted)}`;
  return [
    pass
      ? `${MATCHER}: the answer doesn't make a claim (no_claims), and a refusal passes by default`
      : `${MATCHER}: the answer doesn't make a claim (no_claims), so there is nothing to check`,
    ...restLines(verification),
    "",
    isRefusal(verification)
      ? 'The option refusals: "fail" makes a refusal fail, and "warn" lets it pass.'
      : "If that is intended, assert its words, e.g. expect(answer).toMatch(/hello/i).",
  ].join("\n");
}
