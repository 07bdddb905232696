import { commonWords, functionWords } from "../text/common-words.ts";
import { isSameOrSynonym } from "../text/synonyms.ts";
import { type Token, stemOf } from "../text/tokenize.ts";

/** Weight of a function word: enough to break ties, too little to count. */
const FUNCTION_WEIGHT = 0.04;
/** Weight of a common word. */
const COMMON_WEIGHT = 0.4;

const functionKeys: ReadonlySet<string> = new Set([
  ...functionWords,
  ...[...functionWords].map((word) => stemOf(word)),
]);
const commonKeys: ReadonlySet<string> = new Set([...commonWords].map((word) => stemOf(word)));

/** Returns the weight of a token in a claim: 1 for a number or a specific word, less for a common one. */
export function tokenWeight({ key, kind }: Pick<Token, "key" | "kind">): number {
  if (kind === "number") return 1;
  if (functionKeys.has(key)) return FUNCTION_WEIGHT;
  return commonKeys.has(key) ? COMMON_WEIGHT : 1;
}

/** Returns true for a content token. Tokens of less weight are function words, useless for search and denials. */
export function isContent(token: Pick<Token, "key" | "kind">): boolean {
  return tokenWeight(token) > FUNCTION_WEIGHT;
}

/** Returns the keys of the content words among tokens. */
export function contentKeys(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(tokens.filter(isContent).map(({ key }) => key));
}

/** Returns the sum of numbers, added in their order. 0 if empty. */
export function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Returns the share of the weight of tokens that are among some keys, in the same words or similar ones. */
export function shareIn(tokens: readonly Token[], keys: readonly string[]): number {
  const total = sumOf(tokens.map(tokenWeight));
  const shared = tokens.filter(({ key }) => keys.some((other) => isSameOrSynonym(other, key)));
  return total === 0 ? 0 : sumOf(shared.map(tokenWeight)) / total;
}

/** Number of decimals: far finer than any meaning, coarse enough to hide the rounding of a logarithm. */
const DECIMALS = 6;
const SMALLEST = 1e-6;

/**
 * Rounds a score to six decimals. If `full` is false, the result stays below 1, and a score above 0 stays above 0, so
 * that both ends keep their meaning. Without `full` a number is only rounded.
 */
export function roundScore(value: number, full?: boolean): number {
  const rounded = Number(value.toFixed(DECIMALS));
  if (full === undefined) return rounded;
  if (full) return 1;
  return value <= 0 ? 0 : Math.min(1 - SMALLEST, Math.max(SMALLEST, rounded));
}
