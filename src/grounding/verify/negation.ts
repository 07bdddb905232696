import type { Token } from "../text/tokenize.ts";
import { tokenWeight } from "./token-weight.ts";

const CUES: ReadonlySet<string> = new Set("not no never none neither nor cannot without nobody nothing".split(" "));

/** How many words after a cue it denies at most: "was not, as some had hoped, sold" is rare, "not sold" is not. */
const REACH = 4;

/** Words of less weight are grammar, which nobody denies. */
const LEAST_WEIGHT = 0.1;

/**
 * The keys of the content words that stand in reach of a negation: `not`, `n't`, `no`, `never`, `without` and the like.
 * Empty for a sentence that denies nothing.
 */
export function deniedKeys(tokens: readonly Token[]): Set<string> {
  const denied = new Set<string>();
  for (const [at, { key }] of tokens.entries()) {
    // "Not only" adds something; it denies nothing.
    if (!CUES.has(key) || tokens[at + 1]?.key === "only") continue;
    for (const token of tokens.slice(at + 1, at + 1 + REACH)) {
      if (tokenWeight(token) >= LEAST_WEIGHT) denied.add(token.key);
    }
  }
  return denied;
}
