import { stemmer } from "stemmer";
import { commonWords, functionWords } from "../text/common-words.ts";
import type { Token } from "../text/tokenize.ts";

/** A word of grammar: enough to break ties, too little to count. */
const FUNCTION_WEIGHT = 0.04;
/** A word of everyday use. */
const COMMON_WEIGHT = 0.4;

const functionKeys: ReadonlySet<string> = new Set([
  ...functionWords,
  ...[...functionWords].map((word) => stemmer(word)),
]);
const commonKeys: ReadonlySet<string> = new Set([...commonWords].map((word) => stemmer(word)));

/** How much of a claim a token carries: 1 for a number and for a word that is not usual, less for a usual one. */
export function tokenWeight({ key, kind }: Pick<Token, "key" | "kind">): number {
  if (kind === "number") return 1;
  if (functionKeys.has(key)) return FUNCTION_WEIGHT;
  return commonKeys.has(key) ? COMMON_WEIGHT : 1;
}

/** Whether a token says something: words of less weight are grammar, which finds nothing and nobody denies. */
export function isContent(token: Pick<Token, "key" | "kind">): boolean {
  return tokenWeight(token) > FUNCTION_WEIGHT;
}

/** The sum of some numbers, added in their order. 0 for none. */
export function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Digits kept after the point: far finer than any meaning, coarse enough to hide how a logarithm was rounded. */
const DIGITS = 6;
const SMALLEST = 1e-6;

/**
 * Rounds a score to six decimals. One that is not exactly 1 (`full` says so) stays below 1, and one above 0 stays above
 * 0, so that both ends keep their meaning. Without `full` a number is only rounded.
 */
export function roundScore(value: number, full?: boolean): number {
  const rounded = Number(value.toFixed(DIGITS));
  if (full === undefined) return rounded;
  if (full) return 1;
  return value <= 0 ? 0 : Math.min(1 - SMALLEST, Math.max(SMALLEST, rounded));
}
