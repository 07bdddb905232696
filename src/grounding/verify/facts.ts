import { type TextSpan, splitSentences } from "../text/split-sentences.ts";
import { nonClaimOf, type NonClaimKind } from "./non-claim.ts";
import { splitClauses } from "./split-clauses.ts";

/** A part of a response that states something, or one that states nothing and why. */
export interface Fact extends TextSpan {
  readonly kind: "claim" | NonClaimKind;
}

/** A list marker, heading mark or quote mark that stands before the words of an item. */
const MARKER = /^(?:\s*(?:[-*+•‣▪◦–]\s+|#{1,6}\s+|>\s+|\(?\d{1,3}[.)]\s+|\(?[a-z][.)]\s+|\|\s*))+/;

/**
 * Splits a response into atomic facts: at least one for each sentence or list item, more where clauses are joined that
 * could stand alone. Offsets are those of the response.
 */
export function factsOf(response: string): Fact[] {
  return (
    splitSentences(response)
      .map(withoutMarker)
      // A question is one whole; a refusal may go on with something it does claim: "It is not stated, but …".
      .flatMap((sentence) => (nonClaimOf(sentence.text) === "question" ? [sentence] : splitClauses(sentence)))
      .map((part) => ({ ...part, kind: nonClaimOf(part.text) ?? "claim" }))
  );
}

function withoutMarker({ text, start, end }: TextSpan): TextSpan {
  const marker = MARKER.exec(text)?.[0].length ?? 0;
  return { text: text.slice(marker), start: start + marker, end };
}
