import { ALIGNMENT_SHARES, type AlignmentShares } from "../../src/extras/grounding/verify/alignment.ts";
import { factsOf, withoutMarkers } from "../../src/extras/grounding/verify/facts.ts";
import { lexicalScore } from "../../src/extras/grounding/verify/lexical-score.ts";
import { type SourceIndex, indexSources, readSources } from "../../src/extras/grounding/verify/sources.ts";
import { calibrate, worthOf } from "../../src/extras/grounding/verify/blend.ts";
import { type RatedAnswer, taskOf } from "./rated-answers.ts";
import { pearson } from "./statistics.ts";

const FOLDS = 5;

/** The shares that are tried: one is chosen by data, what counts as much and as little has a reason of its own. */
const GRID: readonly AlignmentShares[] = [0.65, 0.7, 0.75, 0.8, 0.85].map((near) => ({ ...ALIGNMENT_SHARES, near }));

/** Agreement on folds of tasks that had no say in the choice of the shares. */
export interface CrossValidation {
  readonly tasks: number;
  /** Pearson's r over the held-out scores of all folds, of all answers and of those with sources. */
  readonly all: number;
  readonly withSources: number;
  /** The lowest and highest r of a fold. */
  readonly spread: readonly [number, number];
  /** The same for the mean with the published judge, calibrated on the other folds. */
  readonly blended: number;
  readonly chosen: readonly AlignmentShares[];
}

interface Scored {
  readonly row: RatedAnswer;
  readonly fold: number;
  /** By the place of the shares in the grid. */
  readonly scores: readonly number[];
}

/** Chooses the shares on four fifths of the tasks and scores the fifth, five times. */
export function crossValidate(rows: readonly RatedAnswer[]): CrossValidation {
  const tasks = [...new Set(rows.map(taskOf))];
  const scored = rows.flatMap((row): Scored[] => {
    const index = indexSources(readSources(row.source));
    const scores = GRID.flatMap((shares) => answerScore(row, index, shares) ?? []);
    return scores.length === 0 ? [] : [{ row, fold: tasks.indexOf(taskOf(row)) % FOLDS, scores }];
  });
  const folds = Array.from({ length: FOLDS }, (_, fold) => heldOut(scored, fold));
  const all = folds.flatMap(({ rows: held }) => held);
  return {
    tasks: tasks.length,
    all: agreement(all),
    withSources: agreement(all.filter(({ sources }) => sources)),
    spread: [
      Math.min(...folds.map(({ rows: held }) => agreement(held))),
      Math.max(...folds.map(({ rows: held }) => agreement(held))),
    ],
    blended: pearson(
      all.map(({ blended }) => blended),
      all.map(({ human }) => human),
    ),
    chosen: folds.map(({ chosen }) => chosen),
  };
}

interface Held {
  readonly score: number;
  readonly blended: number;
  readonly human: number;
  readonly sources: boolean;
}

function heldOut(scored: readonly Scored[], fold: number): { readonly rows: Held[]; readonly chosen: AlignmentShares } {
  const others = scored.filter((one) => one.fold !== fold);
  const values = GRID.map((_, at) =>
    pearson(
      others.map(({ scores }) => scores[at] ?? 0),
      others.map(({ row }) => row.human),
    ),
  );
  const best = values.indexOf(Math.max(...values));
  const calibration = calibrate(others.map(({ row }) => ({ score: row.published.rl_f, worth: row.human })));
  const rows = scored
    .filter((one) => one.fold === fold)
    .map(({ row, scores }) => {
      const score = scores[best] ?? 0;
      const blended = (score + worthOf(row.published.rl_f, calibration)) / 2;
      return { score, blended, human: row.human, sources: row.source.length > 0 };
    });
  return { rows, chosen: GRID[best] ?? ALIGNMENT_SHARES };
}

function agreement(held: readonly Held[]): number {
  return pearson(
    held.map(({ score }) => score),
    held.map(({ human }) => human),
  );
}

/** The score that verification gives, with other shares. */
function answerScore({ response }: RatedAnswer, index: SourceIndex, shares: AlignmentShares): number | undefined {
  const claims = factsOf(withoutMarkers(response))
    .filter(({ kind }) => kind === "claim")
    .map(({ text }) => lexicalScore(text, index, shares));
  const weight = claims.reduce((sum, claim) => sum + claim.weight, 0);
  return weight === 0 ? undefined : claims.reduce((sum, claim) => sum + claim.weight * claim.score, 0) / weight;
}
