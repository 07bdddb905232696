import { commonWords, functionWords } from "../text/common-words.ts";
import { stem } from "../text/stem.ts";
import type { Token } from "../text/tokenize.ts";

/** A word of grammar: enough to break ties, too little to count. */
const FUNCTION_WEIGHT = 0.04;
/** A word of everyday use. */
const COMMON_WEIGHT = 0.4;

const functionKeys: ReadonlySet<string> = new Set([...functionWords, ...[...functionWords].map(stem)]);
const commonKeys: ReadonlySet<string> = new Set([...commonWords].map(stem));

/** How much of a claim a token carries: 1 for a number and for a word that is not usual, less for a usual one. */
export function tokenWeight({ key, kind }: Pick<Token, "key" | "kind">): number {
  if (kind === "number") return 1;
  if (functionKeys.has(key)) return FUNCTION_WEIGHT;
  return commonKeys.has(key) ? COMMON_WEIGHT : 1;
}
