const BITS = 15;
const MASK = (1 << BITS) - 1;
const SHIFT = BITS / 3;
/** Bit that capitals and small letters of ASCII differ in; it is set for all characters, so that case is ignored. */
const CASE = 0x20;

const NO_PARTS: ReadonlySet<string> = new Set();

/**
 * Search for many short parts of texts in one pass: by their first three characters, in a table. 60 native searches of
 * 1 MB, each of which stops at each first letter, take four times as long.
 */
export class PartSearch {
  /** Number of the group of parts that the last three characters at a position may begin; 0 for none. */
  readonly #groupOf = new Uint16Array(1 << BITS);
  readonly #groups: string[][] = [[]];

  /** Parts have at least two characters. */
  constructor(parts: Iterable<string>) {
    for (const part of parts)
      for (const code of codesOf(part)) this.#groups[(this.#groupOf[code] ||= this.#groups.push([]) - 1)]?.push(part);
  }

  /**
   * Returns the index of the next character that may be the third of a part, or the second of one with two; the length
   * of the text without one.
   */
  next(text: string, from: number): number {
    let code = codeOf(text, from - 2, from);
    for (let index = from; index < text.length; index += 1) {
      code = ((code << SHIFT) ^ (text.charCodeAt(index) | CASE)) & MASK;
      if (this.#groupOf[code] !== 0) return index;
    }
    return text.length;
  }

  /** Returns the parts that a text has, in the case in which they were given. */
  partsIn(text: string): ReadonlySet<string> {
    let parts: Set<string> | undefined;
    for (let index = this.next(text, 0); index < text.length; index = this.next(text, index + 1))
      for (const part of this.#groups[this.#groupOf[codeOf(text, index - 2, index + 1)] ?? 0] ?? [])
        if (text.startsWith(part, index - Math.min(2, part.length - 1))) parts = (parts ?? new Set()).add(part);
    return parts ?? NO_PARTS;
  }
}

function codeOf(text: string, start: number, end: number): number {
  let code = 0;
  for (let index = Math.max(0, start); index < end; index += 1)
    code = ((code << SHIFT) ^ (text.charCodeAt(index) | CASE)) & MASK;
  return code;
}

/** The codes after the first characters of a part. Before a part of two characters is any other. */
function codesOf(part: string): readonly number[] {
  const code = codeOf(part, 0, Math.min(3, part.length));
  return part.length > 2 ? [code] : Array.from({ length: 1 << SHIFT }, (_, before) => (before << (2 * SHIFT)) ^ code);
}
