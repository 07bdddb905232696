import type { TextSpan } from "../text/split-sentences.ts";
import { tokenize } from "../text/tokenize.ts";

/** Where a clause that could stand alone begins: after a semicolon, or a comma, a conjunction and a subject. */
const JOINT =
  /;\s+|,\s+(?:and|but|while|whereas|although|though|yet|so)\s+(?=(?:the|a|an|this|that|these|those|it|its|he|she|they|we|you|his|her|their|our|your|there|some|many|most|\p{Lu})\b)/gu;

/** What a clause has and a mere noun phrase has not: an auxiliary, a verb in the past, or one after a pronoun. */
const FINITE =
  /\b(?:is|are|was|were|am|has|have|had|do|does|did|can|cannot|could|will|would|shall|should|may|might|must|\p{Ll}{2,}ed|\p{Ll}+n['’]t|(?:[Ii]t|[Ss]?[Hh]e|[Tt]his|[Tt]hat) \p{Ll}+s)\b/u;

/** Fewer words say nothing that can be checked by itself. */
const LEAST_WORDS = 3;

/** Splits a sentence at its joints, as long as both sides are clauses. */
export function splitClauses(sentence: TextSpan): TextSpan[] {
  const parts: TextSpan[] = [];
  let from = 0;
  for (const joint of sentence.text.matchAll(JOINT)) {
    const before = sentence.text.slice(from, joint.index);
    const after = sentence.text.slice(joint.index + joint[0].length);
    if (!isClause(before) || !isClause(after)) continue;
    parts.push(part(sentence, from, joint.index));
    from = joint.index + joint[0].length;
  }
  return [...parts, part(sentence, from, sentence.text.length)];
}

function part({ text, start }: TextSpan, from: number, to: number): TextSpan {
  return { text: text.slice(from, to), start: start + from, end: start + to };
}

function isClause(text: string): boolean {
  return FINITE.test(text) && tokenize(text).length >= LEAST_WORDS;
}
