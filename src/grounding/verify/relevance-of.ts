import { tokenize } from "../text/tokenize.ts";
import { tokenWeight } from "./token-weight.ts";

/**
 * A factor for a claim's weight by its nearness to a question: 1 for a claim without a word of it, 2 for one with all
 * of them. Without a question every factor is 1.
 */
export function relevanceOf(question: string | undefined): (claim: string) => number {
  const weights = new Map(tokenize(question ?? "").map((token) => [token.key, tokenWeight(token)]));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return () => 1;
  return (claim) => {
    const keys = new Set(tokenize(claim).map(({ key }) => key));
    const shared = [...weights].filter(([key]) => keys.has(key)).reduce((sum, [, weight]) => sum + weight, 0);
    return 1 + shared / total;
  };
}
