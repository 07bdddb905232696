import type { Chunk } from "../ingest/document.ts";
import { createBm25 } from "../retrieve/bm25.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { nonClaimOf } from "../verify/non-claim.ts";

/** An answer is a few sentences, not a page. */
const MAX_SENTENCES = 3;
/** Sentences that say much less of the question than the best one are about something else. */
const LEAST_SHARE = 0.5;

/**
 * An answer without a model: the sentences of the passages nearest to the question, at most three, as they stand there
 * and in their order. Empty where no sentence has a word of the question.
 */
export function extractAnswer(question: string, passages: readonly Chunk[]): string {
  const sentences = [
    ...new Set(passages.flatMap(({ text }) => splitSentences(text)).flatMap(({ text }) => plainSentence(text))),
  ];
  const scores = [...createBm25(sentences).score(question)].toSorted(([a, x], [b, y]) => y - x || a - b);
  const best = scores[0]?.[1] ?? 0;
  const chosen = scores.slice(0, MAX_SENTENCES).filter(([, score]) => score > 0 && score >= best * LEAST_SHARE);
  return chosen
    .map(([id]) => id)
    .toSorted((one, other) => one - other)
    .map((id) => sentences[id] ?? "")
    .join(" ");
}

/** A sentence on one line, without the mark of a list item; nothing for headings and what claims nothing. */
function plainSentence(text: string): string[] {
  if (/^\s*(?:#|\|)/.test(text)) return [];
  const plain = text
    .replace(/^\s*(?:[-*+>•]\s+|\d{1,3}[.)]\s+)+/, "")
    .replace(/\s+/g, " ")
    .trim();
  if (nonClaimOf(plain) !== undefined) return [];
  return [/[.!?…]["')\]]*$/.test(plain) ? plain : `${plain}.`];
}
