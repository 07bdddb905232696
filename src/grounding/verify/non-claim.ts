/** Why a part of a response claims nothing. */
export type NonClaimKind = "refusal" | "greeting" | "question" | "heading" | "empty";

/** What someone who refuses does not do. */
const ANSWERING =
  "(?:have|know|find|see|answer|provide|determine|help|locate|access|tell|give|assist|offer|say|specify|confirm)";

const REFUSALS: readonly RegExp[] = [
  /\b(?:I|we)(?:'m| am|'re| are) (?:really |very |so )?(?:sorry|afraid)\b|^sorry\b/i,
  new RegExp(
    String.raw`\b(?:I|we)(?:'m| am|'re| are) (?:unable|not able|not sure|not aware|not certain)(?: to ${ANSWERING})?\b(?! to\b)`,
    "i",
  ),
  new RegExp(
    String.raw`\b(?:I|we) (?:do not|don't|cannot|can't|could not|couldn't|did not|didn't)(?: \w+)? ${ANSWERING}\b`,
    "i",
  ),
  /\b(?:there is|there's|there are|has|have|contains?|with) no (?:\w+ )?(?:information|mention|details?|data|answer|evidence|indication)\b/i,
  /\b(?:documents?|passages?|contexts?|texts?|sources?|articles?|excerpts?|information provided) (?:do|does|did|is|are)(?: not|n't) (?:\w+ )?(?:specif|mention|provid|contain|includ|state|say|address|discuss|cover|have|list|indicat|describ|give|offer|answer|explain|detail)/i,
  /\b(?:not|isn't|aren't) (?:\w+ )?(?:specified|mentioned|provided|stated|found|given|available|covered|addressed|listed|included) (?:in|by) (?:the|this|these|any|my|your) (?:\w+ )?(?:documents?|passages?|contexts?|texts?|sources?|articles?|excerpts?|information)\b/i,
];

const GREETINGS: readonly RegExp[] = [
  /^(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening)|welcome|dear)\b.{0,40}$/i,
  /^(?:thanks?|thank you|sure|certainly|absolutely|of course|great question|good question|you're welcome|no problem|yes|no|okay|ok|got it|understood|bye|goodbye)\b[^.;:]{0,30}$/i,
  /\b(?:let me know|feel free to|happy to help|hope (?:this|that|it) helps|glad to help|don't hesitate|please (?:provide|clarify|specify|let me)|(?:here|how) (?:can|may) I help|here (?:is|are) (?:the|some|a|an)\b.{0,60}:$)/i,
];

/**
 * Tells why a sentence or clause claims nothing about the world: it refuses, greets, asks, only heads what follows, or
 * has no words. Undefined for a claim.
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

/** A short line that ends with a colon announces a list; what it announces is judged item by item. */
function isHeading(plain: string): boolean {
  return plain.endsWith(":") && plain.length <= 120;
}
