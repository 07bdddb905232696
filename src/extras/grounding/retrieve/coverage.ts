import type { GroundingConfig } from "../grounding-config.ts";
import { type Token, tokenize } from "../text/tokenize.ts";
import { type GroundingSource, indexSources } from "../verify/sources.ts";
import { type Verification, type VerifiedClaim, citationOf, labelOf } from "../verify/verification.ts";
import { isContent, roundScore, sumOf, tokenWeight } from "../verify/weights.ts";

/** Word or number of a query. `covered` is true if a chunk has it. */
export interface QueryConcept {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
  readonly covered: boolean;
}

/** Coverage of a query by its chunks (η₁): the share of the query's concepts that the chunks mention. */
export interface Coverage {
  /** Share of the concepts' total weight that is covered, from 0 to 1. It is exactly 1 only if all are covered. */
  readonly score: number;
  readonly concepts: readonly QueryConcept[];
}

/**
 * Measures which concepts of a query the chunks mention, weighted by specificity. The same texts give the same value.
 * Additional chunks never lower the coverage, because the weights don't depend on the chunks. If a query has only
 * function words, their coverage is measured. A query without words has coverage 0.
 */
export function coverageOf(query: string, chunks: readonly { readonly text: string }[]): Coverage {
  const chunkKeys = new Set(chunks.flatMap(({ text }) => tokenize(text).map(({ key }) => key)));
  const concepts = conceptsOf(query).map(({ key, kind, text, start, end }) => ({
    text,
    start,
    end,
    weight: tokenWeight({ key, kind }),
    covered: chunkKeys.has(key),
  }));
  const massOf = (some: readonly QueryConcept[]): number => sumOf(some.map(({ weight }) => weight));
  const total = massOf(concepts);
  const covered = concepts.filter((concept) => concept.covered);
  const score = total === 0 ? 0 : roundScore(massOf(covered) / total, covered.length === concepts.length);
  return { score, concepts };
}

function conceptsOf(query: string): Token[] {
  const distinct = [
    ...new Map(
      tokenize(query)
        .toReversed()
        .map((token) => [token.key, token]),
    ).values(),
  ].reverse();
  const content = distinct.filter(isContent);
  return content.length > 0 ? content : distinct;
}

/**
 * Verifies a retrieval (η₁). The value is the chunks, and the score is their coverage of the query. Each concept of the
 * query is a claim, fully supported or not at all, with the first sentence that has it as evidence.
 */
export function verifyRetrieval<C extends GroundingSource>(
  query: string,
  chunks: readonly C[],
  config: GroundingConfig,
): Verification<readonly C[]> {
  const { score, concepts } = coverageOf(query, chunks);
  const index = indexSources(chunks);
  const claims = concepts.map(
    (concept): VerifiedClaim =>
      claimOf(concept, config, () => {
        const id = index.postings.get(tokenize(concept.text)[0]?.key ?? "")?.[0];
        const sentence = id === undefined ? undefined : index.sentences[id];
        return sentence === undefined ? [] : [citationOf(sentence, 1)];
      }),
  );
  return {
    value: chunks,
    support: concepts.length === 0 ? null : score,
    contradictions: [],
    label: concepts.length === 0 ? "no_claims" : labelOf(score, config),
    phase: "retrieval",
    citations: claims.flatMap(({ evidence }, claim) => evidence.map((citation) => ({ ...citation, claim }))),
    claims,
    nonClaims: [],
    leftOut: [],
    verifier: "coverage",
  };
}

function claimOf(
  { text, start, end, weight, covered }: QueryConcept,
  config: GroundingConfig,
  evidence: () => VerifiedClaim["evidence"],
): VerifiedClaim {
  const score = covered ? 1 : 0;
  return {
    text,
    start,
    end,
    score,
    weight,
    label: labelOf(score, config),
    missing: [],
    contradictions: [],
    notes: [],
    evidence: covered ? evidence() : [],
  };
}

/** Retrieval that ended at its limit. */
interface LowCoverage {
  readonly score: number | null;
  /** Words of the query that no chunk has. */
  readonly missing: readonly string[];
  readonly hops: number;
  readonly wanted: number;
}

/** Returns the warning for low coverage: the coverage, the number of hops, and the missing words. */
export function lowCoverage({ score, missing, hops, wanted }: LowCoverage): string {
  const words = missing.map((text) => JSON.stringify(text)).join(", ");
  return (
    `Coverage is ${score ?? 0} after ${hops} ${hops === 1 ? "hop" : "hops"}, but ${wanted} was required. ` +
    `Not covered: ${words}.`
  );
}
