import { stemmer } from "stemmer";
import type { Token } from "../text/tokenize.ts";
import { isContent } from "./weights.ts";

const CUES: ReadonlySet<string> = new Set("not no never none neither nor cannot without nobody nothing".split(" "));

/** How many words after a cue it denies at most: "was not, as some had hoped, sold" is rare, "not sold" is not. */
const DENIAL_REACH = 4;

/**
 * The keys of the content words that stand in reach of a negation: `not`, `n't`, `no`, `never`, `without` and the like.
 * Empty for a sentence that denies nothing.
 */
export function deniedKeys(tokens: readonly Token[]): Set<string> {
  const denied = new Set<string>();
  for (const [at, { key }] of tokens.entries()) {
    // "Not only" adds something; it denies nothing.
    if (!CUES.has(key) || tokens[at + 1]?.key === "only") continue;
    for (const token of tokens.slice(at + 1, at + 1 + DENIAL_REACH)) {
      if (isContent(token)) denied.add(token.key);
    }
  }
  return denied;
}

const PAIRS: readonly (readonly [string, string])[] = [
  ["increase", "decrease"],
  ["increase", "reduce"],
  ["rise", "fall"],
  ["rose", "fell"],
  ["grow", "shrink"],
  ["gain", "lose"],
  ["profit", "loss"],
  ["above", "below"],
  ["before", "after"],
  ["more", "less"],
  ["most", "least"],
  ["more", "fewer"],
  ["higher", "lower"],
  ["high", "low"],
  ["maximum", "minimum"],
  ["first", "last"],
  ["early", "late"],
  ["earlier", "later"],
  ["begin", "end"],
  ["start", "end"],
  ["open", "close"],
  ["accept", "reject"],
  ["allow", "forbid"],
  ["allow", "prevent"],
  ["win", "lose"],
  ["won", "lost"],
  ["buy", "sell"],
  ["include", "exclude"],
  ["success", "failure"],
  ["succeed", "fail"],
  ["always", "never"],
  ["all", "none"],
  ["male", "female"],
  ["positive", "negative"],
  ["public", "private"],
  ["same", "different"],
  ["large", "small"],
  ["larger", "smaller"],
  ["fast", "slow"],
  ["faster", "slower"],
  ["strong", "weak"],
  ["legal", "illegal"],
  ["possible", "impossible"],
  ["true", "false"],
  ["safe", "dangerous"],
  ["enable", "disable"],
  ["import", "export"],
  ["borrow", "lend"],
  ["expand", "contract"],
  ["ascend", "descend"],
  ["better", "worse"],
  ["best", "worst"],
  ["cheap", "expensive"],
  ["full", "empty"],
  ["hot", "cold"],
  ["improve", "worsen"],
  ["agree", "disagree"],
  ["support", "oppose"],
  ["mandatory", "optional"],
  ["require", "optional"],
  ["internal", "external"],
  ["north", "south"],
  ["east", "west"],
  ["northern", "southern"],
  ["eastern", "western"],
  ["left", "right"],
  ["young", "old"],
  ["alive", "dead"],
  ["temporary", "permanent"],
];

const opposites: ReadonlyMap<string, ReadonlySet<string>> = build();

/** The keys of the words that say the opposite of a word, given its key. Empty for most words. */
export function antonymsOf(key: string): ReadonlySet<string> {
  return opposites.get(key) ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();

function build(): Map<string, Set<string>> {
  const map = new Map<string, Set<string>>();
  for (const [one, other] of PAIRS) {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ]) {
      const keys = map.get(stemmer(from ?? "")) ?? new Set();
      map.set(stemmer(from ?? ""), keys.add(stemmer(to ?? "")));
    }
  }
  return map;
}
