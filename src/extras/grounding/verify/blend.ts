import { groundingFailure } from "../grounding-error.ts";
import { ok } from "../../../kernel/result.ts";
import { roundScore } from "./weights.ts";
import type { ClaimVerdict, Verifier } from "./verifier.ts";

/** Options for {@link blend}. */
export interface BlendOptions {
  /**
   * Weight of the judge, 0 to 1. The rule has the remaining weight. A claim always gets at least 0.75 of the judge's
   * score, so that a paraphrase passes if the judge supports it. Default: 0.3.
   */
  readonly judgeWeight?: number;
}

/**
 * Combines two verifiers by the weighted mean of their scores, claim by claim. Both run concurrently. If either fails,
 * the blend fails. The mean is 1 only if both scores are 1, and 0 only if both are 0.
 *
 * @example
 * verifyGrounding(answer, chunks, { verifier: blend(lexicalVerifier, judgeVerifier(adapters.llm)) });
 */
export function blend(rule: Verifier, judge: Verifier, { judgeWeight }: BlendOptions = {}): Verifier {
  return {
    name: `blend(${rule.name}, ${judge.name})`,
    async verify(claims, context) {
      if (judgeWeight !== undefined && !(judgeWeight >= 0 && judgeWeight <= 1)) {
        const message = `blend: judgeWeight must be a number from 0 to 1, got ${judgeWeight}.`;
        return groundingFailure({ kind: "validation", code: "invalid_config", message, operation: "verify" });
      }
      const [first, second] = await Promise.all([rule.verify(claims, context), judge.verify(claims, context)]);
      if (!first.ok) return first;
      if (!second.ok) return second;
      return ok(claims.map((_, index) => combined(first.value[index], second.value[index], judgeWeight)));
    },
  };
}

const JUDGE_WEIGHT = 0.3;
/** Least share of the judge's score that a claim has, if no weight is given. */
const LEAST_OF_JUDGE = 0.75;

function combined(
  rule: ClaimVerdict = { score: 0 },
  judge: ClaimVerdict = { score: 0 },
  judgeWeight?: number,
): ClaimVerdict {
  const weight = judgeWeight ?? JUDGE_WEIGHT;
  const least = judgeWeight === undefined ? LEAST_OF_JUDGE * judge.score : 0;
  const score = Math.max((1 - weight) * rule.score + weight * judge.score, least);
  const full = rule.score === 1 && judge.score === 1;
  const notes = [rule.note, judge.note].filter((note) => note !== undefined);
  return {
    score: roundScore(score, full),
    ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
    ...(judge.isRejected === true ? { isRejected: true } : {}),
  };
}
