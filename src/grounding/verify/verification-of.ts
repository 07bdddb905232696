import type { GroundingConfig } from "../grounding-config.ts";
import { citationOf } from "./citation-of.ts";
import { labelOf } from "./label-of.ts";
import type { PreparedClaims, WeighedClaim } from "./prepare-claims.ts";
import { roundScore } from "./round-score.ts";
import type { ClaimCitation, VerifiedClaim, Verification } from "./verification.ts";
import type { ClaimVerdict } from "./verifier.ts";

/** Puts the verdicts on the claims of a response together: scores, labels, citations, and the aggregate. */
export function verificationOf(
  { response, claims: prepared, leftOut, nonClaims }: PreparedClaims,
  verdicts: readonly ClaimVerdict[],
  { config, verifier }: { readonly config: GroundingConfig; readonly verifier: string },
): Verification<string> {
  const claims = prepared.map((claim, index) => claimOf(claim, verdicts[index] ?? { score: 0 }, config));
  const groundingScore = aggregate(claims);
  return {
    value: response,
    groundingScore,
    label: groundingScore === null ? "no_claims" : labelOf(groundingScore, config),
    phase: "grounding",
    citations: citationsOf(claims, config),
    claims,
    nonClaims,
    leftOut,
    verifier,
  };
}

function claimOf(
  { text, start, end, weight, lexical }: WeighedClaim,
  { score, note }: ClaimVerdict,
  config: GroundingConfig,
): VerifiedClaim {
  const place = (word: { readonly text: string; readonly start: number; readonly end: number }): typeof word => ({
    text: word.text,
    start: start + word.start,
    end: start + word.end,
  });
  const rounded = roundScore(score, score === 1);
  return {
    text,
    start,
    end,
    score: rounded,
    weight,
    label: labelOf(rounded, config),
    missingNumbers: lexical.missingNumbers.map(place),
    missingNames: lexical.missingNames.map(place),
    ...(lexical.strayNames.length === 0 ? {} : { strayNames: lexical.strayNames.map(place) }),
    negationOnlyInClaim: lexical.negationOnlyInClaim,
    antonyms: lexical.antonyms.map(place),
    evidence: lexical.evidence.map((found) => citationOf(found.sentence, found.score)),
    ...(note === undefined ? {} : { note }),
  };
}

/** Σ weight · score / Σ weight; null without claims, or where none has any weight. */
function aggregate(claims: readonly VerifiedClaim[]): number | null {
  const total = claims.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return null;
  const sum = claims.reduce((sum, { weight, score }) => sum + weight * score, 0);
  return roundScore(
    sum / total,
    claims.every(({ score }) => score === 1),
  );
}

function citationsOf(claims: readonly VerifiedClaim[], { citationThreshold }: GroundingConfig): ClaimCitation[] {
  return claims
    .flatMap(({ score, evidence }, claim) =>
      score >= citationThreshold ? evidence.map((citation) => ({ ...citation, claim })) : [],
    )
    .toSorted((one, other) => other.score - one.score || one.claim - other.claim);
}
