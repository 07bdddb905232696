import { splitSentences } from "../text/split-sentences.ts";
import { CITATION_MARKER, withoutMarkers } from "../verify/without-markers.ts";

/** A sentence with the numbers its citation markers name. */
export interface CitedSentence {
  /** Without the markers. */
  readonly text: string;
  /** Distinct, in the order they stand there; `[2-4]` names three. */
  readonly markers: readonly number[];
}

/** A range longer than this is no citation. */
const MAX_RANGE = 20;

/** The sentences of an answer that carry citation markers: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, `【3】`. */
export function citedSentences(answer: string): CitedSentence[] {
  return splitSentences(answer)
    .map(({ text }) => ({
      text: withoutMarkers(text)
        .replace(/\s+/g, " ")
        .replace(/ (?=[.,;:!?])/g, "")
        .trim(),
      markers: markersOf(text),
    }))
    .filter(({ markers }) => markers.length > 0);
}

function markersOf(text: string): number[] {
  const found = [...text.matchAll(CITATION_MARKER)].flatMap(([marker]) =>
    marker
      .replace(/†[^】]*/, "")
      .split(/[,;]/)
      .flatMap(numbersOf),
  );
  return [...new Set(found)];
}

function numbersOf(part: string): number[] {
  const [from = 0, to = from] = [...part.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  return to > from && to - from < MAX_RANGE
    ? Array.from({ length: to - from + 1 }, (_, index) => from + index)
    : [from];
}
