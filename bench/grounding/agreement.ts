import { toBeGroundedIn } from "../../src/extras/grounding/checks/to-be-grounded-in.ts";
import { type RatedAnswer } from "./rated-answers.ts";
import { interval, pearson, spearman, zScores } from "./statistics.ts";

/** Mean rating from which people count an answer as faithful. */
const FAITHFUL = 0.8;
/** Mean rating below which people count an answer as unfaithful. */
const UNFAITHFUL = 0.5;

/** Agreement of scores and of the matcher's verdicts with people. */
export interface Agreement {
  readonly withClaims: number;
  readonly rows: readonly {
    readonly method: string;
    readonly pearson: number;
    readonly interval: readonly [number, number];
    readonly spearman: number;
  }[];
  /** Answers that the default matcher passes. */
  readonly faithful: { readonly passed: number; readonly count: number };
  readonly unfaithful: { readonly passed: number; readonly count: number };
}

/** Compares the default support, a published judge's score, and both together with the ratings of people. */
export async function measureAgreement(rows: readonly RatedAnswer[]): Promise<Agreement> {
  const scored: { ours: number; judge: number; human: number; pass: boolean }[] = [];
  for (const row of rows) {
    const { pass, verification } = await toBeGroundedIn(row.response, row.source);
    if (verification.support === null) continue;
    scored.push({ ours: verification.support, judge: row.published.rl_f, human: row.human, pass });
  }
  const [ours, judge, human] = [
    scored.map((row) => row.ours),
    scored.map((row) => row.judge),
    scored.map((row) => row.human),
  ];
  const [first, second] = [zScores(ours), zScores(judge)];
  const methods = {
    "support (lexical)": ours,
    "published judge": judge,
    "mean of both": ours.map((value, at) => (value + (judge[at] ?? 0)) / 2),
    "judge, as blended": ours.map((value, at) =>
      Math.max(0.7 * value + 0.3 * (judge[at] ?? 0), 0.75 * (judge[at] ?? 0)),
    ),
    "mean of z-scores": first.map((value, at) => value + (second[at] ?? 0)),
  };
  const passed = (some: readonly { readonly pass: boolean }[]): Agreement["faithful"] => ({
    passed: some.filter(({ pass }) => pass).length,
    count: some.length,
  });
  return {
    withClaims: scored.length,
    rows: Object.entries(methods).map(([method, values]) => ({
      method,
      pearson: pearson(values, human),
      interval: interval(values, human),
      spearman: spearman(values, human),
    })),
    faithful: passed(scored.filter((row) => row.human >= FAITHFUL)),
    unfaithful: passed(scored.filter((row) => row.human < UNFAITHFUL)),
  };
}
