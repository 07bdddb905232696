import type { TextSpan } from "../text/split-sentences.ts";
import { type Fact, factsOf } from "./facts.ts";
import { lexicalScore } from "./lexical-score.ts";
import { roundScore } from "./round-score.ts";
import type { ClaimToVerify, VerifierContext } from "./verifier.ts";
import { withoutMarkers } from "./without-markers.ts";

/** A claim of the response with its lexical score and its weight in the whole. */
export interface WeighedClaim extends TextSpan, ClaimToVerify {
  readonly weight: number;
}

/** A response taken apart. */
export interface PreparedClaims {
  readonly response: string;
  /** In the order of the response, at most `maxFacts`. */
  readonly claims: readonly WeighedClaim[];
  readonly leftOut: readonly TextSpan[];
  readonly nonClaims: readonly Fact[];
}

/** Takes a response apart into claims, scores them by the lexical rule, and keeps the heaviest. */
export function prepareClaims(
  response: string,
  { index, config }: VerifierContext,
  relevance: (claim: string) => number,
): PreparedClaims {
  // Citation markers are not words of a claim; blanks in their place keep every offset.
  const facts = factsOf(withoutMarkers(response));
  const spanOf = ({ start, end }: Fact): TextSpan => ({ text: response.slice(start, end), start, end });
  const claims = facts
    .filter(({ kind }) => kind === "claim")
    .map((fact): WeighedClaim => {
      const lexical = lexicalScore(fact.text, index);
      return { ...spanOf(fact), lexical, weight: roundScore(lexical.weight * relevance(fact.text)) };
    });
  const kept = new Set(heaviest(claims, config.maxFacts));
  return {
    response,
    claims: claims.filter((claim) => kept.has(claim)),
    leftOut: claims.filter((claim) => !kept.has(claim)).map(({ text, start, end }) => ({ text, start, end })),
    nonClaims: facts.filter(({ kind }) => kind !== "claim").map((fact) => ({ ...spanOf(fact), kind: fact.kind })),
  };
}

/** The claims that say most; among equals the first. */
function heaviest(claims: readonly WeighedClaim[], max: number): readonly WeighedClaim[] {
  return claims.toSorted((one, other) => other.weight - one.weight || one.start - other.start).slice(0, max);
}
