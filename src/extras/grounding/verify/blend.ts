import { groundingFailure } from "../grounding-error.ts";
import { ok } from "../../../kernel/result.ts";
import { roundScore, sumOf } from "./weights.ts";
import type { ClaimVerdict, Verifier } from "./verifier.ts";

/** Options for {@link blend}. */
export interface BlendOptions {
  /**
   * Weight of the judge, 0 to 1. The rule has the remaining weight. A claim always gets at least 0.75 of the judge's
   * score, so that a paraphrase passes if the judge supports it. Default: 0.3.
   */
  readonly judgeWeight?: number;
  /** Calibration of the judge's scores, from {@link calibrate}. Default: none. */
  readonly calibration?: Calibration;
}

/** Maps a judge's scores to human ratings. The scores ascend, and values between two points are interpolated. */
export type Calibration = readonly { readonly score: number; readonly worth: number }[];

/**
 * Combines two verifiers by the weighted mean of their scores, claim by claim. Both run concurrently. If either fails,
 * the blend fails. The mean is 1 only if both scores are 1, and 0 only if both are 0.
 *
 * @example
 * verifyGrounding(answer, chunks, { verifier: blend(lexicalVerifier, judgeVerifier(adapters.llm)) });
 */
export function blend(rule: Verifier, judge: Verifier, { judgeWeight, calibration }: BlendOptions = {}): Verifier {
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
      return ok(
        claims.map((_, index) => {
          const judged = second.value[index] ?? { score: 0 };
          // Full support stays full: a score of 1 has a special meaning.
          const worth = judged.score === 1 ? 1 : worthOf(judged.score, calibration);
          return combined(first.value[index], { ...judged, score: worth }, judgeWeight);
        }),
      );
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

/**
 * Fits a calibration to labelled examples by isotonic regression, with at most eight points. Each example is a judge's
 * score and the score that people gave, from 0 to 1. Label about fifty of your own answers. Without examples, the
 * calibration has no effect.
 *
 * @example
 * const calibration = calibrate(labelled.map(({ judge, people }) => ({ score: judge, worth: people })));
 * blend(lexicalVerifier, judgeVerifier(ctx.adapters.llm), { calibration });
 */
export function calibrate(examples: Calibration): Calibration {
  // Equal scores first get their mean, so that the order of the examples doesn't matter.
  const sorted = [...Map.groupBy(examples, ({ score }) => score)]
    .flatMap(([score, equal]) => {
      const { worth } = poolOf(equal.map(counted));
      return equal.map(() => ({ score, worth }));
    })
    .toSorted((left, right) => left.score - right.score);
  const size = Math.max(1, Math.ceil(sorted.length / MAX_POINTS));
  const pools: { score: number; worth: number; count: number }[] = [];
  for (let from = 0; from < sorted.length; from += size) {
    let pool = poolOf(sorted.slice(from, from + size).map(counted));
    for (let last = pools.at(-1); last !== undefined && last.worth >= pool.worth; last = pools.at(-1)) {
      pools.pop();
      pool = poolOf([last, pool]);
    }
    pools.push(pool);
  }
  return pools.map(({ score, worth }) => ({ score: roundScore(score), worth: roundScore(worth) }));
}

const MAX_POINTS = 8;

interface Pool {
  readonly score: number;
  readonly worth: number;
  readonly count: number;
}

function counted(example: Calibration[number]): Pool {
  return { ...example, count: 1 };
}

function poolOf(parts: readonly Pool[]): Pool {
  const count = sumOf(parts.map((part) => part.count));
  const mean = (of: (part: Pool) => number): number => sumOf(parts.map((part) => of(part) * part.count)) / count;
  return { score: mean(({ score }) => score), worth: mean(({ worth }) => worth), count };
}

/** Returns the calibrated value of a score: interpolated between two points, and constant beyond the ends. */
export function worthOf(score: number, calibration: Calibration = []): number {
  const above = calibration.find((point) => point.score >= score);
  const below = calibration.findLast((point) => point.score <= score);
  if (above === undefined || below === undefined) return above?.worth ?? below?.worth ?? score;
  if (above.score === below.score) return below.worth;
  return below.worth + ((above.worth - below.worth) * (score - below.score)) / (above.score - below.score);
}
