import type { Token } from "../text/tokenize.ts";
import { type Aligned, CONTEXT, MARGIN, common, contextOf, fit, isDenied, positions } from "./align.ts";
import { isOpposite } from "./antonyms.ts";
import type { ContradictionKind, Difference } from "./difference.ts";
import type { Reach } from "./frames.ts";
import type { SourceSentence } from "./sources.ts";
import { isContent, sumOf } from "./weights.ts";

/** Returns the denials of a claim of what its sources assert. */
export function addedDenials(claim: Aligned): Difference<ContradictionKind>[] {
  const { denials, conditions } = claim.frame;
  return denials.flatMap((denial) => {
    const { head, cue } = denial;
    // Sources also word "not without" and a negated condition in other ways.
    if ((denials.length > 1 && cue.text === "without") || conditions.some(({ starts }) => starts.has(head.start)))
      return [];
    if (claim.near.some(({ sentence }) => agrees(denial, sentence, claim))) return [];
    const asserted = assertionOf(claim, head, (sentence, token) => !isDenied(sentence.frame, token));
    if (asserted === undefined || isContraposition(claim.tokens, asserted.sentence)) return [];
    const word = { ...cue, start: Math.min(cue.start, head.start), end: Math.max(cue.end, head.end) };
    const { sentence, position } = asserted;
    return [{ kind: "negation", word, sourceWord: phraseAt(sentence.text, sentence.tokens, position), sentence }];
  });
}

/** Returns true if a claim says what isn't so otherwise: "not without a ticket" of "only with a ticket". */
function isContraposition(tokens: readonly Token[], { tokens: source }: SourceSentence): boolean {
  const keys = new Set(source.map(({ key }) => key));
  return (
    source.some(({ key }) => /^(?:only|unless|until|must|least|minimum|need|requir)$/.test(key)) &&
    tokens.some(({ key }) => CONDITION_WORD.test(key) && !keys.has(key)) &&
    !tokens.some(({ key }) => key === "even")
  );
}

/** Words before what isn't so, or after which it isn't. */
const CONDITION_WORD = /^(?:if|unless|without|until|before|otherwise|once|when|under|below|outside)$/;

/** Returns the words that a source denies and the claim asserts. */
export function removedDenials(claim: Aligned): Difference<ContradictionKind>[] {
  const { tokens, frame, content } = claim;
  // A negated condition says the same with the opposite result.
  if (frame.denials.some(({ head }) => frame.conditions.some(({ starts }) => starts.has(head.start)))) return [];
  for (const [at, word] of tokens.entries()) {
    if (!content.has(word.key) || isDenied(frame, word)) continue;
    const denialOf = (sentence: SourceSentence, token: Token): Reach | undefined =>
      sentence.frame.denials.find((denial) => denial.head.start === token.start && !isAgreed(denial, claim, sentence));
    const denied = assertionOf(claim, word, (sentence, token) => denialOf(sentence, token) !== undefined);
    const token = denied?.sentence.tokens[denied.position];
    const denial = token && denied && denialOf(denied.sentence, token);
    if (token === undefined || denied === undefined || denial === undefined) continue;
    const [from, to] = [Math.min(denial.cue.start, token.start), Math.max(denial.cue.end, token.end)];
    const start = tokens[phraseStart(tokens, at)]?.start ?? word.start;
    const { sentence } = denied;
    return [{ kind: "negation", word: { ...word, start }, sourceWord: sentence.text.slice(from, to), sentence }];
  }
  return [];
}

/** Returns the index of the first of at most two words of grammar before a word: "can be returned". */
function phraseStart(tokens: readonly Token[], at: number): number {
  let start = at;
  for (
    let before = tokens[start - 1];
    before !== undefined && !isContent(before) && at - start < 2;
    before = tokens[start - 1]
  )
    start -= 1;
  return start;
}

function phraseAt(text: string, tokens: readonly Token[], at: number): string {
  return text.slice(tokens[phraseStart(tokens, at)]?.start, tokens[at]?.end);
}

/**
 * Returns the occurrence of a claim's word in a near sentence that fits its context best, if the sentence has it in the
 * asked way there: asserted or denied.
 */
function assertionOf(
  claim: Aligned,
  word: Token,
  isSo: (sentence: SourceSentence, token: Token) => boolean,
): { readonly position: number; readonly sentence: SourceSentence } | undefined {
  const context = contextOf(claim, claim.tokens.indexOf(word));
  const total = sumOf([...context].filter(([key]) => claim.index.postings.has(key)).map(([, weight]) => weight));
  let best: { readonly value: number; readonly position: number; readonly sentence: SourceSentence } | undefined;
  let other = 0;
  for (const candidate of claim.near)
    for (const position of positions(candidate, word.key)) {
      const { sentence } = candidate;
      const token = sentence.tokens[position];
      const value = fit(candidate, position, { context, claim });
      if (token === undefined) continue;
      if (total === 0 && !isOnlyAbout(claim, word, sentence)) continue;
      if (!isSo(sentence, token)) other = Math.max(other, value);
      else if (value >= CONTEXT * total && value > (best?.value ?? -1)) best = { value, position, sentence };
    }
  return best !== undefined && best.value >= other + (MARGIN / 2) * total ? best : undefined;
}

/** Words of a claim or a sentence that something exists. */
const EXISTENCE = /\b(?:no|any|have|has|had|there (?:is|are|was|were)|offers?|includes?)\b/i;

/**
 * Returns true if a sentence that has only one word in common with a claim is about the same: the word is its only
 * subject, or both say whether the thing exists: "We have no lockers." and "There are 200 lockers in the hall."
 */
function isOnlyAbout({ tokens }: Aligned, word: Token, sentence: SourceSentence): boolean {
  const keys = new Set(sentence.tokens.filter(isContent).map(({ key }) => key));
  const before = tokens.filter(({ end }) => end <= word.start).slice(-3);
  return keys.size <= 1 || (EXISTENCE.test(before.map(({ text }) => text).join(" ")) && EXISTENCE.test(sentence.text));
}

/** Returns true if a sentence denies what a claim denies, in any words. */
function agrees(denial: Reach, { frame, tokens }: SourceSentence, claim: Aligned): boolean {
  if ([...frame.implied].some((key) => !claim.keys.has(key))) return true;
  if (tokens.some((token) => isOpposite(token.key, denial.head.key) && !isDenied(frame, token))) return true;
  // A sentence that asserts the word may deny something else, of which the claim says nothing.
  const isAsserted = tokens.some((token) => token.key === denial.head.key && !isDenied(frame, token));
  return frame.denials.some(
    (other) =>
      (!isAsserted || claim.keys.has(other.head.key) || other.cue.start > other.head.start) &&
      isSameDenial(denial, other),
  );
}

function isAgreed(denial: Reach, { frame, tokens }: Aligned, sentence: SourceSentence): boolean {
  if ([...frame.implied].some((key) => !sentence.keys.has(key))) return true;
  if (tokens.some(({ key }) => isOpposite(key, denial.head.key))) return true;
  return frame.denials.some((other) => isSameDenial(denial, other));
}

function isSameDenial(first: Reach, second: Reach): boolean {
  return (
    common(first.keys, second.around) + common(first.around, second.keys) > 0 || common(first.around, second.around) > 1
  );
}
