import { roundScore } from "./round-score.ts";
import type { SourceSentence } from "./source-index.ts";
import type { Citation } from "./verification.ts";

/** A quote stays below 500 characters. */
const MAX_QUOTE = 499;

/** The citation of a source sentence; a longer one is cut, and so is its span. */
export function citationOf(sentence: SourceSentence, score: number): Citation {
  const quote = cut(sentence.text);
  return {
    document: sentence.document,
    ...(sentence.page === undefined ? {} : { page: sentence.page }),
    start: sentence.start,
    end: sentence.start + quote.length,
    quote,
    score: roundScore(score),
  };
}

function cut(text: string): string {
  if (text.length <= MAX_QUOTE) return text;
  // Half a surrogate pair is no character.
  const end = /[\ud800-\udbff]/.test(text.charAt(MAX_QUOTE - 1)) ? MAX_QUOTE - 1 : MAX_QUOTE;
  return text.slice(0, end);
}
