import { perturbations } from "./perturb.ts";
import type { RatedAnswer } from "./rated-answers.ts";
import { score } from "./score.ts";

const THRESHOLD = 0.7;
/** From this mean rating on people count as having found an answer faithful. */
const FAITHFUL = 0.8;

/** How many supported claims fail once they are made wrong in one way. */
export interface CatchRate {
  readonly perturbation: string;
  readonly claims: number;
  readonly caught: number;
}

/** Perturbs every claim that people and the default score find supported, and counts which then fall below 0.70. */
export async function measureCatchRates(rows: readonly RatedAnswer[]): Promise<readonly CatchRate[]> {
  const supported = await supportedClaims(rows);
  const rates: CatchRate[] = [];
  for (const [perturbation, perturb] of Object.entries(perturbations)) {
    const wrong = supported.flatMap(({ text, source, index }) => {
      const claim = perturb(text, source, index);
      return claim === undefined ? [] : [{ claim, source }];
    });
    const scores = await Promise.all(wrong.map(({ claim, source }) => score(claim, source)));
    const caught = scores.filter(({ groundingScore }) => (groundingScore ?? 0) < THRESHOLD).length;
    rates.push({ perturbation, claims: wrong.length, caught });
  }
  return rates;
}

interface SupportedClaim {
  readonly text: string;
  readonly source: readonly string[];
  /** Its place in the answer, by which the perturbations pick among several words. */
  readonly index: number;
}

async function supportedClaims(rows: readonly RatedAnswer[]): Promise<SupportedClaim[]> {
  const found: SupportedClaim[] = [];
  for (const { response, source, human } of rows) {
    if (human < FAITHFUL) continue;
    const { claims } = await score(response, source);
    found.push(
      ...claims.filter((claim) => claim.score >= THRESHOLD).map(({ text }, index) => ({ text, source, index })),
    );
  }
  return found;
}
