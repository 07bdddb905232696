/** A part of a source, by offsets; `end` is behind its last character. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

const CLOSER: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * What lies between the bracket at `open` and the one that closes it, without both; up to the end of the code where
 * none does. `code` is masked, so a bracket in a string does not count.
 */
export function insideBrackets(code: string, open: number): SourceRange {
  const expected: string[] = [];
  for (let at = open; at < code.length; at += 1) {
    const character = code.charAt(at);
    const closer = CLOSER[character];
    if (closer !== undefined) expected.push(closer);
    else if (character === expected.at(-1)) expected.pop();
    if (expected.length === 0) return { start: open + 1, end: at };
  }
  return { start: open + 1, end: code.length };
}

/** The parts of a range that top-level commas separate, blanks around them left out. A trailing comma adds none. */
export function splitAtCommas(code: string, range: SourceRange): readonly SourceRange[] {
  const parts: SourceRange[] = [];
  let start = range.start;
  for (let at = range.start; at <= range.end; at += 1) {
    const character = at === range.end ? "," : code.charAt(at);
    if (character === ",") {
      parts.push(trimRange(code, { start, end: at }));
      start = at + 1;
    } else if (CLOSER[character] !== undefined) {
      at = insideBrackets(code, at).end;
    }
  }
  return parts.filter((part) => part.end > part.start);
}

/** A range without the blanks at its ends. */
function trimRange(code: string, { start, end }: SourceRange): SourceRange {
  const text = code.slice(start, end);
  const blanks = text.length - text.trimStart().length;
  return { start: start + blanks, end: Math.max(start + blanks, start + text.trimEnd().length) };
}

/** The line, from 1, that an offset lies in. */
export function lineOf(code: string, offset: number): number {
  return code.slice(0, offset).split("\n").length;
}
