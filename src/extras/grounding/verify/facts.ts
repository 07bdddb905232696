import { type TextSpan, splitSentences } from "../text/split-sentences.ts";
import { tokenize } from "../text/tokenize.ts";

/** Part of a response: a claim, or a kind of text without a claim. */
export interface Fact extends TextSpan {
  readonly kind: "claim" | NonClaimKind;
}

/** List marker, heading mark or quote mark before the words of an item. */
const MARKER = /^(?:\s*(?:[-*+•‣▪◦–]\s+|#{1,6}\s+|>\s+|\(?\d{1,3}[.)]\s+|\(?[a-z][.)]\s+|\|\s*))+/;

/**
 * Splits a response into atomic facts: at least one for each sentence or list item, and more if a sentence joins
 * independent clauses. Offsets refer to the response.
 */
export function factsOf(response: string): Fact[] {
  return (
    splitSentences(response)
      .map(withoutMarker)
      // A question isn't split. A refusal may continue with a claim: "It is not stated, but …".
      .flatMap((sentence) => (nonClaimOf(sentence.text) === "question" ? [sentence] : splitClauses(sentence)))
      .map((part) => ({ ...part, kind: nonClaimOf(part.text) ?? "claim" }))
  );
}

function withoutMarker({ text, start, end }: TextSpan): TextSpan {
  const marker = MARKER.exec(text)?.[0].length ?? 0;
  return { text: text.slice(marker), start: start + marker, end };
}

/** Kind of a part of a response without a claim. */
type NonClaimKind = "refusal" | "greeting" | "question" | "heading" | "empty";

/** Verbs that follow a negation in a refusal. */
const REFUSED_VERBS =
  "(?:have|know|find|see|answer|provide|determine|help|locate|access|tell|give|assist|offer|say|specify|confirm)";

/** Nouns that a refusal is about. */
const NOUNS = "documents?|passages?|contexts?|texts?|sources?|articles?|excerpts?";

/** Verb stems of a document that answers. */
const STEMS = [
  "specif|mention|provid|contain|includ|state|say|address|discuss|cover|have|list|indicat|describ|give|offer",
  "answer|explain|detail",
].join("|");

/** Participles of an answer that a document contains. */
const CONTAINED = "specified|mentioned|provided|stated|found|given|available|covered|addressed|listed|included";

const REFUSALS: readonly RegExp[] = [
  String.raw`\b(?:I|we)(?:'m| am|'re| are) (?:really |very |so )?(?:sorry|afraid)\b|^sorry\b`,
  String.raw`\b(?:I|we)(?:'m| am|'re| are) (?:unable|not able|not sure|not aware|not certain)` +
    String.raw`(?: to ${REFUSED_VERBS})?\b(?! to\b)`,
  String.raw`\b(?:I|we) (?:do not|don't|cannot|can't|could not|couldn't|did not|didn't)(?: \w+)? ${REFUSED_VERBS}\b`,
  String.raw`\b(?:there is|there's|there are|has|have|contains?|with) no ` +
    String.raw`(?:\w+ )?(?:information|mention|details?|data|answer|evidence|indication)\b`,
  String.raw`\b(?:${NOUNS}|information provided) (?:do|does|did|is|are)(?: not|n't) (?:\w+ )?(?:${STEMS})`,
  String.raw`\b(?:not|isn't|aren't) (?:\w+ )?(?:${CONTAINED}) (?:in|by) ` +
    String.raw`(?:the|this|these|any|my|your) (?:\w+ )?(?:${NOUNS}|information)\b`,
].map((pattern) => new RegExp(pattern, "i"));

/** Courtesy phrases, with a few words after them. */
const COURTESIES = [
  "thanks?|thank you|sure|certainly|absolutely|of course|great question|good question|you're welcome|no problem",
  "yes|no|okay|ok|got it|understood|bye|goodbye",
].join("|");

/** Wishes and thanks. They make no claim, however they end. */
const WISHES = [
  "you(?: are|'re) (?:very |most )?welcome|my pleasure|no worries|anytime|cheers|sounds good|congratulations|well done",
  "good luck|best of luck|best wishes|best regards|kind regards|take care|see you|safe travels|happy \\w+ing",
  "stay (?:safe|healthy|warm|well|tuned|strong|curious)",
  "(?:have|enjoy) (?:a|an|your|the) (?:\\w+ )?(?:day|night|evening|morning|" +
    "weekend|time|week|trip|journey|visit|stay|meal)",
].join("|");

const GREETINGS: readonly RegExp[] = [
  /^(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening)|welcome|dear)\b.{0,40}$/i,
  new RegExp(String.raw`^(?:${COURTESIES})\b[^.;:]{0,30}$`, "i"),
  new RegExp(String.raw`^(?:${WISHES})\b[^.;:]{0,30}[.!]*$`, "i"),
  /\b(?:let me know|feel free to|happy to help|hope (?:this|that|it) helps|glad to help|don't hesitate)/i,
  /\b(?:please (?:provide|clarify|specify|let me)|(?:here|how) (?:can|may) I help)/i,
  /\bhere (?:is|are) (?:the|some|a|an)\b.{0,60}:$/i,
  /^(?:I|we)(?:'m| am|'re| are) (?:so |very |really )?(?:glad|happy|delighted|pleased|here to help)\b/i,
  /^(?:I|we) (?:really )?(?:hope|appreciate|understand (?:how|that|your)|wish you)\b/i,
];

/**
 * Returns the reason why a sentence or clause makes no claim: it's a refusal, a greeting, a question, a heading, or has
 * no words. Returns undefined for a claim.
 */
export function nonClaimOf(text: string): NonClaimKind | undefined {
  const plain = text
    .replace(/[*_`]+/g, "")
    .replaceAll("’", "'")
    .trim();
  if (!/[\p{L}\p{N}]/u.test(plain)) return "empty";
  if (/[?？]["')\]]*$/u.test(plain)) return "question";
  if (REFUSALS.some((pattern) => pattern.test(plain))) return "refusal";
  if (GREETINGS.some((pattern) => pattern.test(plain))) return "greeting";
  return isHeading(plain) ? "heading" : undefined;
}

/** Returns true for a short line that ends with a colon. It announces a list, whose items are verified one by one. */
function isHeading(plain: string): boolean {
  return plain.endsWith(":") && plain.length <= 120;
}

/** Start of an independent clause: after a semicolon, or a comma, a conjunction and a subject. */
const JOINT = new RegExp(
  String.raw`;\s+|,\s+(?:and|but|while|whereas|although|though|yet|so)\s+` +
    String.raw`(?=(?:the|a|an|this|that|these|those|it|its|he|she|they|we|you|his|her|their|our|your|there|some|many|` +
    String.raw`most|\p{Lu})\b)`,
  "gu",
);

/** Finite verb, which a clause has but a noun phrase doesn't: an auxiliary, a past tense, or a verb after a pronoun. */
const FINITE = new RegExp(
  String.raw`\b(?:is|are|was|were|am|has|have|had|do|does|did|can|cannot|could|will|would|shall|should|may|might|` +
    String.raw`must|\p{Ll}{2,}ed|\p{Ll}+n['’]t|(?:[Ii]t|[Ss]?[Hh]e|[Tt]his|[Tt]hat) \p{Ll}+s)\b`,
  "u",
);

/** Minimum number of words of a clause that can be verified alone. */
const MIN_WORDS = 3;

/** Splits a sentence at its joints if both sides are clauses. */
function splitClauses(sentence: TextSpan): TextSpan[] {
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
  return FINITE.test(text) && tokenize(text).length >= MIN_WORDS;
}

/** Citation markers: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, `【3】`. */
export const CITATION_MARKER: RegExp = /\[\^?\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]|【\d{1,3}[^】]{0,40}】/gu;

/** Replaces citation markers by spaces, so that offsets don't change. */
export function withoutMarkers(text: string): string {
  return text.replace(CITATION_MARKER, (marker) => " ".repeat(marker.length));
}
