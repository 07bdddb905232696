import { type TextSpan, splitSentences, partOf } from "../text/split-sentences.ts";
import { tokenize } from "../text/tokenize.ts";

/** Part of a response: a claim, or text without a claim, such as a greeting or a question. */
export interface ResponsePart extends TextSpan {
  readonly kind: "claim" | NonClaimKind;
}

/** List marker, heading mark or quote mark before the words of an item. */
const MARKER = /^(?:\s*(?:[-*+•‣▪◦–]\s+|#{1,6}\s+|>\s+|\(?\d{1,3}[.)]\s+|\(?[a-z][.)]\s+|\|\s*))+/;

/**
 * Splits a response into claims and parts without a claim: at least one for each sentence or list item, and more if a
 * sentence joins independent clauses. Offsets refer to the response.
 */
export function splitClaims(response: string): ResponsePart[] {
  return (
    splitSentences(response)
      .map(withoutMarker)
      // A question isn't split.
      .flatMap((sentence) => (nonClaimOf(sentence.text) === "question" ? [sentence] : splitClauses(sentence)))
      .flatMap((clause) => (nonClaimOf(clause.text) === "refusal" ? splitRefusal(clause) : [clause]))
      .map((part) => ({ ...part, kind: nonClaimOf(part.text) ?? "claim" }))
  );
}

function withoutMarker({ text, start, end }: TextSpan): TextSpan {
  const marker = MARKER.exec(text)?.[0].length ?? 0;
  return { text: text.slice(marker), start: start + marker, end };
}

/** Kind of a part of a response without a claim. */
type NonClaimKind = "refusal" | "greeting" | "question" | "heading" | "empty";

/** Nouns for the sources, with up to three words before them. */
const SOURCE_NOUN =
  "documents?|passages?|contexts?|texts?|sources?|articles?|excerpts?|documentation|reports?|pages?|" +
  "references?|extracts?|manuals?|guides?|handbooks?|leaflets?|e-?mails?|newsletters?|readme";
const MATERIAL =
  `(?:${SOURCE_NOUN}|information|materials?|polic(?:y|ies)|brochures?|` +
  "contracts?|notices?|annex(?:es)?|abstracts?|comments?|notes?|rules?|terms|agreements?|letters?|lists?|" +
  "tables?|chapters?|sections?|statements?|summary|summaries|website|faq|instructions?|announcements?|" +
  "press releases?|stud(?:y|ies)|papers?|" +
  "reviews?|schedules?|timetables?|recipes?|minutes|transcripts?|records?|files?|descriptions?|overview|" +
  "messages?|threads?|programmes?|leases?|forms?|labels?|data ?sheets?|specifications?|bulletins?|memos?|" +
  "prospectus|warranty|deeds?|posts?|" +
  "stor(?:y|ies)|books?|booklets?|entry|entries|briefs?|protocols?|catalogues?|results|filings?|licen[cs]es?|" +
  "regulations?|by-?laws)";
const OUR_MATERIAL = String.raw`(?:the|this|these|those|any|your|my)(?: \p{L}+){0,2} ${MATERIAL}`;

/** Verbs of a source that says something. */
const SAY =
  "say|state|mention|specify|discuss|describe|indicate|explain|tell|answer|address|detail|clarify|report|" +
  "disclose|reveal|define|identify|comment on|refer to|go into|deal with|speak of|touch (?:up)?on|" +
  "make (?:any )?mention";
/** Verbs that say something only of a text: a contract may include parking. */
const HAVE = "contain|include|provide|give|list|offer|have|cover";
const SAID =
  "specified|mentioned|provided|stated|found|given|available|covered|addressed|listed|included|described|discussed";
const SAYS =
  "(?:says?|states?|mentions?|notes?|explains?|specif(?:y|ies)|indicates?|reports?|describes?|points? out|tells us)";
/** Nouns for details of a text: "No prices are given" is about the text, and "No refunds are given" isn't. */
const DETAIL =
  "(?:prices?|figures?|dates?|amounts?|numbers?|reasons?|names?|deadlines?|rates?|explanations?|forecasts?|details?)";
const KNOWLEDGE =
  String.raw`(?:any |the |that |this |enough |sufficient |more )?(?:\p{L}+ )?` +
  "(?:information|details?|data|answer|mention|anything)";
const NOT = "(?: not|n't)";
/** Words after a noun for the sources: "the rules I have", "the contract as given here". */
const AT_HAND =
  "(?: (?:as )?(?:provided|given|supplied|shown|quoted)(?: here| above)?| above| here| available| at hand|" +
  " I (?:have|see|was given)| you gave me)";

/** Sentences which say that the answer isn't in the sources, or isn't known. No other denial is a refusal. */
const REFUSALS: readonly RegExp[] = [
  String.raw`^(?:\p{L}+, )?(?:but |however, )?(?:neither|none) .{0,80}?\b${MATERIAL}\b.{0,40}? ` +
    String.raw`(?:${SAY}|says|states|mentions|specifies|gives|covers|tells)\b`,
  String.raw`\b(?:says?|mentions?|states?|contains?|specif(?:y|ies)) nothing (?:about|on|of|regarding|as to)\b`,
  String.raw`^(?:\p{L}+, )?(?:but )?there(?: is|'s|'re| are) (?:no (?:\p{L}+ )?(?:information|mention|details) ` +
    String.raw`(?:on|about|of|as to|regarding|whether)|nothing (?:about|regarding))\b`,
  // Without a noun for the sources, only verbs and details of a text make a refusal.
  String.raw`^(?:it|this|that|the (?:\p{L}+ ){1,4}) ?(?:is|was|are|were)${NOT} ` +
    String.raw`(?:mentioned|stated|specified|addressed|discussed|quoted)[.!]?$`,
  String.raw`^the (?:\p{L}+ ){1,4}(?:is|was|are|were)${NOT} (?:named|identified|disclosed)[.!]?$`,
  String.raw`^no (?:\p{L}+ )?${DETAIL} (?:is|are|was|were) (?:${SAID})[.!]?$`,
  String.raw`^${OUR_MATERIAL} only (?:${SAYS}|tells?|gives?|covers?|lists?|sets? out|deals? with)\b`,
  String.raw`^there(?: is|'s| are|'re) (?:no|nothing) .{1,60} in (?:the|this|these|those|your) (?:\p{L}+ ){0,2}` +
    String.raw`(?:${SOURCE_NOUN})[.!]?$`,
  String.raw`^no (?:\p{L}+ ){1,5}(?:appears?|(?:is|are|was|were) (?:${SAID})) (?:anywhere )?(?:in|by) ${OUR_MATERIAL}`,
  String.raw`^(?:what|how|why|when|where|who|which|whether)\b.{0,80} (?:is|are|was|were)(?: not|n't) ` +
    String.raw`(?:${SAID}|said|given|known|clear)\b`,
  String.raw`^(?:they|it|${OUR_MATERIAL}) (?:only )?(?:says?|states?|reports?|mentions?|` +
    String.raw`describes?|lists?|gives?|covers?)\b` +
    String.raw`.*\bbut (?:not|no|nothing|(?:do|does|did)${NOT} (?:${SAY}))\b`,
  String.raw`^but (?:not(?! (?:all|every|many|much|most|only|always)\b)|no|nothing)\b`,
  String.raw`\bnothing (?:(?:is |was )?(?:${SAID}|said) (?:in|by) ${OUR_MATERIAL}|in ${OUR_MATERIAL} ${SAYS}\b)`,
  String.raw`\b${MATERIAL}${AT_HAND}? (?:do|does|did)${NOT} (?:\p{L}+ly )?` +
    String.raw`(?:${SAY}|(?:${HAVE}) ${KNOWLEDGE})\b`,
  String.raw`\b(?:${SOURCE_NOUN})${AT_HAND}? (?:do|does|did)${NOT} (?:\p{L}+ly )?(?:${HAVE})\b`,
  String.raw`\b${MATERIAL}(?: provided)? (?:makes?|has|have|gives?|contains?|provides?|includes?|offers?) no ` +
    String.raw`(?:\p{L}+ )?(?:information|mention|details?|answer|data|indication)\b`,
  String.raw`\b(?:isn't|aren't|wasn't|weren't|not) (?:\p{L}+ )?(?:${SAID}) (?:anywhere )?(?:in|by) ${OUR_MATERIAL}`,
  String.raw`\bno (?:\p{L}+ )?(?:information|mention|details?|answer)\b.{0,60}\b(?:in|by) ${OUR_MATERIAL}`,
  String.raw`\b(?:I|we) (?:do|did|could|can)(?: not|n't|not) (?:\p{L}+ )?(?:have|find|see|locate|give|provide) ` +
    String.raw`(?:${KNOWLEDGE}|an answer|(?:this|that|it|an?|the) .{0,60}(?:in|from) ${OUR_MATERIAL})`,
  String.raw`\b(?:I|we) (?:do not|don't|cannot|can't|could not|couldn't) (?:know|determine|tell)\b`,
  String.raw`\bit(?: is|'s) (?:unclear|(?:not|im)(?: clear| ?possible to (?:tell|say|determine|know|answer)))\b`,
  String.raw`\bit isn't (?:clear|possible to (?:tell|say|determine|know|answer))\b`,
  String.raw`\b(?:cannot|can't|can not) be (?:determined|answered|inferred) (?:from|by|with|based) `,
  String.raw`\bI (?:cannot|can't|could not|couldn't) (?:answer|help|assist|confirm|say)\b`,
  String.raw`\b(?:I|we)(?:'m| am|'re| are) (?:not (?:sure|certain|aware)\b|(?:unable|not able) to ` +
    String.raw`(?:find|locate|answer|determine|tell|help|assist|confirm|say|access)\b)`,
].map((pattern) => new RegExp(pattern, "iu"));

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
  if (/^(?:yes|no|okay|ok|possibly|probably|perhaps|maybe)[.!]?$/i.test(plain)) return "greeting";
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
    String.raw`must|[Tt]here['’]s|\p{Ll}{2,}ed|\p{Ll}+n['’]t|(?:[Ii]t|[Ss]?[Hh]e|[Tt]his|[Tt]hat) \p{Ll}+s)\b`,
  "u",
);

/** Minimum number of words of a clause that can be verified alone. */
const MIN_WORDS = 3;

/** Ends of a part of a refusal, after which the answer goes on with a claim: "It isn't stated, but it is free." */
const STRONG_TURN =
  String.raw`\s*;\s+|\s+[-–]\s+|\s*—\s*|,?\s+(?:but(?! (?:only|not|rather|just|to|of|for|about|in|on|with|` +
  String.raw`says? nothing|(?:do|does|did)(?: not|n't))\b)|however|although|though|yet)[\s,]+`;

/** Ends of a part of a refusal, before or after which there is a claim if that has a finite verb or a number. */
const TURN = new RegExp(
  String.raw`,\s+(?=but (?:not?|nothing)\b)|(?<strong>${STRONG_TURN})|:\s+|` +
    String.raw`\s+(?=\([^)]*\b(?:is|are|was|were|has|have|will|can|must|costs?)\b)|` +
    String.raw`,?\s+because\s+|,\s+(?:and|so|as|since|while|whereas)\s+|` +
    String.raw`,\s+(?=(?:which|who|the|it|you|they|we|he|she|there|this|all)\s)|` +
    String.raw`(?<=^(?:although|though|while|whereas|since|because|as)\b[^,]*),\s+|` +
    String.raw`(?<=\b(?:say|state|mention|specify|indicate|know|tell)(?: (?:so|this|that|it))?),\s+`,
  "giu",
);

/** Splits a refusal from the claims in the same sentence, so that they are verified. */
function splitRefusal(sentence: TextSpan): TextSpan[] {
  return splitAt(sentence, TURN, (before, after, turn) => {
    const isTurned = turn.groups?.["strong"] !== undefined && tokenize(after).length >= MIN_WORDS;
    return isPart(before) && (isTurned || isPart(after));
  });
}

function isPart(text: string): boolean {
  return (
    nonClaimOf(text) === "refusal" || isClause(text) || (/\p{N}/u.test(text) && tokenize(text).length >= MIN_WORDS)
  );
}

/** Splits a sentence at its joints if both sides are clauses. */
function splitClauses(sentence: TextSpan): TextSpan[] {
  return splitAt(sentence, JOINT, (before, after) => isClause(before) && isClause(after));
}

/** Splits a sentence at the matches of a pattern that `isCut` confirms by the texts before and after. */
function splitAt(
  sentence: TextSpan,
  pattern: RegExp,
  isCut: (before: string, after: string, match: RegExpExecArray) => boolean,
): TextSpan[] {
  const parts: TextSpan[] = [];
  let from = 0;
  for (const match of sentence.text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (!isCut(sentence.text.slice(from, match.index), sentence.text.slice(end), match)) continue;
    parts.push(partOf(sentence, from, match.index));
    from = end;
  }
  return [...parts, partOf(sentence, from, sentence.text.length)];
}

function isClause(text: string): boolean {
  return FINITE.test(text) && tokenize(text).length >= MIN_WORDS;
}

/** Words before a claim that name the sources: "According to the document, …". */
const ATTRIBUTION = new RegExp(
  String.raw`^\s*(?:(?:according to|based (?:up)?on|from|per|in|` +
    String.raw`as (?:stated|mentioned|described|noted|specified|given|reported|explained|set out) (?:in|by)) ` +
    String.raw`${OUR_MATERIAL}(?: (?:provided|given|above))?,?|` +
    String.raw`as ${OUR_MATERIAL} ${SAYS},|` +
    String.raw`(?:they|it|${OUR_MATERIAL}) (?:only |just )?(?:${SAY}|${SAYS})(?: that)?)\s+`,
  "iu",
);

/** Replaces a claim's attribution to its sources by spaces, so that offsets don't change. */
export function withoutAttribution(text: string): string {
  return text.replace(ATTRIBUTION, (words) => " ".repeat(words.length));
}

/** Citation markers: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, `【3】`. */
export const CITATION_MARKER: RegExp = /\[\^?\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]|【\d{1,3}[^】]{0,40}】/gu;

/** Replaces citation markers by spaces, so that offsets don't change. */
export function withoutMarkers(text: string): string {
  return text.replace(CITATION_MARKER, (marker) => " ".repeat(marker.length));
}
