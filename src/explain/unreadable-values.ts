/** A string that isn't for reading: an embedding, an image or a signature in base64, also wrapped or as a data URL. */
const ENCODED = /^(?:data:[^,\s]*;base64,)?(?:[\w+/=-]{40,}\r?\n)*[\w+/=-]+\s*$/;
const MIN_ENCODED = 200;
/** Numbers of one list from which their changes are counted: an embedding, not a table. */
export const MIN_NUMBERS = 32;

/** Returns true for a long string in base64, or in another encoding that isn't for reading. */
export function isEncoded(value: unknown): value is string {
  return typeof value === "string" && value.length >= MIN_ENCODED && ENCODED.test(value);
}

interface Sides {
  readonly path: readonly (string | number)[];
  readonly before: unknown;
  readonly after: unknown;
}

/** Entry of a diff, with the number of the changed numbers of a list if it is the first of them. */
export type Counted<Entry> = Entry & { readonly count?: number };

/**
 * Returns the entries of a diff with the changed numbers of each long list as one: the first of them, with their
 * number. Numbers of one list follow each other in a diff.
 */
export function countNumbers<Entry extends Sides>(entries: readonly Entry[]): readonly Counted<Entry>[] {
  const counted: Counted<Entry>[] = [];
  for (let at = 0; at < entries.length; ) {
    const run = numbersFrom(entries, at);
    const [first] = run;
    if (first !== undefined && run.length >= MIN_NUMBERS) counted.push({ ...first, count: run.length });
    else counted.push(...entries.slice(at, at + Math.max(run.length, 1)));
    at += Math.max(run.length, 1);
  }
  return counted;
}

/** Returns the entry at an index and those after it, as long as they are changed numbers of the same list. */
function numbersFrom<Entry extends Sides>(entries: readonly Entry[], start: number): readonly Entry[] {
  const list = entries[start]?.path.slice(0, -1) ?? [];
  let end = start;
  for (; end < entries.length; end += 1) {
    const { path = [], before, after } = entries[end] ?? {};
    if (typeof before !== "number" || typeof after !== "number" || typeof path.at(-1) !== "number") break;
    if (path.length !== list.length + 1 || !list.every((segment, depth) => path[depth] === segment)) break;
  }
  return entries.slice(start, end);
}
