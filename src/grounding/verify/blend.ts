import { err, ok } from "../../base/result.ts";
import { groundingError } from "../grounding-error.ts";
import { roundScore } from "./weights.ts";
import type { ClaimVerdict, Verifier } from "./verifier.ts";

/** Options of {@link blend}. */
export interface BlendOptions {
  /** How much the judge counts against the rule, 0 to 1. Default: 0.5. */
  readonly judgeWeight?: number;
}

/**
 * Joins two verifiers: the weighted mean of their scores, claim by claim. Both are asked at once; either's error is the
 * blend's. The mean is 1 only when both say 1, and 0 only when both say 0.
 *
 * @example
 * verifyGrounding(answer, chunks, { verifier: blend(lexicalVerifier, judgeVerifier(adapters.llm)) });
 */
export function blend(rule: Verifier, judge: Verifier, { judgeWeight = 0.5 }: BlendOptions = {}): Verifier {
  return {
    name: `blend(${rule.name}, ${judge.name})`,
    async verify(claims, context) {
      if (!(judgeWeight >= 0 && judgeWeight <= 1)) {
        const message = `blend: judgeWeight is ${judgeWeight}. Give a number from 0 to 1.`;
        return err(groundingError({ kind: "validation", code: "invalid_config", message, operation: "verify" }));
      }
      const [first, second] = await Promise.all([rule.verify(claims, context), judge.verify(claims, context)]);
      if (!first.ok) return first;
      if (!second.ok) return second;
      return ok(claims.map((_, index) => mean(first.value[index], second.value[index], judgeWeight)));
    },
  };
}

function mean(
  rule: ClaimVerdict = { score: 0 },
  judge: ClaimVerdict = { score: 0 },
  judgeWeight: number,
): ClaimVerdict {
  const score = (1 - judgeWeight) * rule.score + judgeWeight * judge.score;
  const full = rule.score === 1 && judge.score === 1;
  const notes = [rule.note, judge.note].filter((note) => note !== undefined);
  return { score: roundScore(score, full), ...(notes.length === 0 ? {} : { note: notes.join("; ") }) };
}
