import type { GroundingConfig } from "../grounding-config.ts";
import { citationOf } from "../verify/citation-of.ts";
import { labelOf } from "../verify/label-of.ts";
import { indexSources } from "../verify/source-index.ts";
import type { GroundingSource } from "../verify/source.ts";
import type { VerifiedClaim, Verification } from "../verify/verification.ts";
import { tokenize } from "../text/tokenize.ts";
import { type QueryConcept, coverageOf } from "./coverage.ts";

/**
 * Verifies a retrieval (η₁): the value is the chunks, the score their coverage of the query, and each concept of the
 * query stands as a claim, fully supported or not at all, with the first sentence that has it as evidence.
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
    groundingScore: concepts.length === 0 ? null : score,
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
    missingNumbers: [],
    missingNames: [],
    negationOnlyInClaim: false,
    antonyms: [],
    evidence: covered ? evidence() : [],
  };
}
