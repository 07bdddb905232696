import type { GroundingConfig } from "../grounding-config.ts";
import type { TextSpan } from "../text/split-sentences.ts";
import type { ResponsePart } from "./split-claims.ts";
import type { ContradictionKind, NoteKind } from "./difference.ts";
import type { SourceSentence } from "./sources.ts";
import { roundScore } from "./weights.ts";

/** Label of a score. A refusal or a greeting is `no_claims`, neither grounded nor ungrounded. */
export type GroundingLabel = "grounded" | "partial" | "ungrounded" | "no_claims";

/** Span of a source with its text of fewer than 500 characters. */
export interface Citation {
  readonly document: string;
  /** Page number, counted from 1. Absent if the source has no pages. */
  readonly page?: number;
  /** Offsets of `quote` within the page, or within the document if it has no pages. */
  readonly start: number;
  readonly end: number;
  readonly quote: string;
  /** Share of the claim's weight that this span alone covers, 0 to 1. */
  readonly score: number;
}

/** Word of a claim that differs from the word at the same position in a source. Offsets refer to the response. */
export interface ClaimDifference<Kind> extends TextSpan {
  readonly kind: Kind;
  /** Absent if no source has a word there, such as a number that no source has. */
  readonly sourceWord?: string;
  readonly source?: Citation;
}

/** Contradiction with the claim it is in. */
export interface Contradiction extends ClaimDifference<ContradictionKind> {
  /** Index of the claim in `claims`. */
  readonly claim: number;
}

/** Claim of the response with its verdict. Offsets refer to the response. */
export interface VerifiedClaim extends TextSpan {
  /** Support by the sources, from 0 to 1. It is 1 only if the sources fully support the claim. */
  readonly score: number;
  /** Weight of the claim in the score of the response. */
  readonly weight: number;
  readonly label: Exclude<GroundingLabel, "no_claims">;
  /** Numbers and names that no source has. */
  readonly missing: readonly TextSpan[];
  /** Words of the claim that contradict its sources. */
  readonly contradictions: readonly ClaimDifference<ContradictionKind>[];
  /** Conditions and hedges in the sources that the claim doesn't mention. */
  readonly notes: readonly ClaimDifference<NoteKind>[];
  /** Closest spans of the sources, closest first, even if they don't support the claim. */
  readonly evidence: readonly Citation[];
  /** Explanation from a judge verifier. Absent if the verifier doesn't return one. */
  readonly note?: string;
}

/** Citation with the claim it supports. */
export interface ClaimCitation extends Citation {
  /** Index of the claim in `claims`. */
  readonly claim: number;
}

/** Value with the support of its claims. Plain data, which you can store and compare. */
export interface Verification<T> {
  readonly value: T;
  /**
   * Share of the value that the sources support, from 0 to 1: the weighted mean of the claims' scores. Null if the
   * value doesn't make a claim.
   */
  readonly support: number | null;
  /** Words of the value that its sources contradict. They don't change the support. */
  readonly contradictions: readonly Contradiction[];
  readonly label: GroundingLabel;
  /** Kind of the value: search results (η₁), or an answer (η₂). */
  readonly phase: "retrieval" | "grounding";
  /**
   * Source passages that support a claim whose score is at least `citationThreshold` and that has no contradiction,
   * highest coverage first.
   */
  readonly citations: readonly ClaimCitation[];
  readonly claims: readonly VerifiedClaim[];
  /** Parts of the response without a claim, with their kind. */
  readonly nonClaims: readonly ResponsePart[];
  /** Claims that weren't verified, because the response has more than `maxFacts`. */
  readonly leftOut: readonly TextSpan[];
  /**
   * Name of the verifier, such as `lexical` or `blend(lexical, judge)`. In other languages than English, `, only word
   * overlap` follows.
   */
  readonly verifier: string;
}

/**
 * Returns the label of an answer: that of its support, but at most partial with a claim below `minClaim`, and
 * ungrounded with a contradiction.
 */
export function answerLabel(
  score: number | null,
  claims: readonly Pick<VerifiedClaim, "score" | "contradictions">[],
  config: GroundingConfig,
): GroundingLabel {
  if (score === null) return "no_claims";
  if (claims.some(({ contradictions }) => contradictions.length > 0)) return "ungrounded";
  const label = labelOf(score, config);
  return label === "grounded" && claims.some((claim) => claim.score < config.minClaim) ? "partial" : label;
}

/** Returns the label of a score by the configured thresholds: grounded from 0.85, partial from 0.70, or ungrounded. */
export function labelOf(
  score: number,
  { groundedThreshold, partialThreshold }: Pick<GroundingConfig, "groundedThreshold" | "partialThreshold">,
): Exclude<GroundingLabel, "no_claims"> {
  if (score >= groundedThreshold) return "grounded";
  return score >= partialThreshold ? "partial" : "ungrounded";
}

/** Maximum number of characters of a quote. */
const MAX_QUOTE = 499;

/** Returns the citation of a source sentence. A long one is cut, and so is its span. */
export function citationOf(sentence: SourceSentence, score: number): Citation {
  const quote = cut(sentence.text);
  return {
    document: sentence.document,
    ...(sentence.page === undefined ? {} : { page: sentence.page }),
    start: sentence.start,
    end: sentence.start + quote.length,
    quote,
    score: roundScore(score),
  };
}

function cut(text: string): string {
  if (text.length <= MAX_QUOTE) return text;
  // Don't cut within a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text.charAt(MAX_QUOTE - 1)) ? MAX_QUOTE - 1 : MAX_QUOTE;
  return text.slice(0, end);
}
