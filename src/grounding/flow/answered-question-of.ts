import type { VerifiedClaim, Verification } from "../verify/verification.ts";
import type { AnsweredClaim, AnsweredQuestion } from "./answered-question.ts";
import { citeResponse } from "./cite-response.ts";
import type { VerifyGroundingState } from "./vera-state.ts";

/** Puts an answer and its verification together. */
export function answeredQuestionOf(
  { question, response, answeredBy, found, coverage }: VerifyGroundingState,
  verification: Verification<string>,
): AnsweredQuestion {
  const { groundingScore, label, claims, nonClaims, leftOut } = verification;
  const { passages, queries, method } = found;
  return {
    question,
    response,
    ...citeResponse(verification),
    answeredBy,
    groundingScore,
    label,
    claims: claimsOf(claims),
    retrieval: {
      coverage: coverage.score,
      missing: coverage.missing,
      queries,
      method,
      passages: passages.map(({ id }) => id),
    },
    unverified: { nonClaims: nonClaims.length, leftOut: leftOut.length },
  };
}

function claimsOf(claims: readonly VerifiedClaim[]): AnsweredClaim[] {
  const ids = new Set<string>();
  return claims.map(({ text, score, label, missingNumbers, missingNames, strayNames = [], note }) => {
    const id = newId(ids, text.replace(/\s+/g, " ").trim());
    ids.add(id);
    return {
      id,
      score,
      label,
      missing: [...missingNumbers, ...missingNames, ...strayNames].map((word) => word.text),
      ...(note === undefined ? {} : { note }),
    };
  });
}

function newId(ids: ReadonlySet<string>, text: string): string {
  let id = text;
  for (let count = 2; ids.has(id); count += 1) id = `${text} (${count})`;
  return id;
}
