import type { GroundingConfig } from "../grounding-config.ts";
import type { TextSpan } from "../text/split-sentences.ts";
import type { Fact } from "./facts.ts";
import type { Conflict, MissingWord } from "./lexical-score.ts";
import type { SourceSentence } from "./sources.ts";
import { roundScore } from "./weights.ts";

/** `no_claims` is an outcome of its own: a refusal or a greeting is neither grounded nor ungrounded. */
export type GroundingLabel = "grounded" | "partial" | "ungrounded" | "no_claims";

/** A place in a source, and its words: fewer than 500 characters. */
export interface Citation {
  readonly document: string;
  /** Counted from 1; absent where the source has no pages. */
  readonly page?: number;
  /** Offsets of `quote` within the page, or within the document where there are no pages. */
  readonly start: number;
  readonly end: number;
  readonly quote: string;
  /** The share of the claim's weight that this place alone covers, 0 to 1. */
  readonly score: number;
}

/** One atomic fact of the response, with its verdict. Offsets are those of the response. */
export interface VerifiedClaim extends TextSpan {
  /** 0 to 1. Exactly 1 only for full support. */
  readonly score: number;
  /** How much it counts in the whole. */
  readonly weight: number;
  readonly label: Exclude<GroundingLabel, "no_claims">;
  readonly missingNumbers: readonly MissingWord[];
  readonly missingNames: readonly MissingWord[];
  /** Names that the sources have, but nowhere near the rest of the claim. Absent where there are none. */
  readonly strayNames?: readonly MissingWord[];
  readonly negationOnlyInClaim: boolean;
  readonly antonyms: readonly MissingWord[];
  /** Words at which it says something else than the sentence it is aligned with. Absent where there are none. */
  readonly conflicts?: readonly Conflict[];
  /** The closest places of the sources, whether or not they support it; the closest first. */
  readonly evidence: readonly Citation[];
  /** What an injected judge said about it. */
  readonly note?: string;
}

/** A citation of the whole response: also which claim it is for. */
export interface ClaimCitation extends Citation {
  /** Index into `claims`. */
  readonly claim: number;
}

/** A value together with how well its claims are supported. Plain data: it can be stored and compared. */
export interface Verification<T> {
  readonly value: T;
  /** The weighted mean over the claims, 0 to 1; null where nothing is claimed. */
  readonly groundingScore: number | null;
  readonly label: GroundingLabel;
  /** What was judged: what a search found (η₁), or an answer (η₂). */
  readonly phase: "retrieval" | "grounding";
  /** The sources of the claims that reach the citation threshold, the most covering first. */
  readonly citations: readonly ClaimCitation[];
  readonly claims: readonly VerifiedClaim[];
  /** Parts of the response that claim nothing, and why. */
  readonly nonClaims: readonly Fact[];
  /** Claims beyond `maxFacts`, which were not verified. */
  readonly leftOut: readonly TextSpan[];
  /** Who judged, such as `lexical` or `blend(lexical, judge)`. */
  readonly verifier: string;
}

/** The label of an answer: that of its score, but at most partial with a claim below `minClaim`. */
export function answerLabel(
  score: number | null,
  claims: readonly Pick<VerifiedClaim, "score">[],
  config: GroundingConfig,
): GroundingLabel {
  if (score === null) return "no_claims";
  const label = labelOf(score, config);
  return label === "grounded" && claims.some((claim) => claim.score < config.minClaim) ? "partial" : label;
}

/** The label of a score: grounded from 0.85 on, partial from 0.70 on, else ungrounded, by the configured thresholds. */
export function labelOf(
  score: number,
  { groundedThreshold, partialThreshold }: Pick<GroundingConfig, "groundedThreshold" | "partialThreshold">,
): Exclude<GroundingLabel, "no_claims"> {
  if (score >= groundedThreshold) return "grounded";
  return score >= partialThreshold ? "partial" : "ungrounded";
}

/** A quote stays below 500 characters. */
const MAX_QUOTE = 499;

/** The citation of a source sentence; a longer one is cut, and so is its span. */
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
  // Half a surrogate pair is no character.
  const end = /[\ud800-\udbff]/.test(text.charAt(MAX_QUOTE - 1)) ? MAX_QUOTE - 1 : MAX_QUOTE;
  return text.slice(0, end);
}
