import { roundScore } from "../verify/round-score.ts";
import { tokenWeight } from "../verify/token-weight.ts";
import { type Token, tokenize } from "../text/tokenize.ts";

/** Weights below this are words of grammar, which a search need not find. */
const LEAST_WEIGHT = 0.1;

/** A word or number of a query, and whether some chunk has it. */
export interface QueryConcept {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
  readonly covered: boolean;
}

/** How much of a query its chunks speak of (η₁). */
export interface Coverage {
  /** The covered share of the concepts' weight, 0 to 1; exactly 1 only when all are covered. */
  readonly score: number;
  readonly concepts: readonly QueryConcept[];
}

/**
 * Measures which concepts of a query the chunks mention, weighed by how specific they are. The same texts give the same
 * value, and more chunks never give a lower one: the weights do not depend on the chunks. A query of nothing but
 * words of grammar is measured by those; one without any word has coverage 0.
 */
export function coverageOf(query: string, chunks: readonly { readonly text: string }[]): Coverage {
  const found = new Set(chunks.flatMap(({ text }) => tokenize(text).map(({ key }) => key)));
  const concepts = conceptsOf(query).map(({ key, kind, text, start, end }) => ({
    text,
    start,
    end,
    weight: tokenWeight({ key, kind }),
    covered: found.has(key),
  }));
  const total = sumOf(concepts);
  const covered = concepts.filter((concept) => concept.covered);
  const score = total === 0 ? 0 : roundScore(sumOf(covered) / total, covered.length === concepts.length);
  return { score, concepts };
}

function conceptsOf(query: string): Token[] {
  const distinct = [
    ...new Map(
      tokenize(query)
        .toReversed()
        .map((token) => [token.key, token]),
    ).values(),
  ].reverse();
  const content = distinct.filter((token) => tokenWeight(token) >= LEAST_WEIGHT);
  return content.length > 0 ? content : distinct;
}

function sumOf(concepts: readonly { readonly weight: number }[]): number {
  return concepts.reduce((sum, { weight }) => sum + weight, 0);
}
