import type { Chunk } from "../src/extras/grounding/ingest/document.ts";

const NAMES = ["Acme", "Sydney", "Marie", "Berlin", "NASA"];
const SUBJECTS = ["The bridge", "A ship", "It", "The old harbour", "Her report", ...NAMES];
const VERBS = ["was opened in", "did not reach", "has carried", "sold", "increased", "never saw", "will be near"];
const OBJECTS = [
  "1932",
  "$5 million",
  "twenty-five percent of the trade",
  "many people",
  "the northern shore",
  "2,400 tons",
  "Marie and Berlin",
  "version 6.15.0",
];
const ENDS = [".", "!", "; it was late.", ", and the crew had left the deck."];

/** How many different sentences {@link sentenceOf} makes. */
export const SENTENCE_COUNT: number = SUBJECTS.length * VERBS.length * OBJECTS.length * ENDS.length;

/** The sentence of a number: of names, amounts, negations and joined clauses, which the rule has to tell apart. */
export function sentenceOf(pick: number): string {
  let rest = pick;
  const take = (words: readonly string[]): string => {
    const word = words[rest % words.length] ?? "";
    rest = Math.floor(rest / words.length);
    return word;
  };
  return `${take(SUBJECTS)} ${take(VERBS)} ${take(OBJECTS)}${take(ENDS)}`;
}

/** One chunk for each text, of a document `notes`. */
export function chunksOf(...texts: readonly string[]): Chunk[] {
  return texts.map((text, index) => ({
    id: `notes#${index}`,
    document: "notes",
    text,
    start: 0,
    end: text.length,
    tokens: text.split(" ").length,
  }));
}
