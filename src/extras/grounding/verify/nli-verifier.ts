import { isArray, memberOf } from "../../../kernel/json/plain-data.ts";
import { ok } from "../../../kernel/result.ts";
import { callAdapter } from "../adapters/call-adapter.ts";
import type { NliAdapter, NliPair, NliScore } from "../adapters/nli-adapter.ts";
import { roundScore } from "./weights.ts";
import type { ClaimToVerify, ClaimVerdict, Verifier } from "./verifier.ts";

/**
 * Creates a verifier that calls an NLI model to test if a claim's closest source sentences entail it. The score is the
 * probability of entailment. A claim that shares no word with the sources gets 0 without a call. Unlike the lexical
 * rule, it detects swapped roles and antonyms.
 */
export function nliVerifier(nli: NliAdapter): Verifier {
  return {
    name: "nli",
    async verify(claims) {
      const pairs = claims.map(pairOf);
      const requested = pairs.filter((pair) => pair !== undefined);
      if (requested.length === 0) return ok(claims.map(() => ({ score: 0 })));
      const answer = await callAdapter({
        operation: "verify",
        name: "The NLI adapter",
        expected: `${requested.length} scores { entailment } from 0 to 1`,
        call: () => nli.entail(requested),
        read: (answer) => scoresOf(answer, requested.length),
      });
      if (!answer.ok) return answer;
      const scores = answer.value.values();
      return ok(pairs.map((pair) => (pair === undefined ? { score: 0 } : verdictOf(scores.next().value))));
    },
  };
}

function pairOf({ text, lexical }: ClaimToVerify): NliPair | undefined {
  if (lexical.evidence.length === 0) return undefined;
  return { premise: lexical.evidence.map(({ sentence }) => sentence.text).join(" "), hypothesis: text };
}

function scoresOf(answer: unknown, expected: number): readonly NliScore[] | undefined {
  if (!isArray(answer) || answer.length !== expected) return undefined;
  const scores = answer.map(scoreOf);
  return scores.every((score) => score !== undefined) ? scores : undefined;
}

function scoreOf(value: unknown): NliScore | undefined {
  const [entailment, contradiction] = [memberOf(value, "entailment"), memberOf(value, "contradiction")];
  return isShare(entailment) ? { entailment, ...(isShare(contradiction) ? { contradiction } : {}) } : undefined;
}

function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function verdictOf({ entailment, contradiction = 0 }: NliScore = { entailment: 0 }): ClaimVerdict {
  const score = roundScore(entailment, entailment === 1);
  return contradiction > entailment ? { score, note: "contradicted by its sources" } : { score };
}
