import type { Token } from "../text/tokenize.ts";
import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import { numberClass } from "./number-class.ts";
import type { SourceSentence } from "./sources.ts";
import { contentKeys } from "./weights.ts";

const PRONOUN = /^(?:it|its|they|them|their|he|she|which|who|this|these|those)$/;

/**
 * Returns the first number of a claim that its source has for a different thing, in another clause: "a second permit
 * costs £62" of "a first permit costs £62 and a second one £98".
 */
export function otherEntries(claim: Aligned): Difference<"number">[] {
  for (const [at, word] of claim.tokens.entries()) {
    if (word.kind !== "number") continue;
    const own = clauseKeys(claim.tokens, claim.clauses, at);
    const all = claim.ranked.flatMap(({ sentence }) =>
      (sentence.positions.get(word.key) ?? []).map((position) => ({ sentence, position })),
    );
    const rivals = all.map(({ sentence, position }) => rivalOf(own, sentence, position));
    const [[rival], [first]] = [rivals, all];
    if (first === undefined || rival === undefined || rivals.includes(undefined) || claim.keys.has(rival.key)) continue;
    return [{ kind: "number", word, sourceWord: rival.text, sentence: first.sentence }];
  }
  return [];
}

/** Returns the number of the clause whose thing a claim names, if the clause at a position has a different thing. */
function rivalOf(own: ReadonlySet<string>, { tokens, clauses, keys }: SourceSentence, at: number): Token | undefined {
  if (![...own].every((key) => keys.has(key))) return undefined;
  const here = clauseKeys(tokens, clauses, at);
  // "It" is what an earlier clause names.
  if (tokens.some(({ key }, position) => clauses[position] === clauses[at] && PRONOUN.test(key))) return undefined;
  const kind = numberClass(tokens, at);
  return tokens.find((token, position) => {
    if (token.kind !== "number" || clauses[position] === clauses[at] || token.key === tokens[at]?.key) return false;
    if (numberClass(tokens, position) !== kind) return false;
    const there = clauseKeys(tokens, clauses, position);
    return isAboutOne(own, [there, here]) && !isAboutOne(own, [here, there]);
  });
}

/** Returns true if the words of a claim name the thing of a first clause, and a second clause has a different thing. */
function isAboutOne(
  own: ReadonlySet<string>,
  [first, second]: readonly [ReadonlySet<string>, ReadonlySet<string>],
): boolean {
  const isNamed = [...own].some((key) => first.has(key) && !second.has(key));
  return isNamed && [...second].some((key) => !own.has(key) && !first.has(key));
}

/** Returns true if a sentence has a claim's number in the clause of the claim's thing, and another position isn't. */
export function isOwnEntry({ tokens, clauses }: Aligned, at: number, { sentence, position }: At): boolean {
  const own = clauseKeys(tokens, clauses, at);
  const other = clauseKeys(sentence.tokens, sentence.clauses, position);
  return (sentence.positions.get(tokens[at]?.key ?? "") ?? []).some((each) => {
    const here = clauseKeys(sentence.tokens, sentence.clauses, each);
    return (
      sentence.clauses[each] !== sentence.clauses[position] &&
      isAboutOne(own, [here, other]) &&
      !isAboutOne(own, [other, here])
    );
  });
}

/** Position in a sentence. */
interface At {
  readonly sentence: SourceSentence;
  readonly position: number;
}

/** Returns the content words of the clause that has a position, without its numbers. */
function clauseKeys(tokens: readonly Token[], clauses: readonly number[], at: number): ReadonlySet<string> {
  const same = tokens.filter((token, position) => clauses[position] === clauses[at] && token.kind === "word");
  return contentKeys(same);
}
