/** Characters that a PDF writes in one piece: their text, their left edge, and true if they end their line. */
export type TextRun = readonly [text: string, left: number, endsLine: boolean];

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const WORD = /[\p{L}\p{N}]/u;
const NUMBER = /^[\p{N}.,:/%-]+$/u;
const BRACKETS = "()[]{}«»";

/**
 * Returns the text of a page in reading order. A line with words that are read from right to left may be written in any
 * order, so its runs are put in the order of the page first. Each run's own text is in reading order.
 */
export function textOfRuns(runs: readonly TextRun[]): string {
  const lines: TextRun[][] = [[]];
  for (const run of runs) {
    lines.at(-1)?.push(run);
    if (run[2]) lines.push([]);
  }
  const isReversed = isMostlyRightToLeft(runs);
  return lines.map((line) => lineOf(line, isReversed || isMostlyRightToLeft(line))).join("\n");
}

function isMostlyRightToLeft(runs: readonly TextRun[]): boolean {
  const words = runs.flatMap(([text]) => text.split(/\s+/)).filter((word) => /\p{L}/u.test(word));
  return words.filter((word) => RIGHT_TO_LEFT.test(word)).length * 2 > words.length;
}

function lineOf(runs: readonly TextRun[], isReversed: boolean): string {
  const line = runs.map(([text]) => text).join("");
  if (!RIGHT_TO_LEFT.test(line)) return line;
  const texts = runs.toSorted(([, left], [, right]) => left - right).map(([text]) => text);
  const parts = partsOf(
    texts.filter((text) => text !== ""),
    isReversed,
  );
  // Arabic letters are written as their shapes, which an answer doesn't have.
  return (isReversed ? parts.toReversed() : parts).join("").normalize("NFKC");
}

/** Returns the runs of a line, those side by side that are read against its direction as one part. */
function partsOf(texts: readonly string[], isReversed: boolean): string[] {
  const isOther = (text = ""): boolean => WORD.test(text) && RIGHT_TO_LEFT.test(text) !== isReversed;
  const parts: string[] = [];
  for (let at = 0; at < texts.length; ) {
    let end = at + 1;
    for (let next = at; isOther(texts[at]) && (isOther(texts[next]) || /^\W$/.test(texts[next] ?? "")); next += 1)
      // Two numbers with a space between them are read in the line's direction.
      if (isOther(texts[next]) && !(next > end && areNumbers(texts[end - 1], texts[next]))) end = next + 1;
    const part = texts.slice(at, end);
    const isLeftToRight = isOther(texts[at]) === isReversed;
    parts.push((isLeftToRight ? part : part.toReversed().map(mirrored)).join(""));
    at = end;
  }
  return parts;
}

function areNumbers(...texts: readonly (string | undefined)[]): boolean {
  return texts.every((text = "") => NUMBER.test(text));
}

/** Returns a text with the brackets that a page shows where the text has their counterparts. */
function mirrored(text: string): string {
  return text.replace(/[()[\]{}«»]/g, (bracket) => BRACKETS.charAt(BRACKETS.indexOf(bracket) ^ 1));
}
