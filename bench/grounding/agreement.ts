import type { RatedAnswer } from "./rated-answers.ts";
import { score } from "./score.ts";
import { interval, pearson, spearman, zScores } from "./statistics.ts";

/** From this mean rating on people count as having found an answer faithful. */
const FAITHFUL = 0.8;

/** How well scores agree with people. */
export interface Agreement {
  readonly answers: number;
  readonly withClaims: number;
  readonly rows: readonly {
    readonly method: string;
    readonly pearson: number;
    readonly interval: readonly [number, number];
    readonly spearman: number;
  }[];
  readonly thresholds: readonly { readonly threshold: number; readonly precision: number; readonly recall: number }[];
}

/** Compares the default score, a published judge's, and both joined with what people said. */
export async function measureAgreement(rows: readonly RatedAnswer[]): Promise<Agreement> {
  const scored: { ours: number; judge: number; human: number }[] = [];
  for (const row of rows) {
    const { groundingScore } = await score(row.response, row.source);
    if (groundingScore !== null) scored.push({ ours: groundingScore, judge: row.published.rl_f, human: row.human });
  }
  const ours = scored.map((row) => row.ours);
  const judge = scored.map((row) => row.judge);
  const human = scored.map((row) => row.human);
  const [first, second] = [zScores(ours), zScores(judge)];
  const methods = {
    "default (lexical)": ours,
    "published judge": judge,
    "blend, mean of scores": ours.map((value, at) => (value + (judge[at] ?? 0)) / 2),
    "blend, mean of z-scores": first.map((value, at) => value + (second[at] ?? 0)),
  };
  return {
    answers: rows.length,
    withClaims: scored.length,
    rows: Object.entries(methods).map(([method, values]) => ({
      method,
      pearson: pearson(values, human),
      interval: interval(values, human),
      spearman: spearman(values, human),
    })),
    thresholds: [0.7, 0.85].map((threshold) => {
      const passed = scored.filter((row) => row.ours >= threshold);
      const faithful = scored.filter((row) => row.human >= FAITHFUL);
      const both = passed.filter((row) => row.human >= FAITHFUL).length;
      return { threshold, precision: both / passed.length, recall: both / faithful.length };
    }),
  };
}
