/** Returns the Levenshtein distance (1965): the number of UTF-16 code units to insert, delete or replace. */
export function letterDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let index = 0; index < left.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < right.length; column += 1) {
      const replaced = (row[column] ?? 0) + (left[index] === right[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** Maximum number of compared characters of a word. */
const MAX_LENGTH = 100;

/** Returns the {@link letterDistance} of the beginnings of two words in lower case. */
export function wordDistance(left: string, right: string): number {
  return letterDistance(left.slice(0, MAX_LENGTH).toLowerCase(), right.slice(0, MAX_LENGTH).toLowerCase());
}

/** Returns the known words nearest to a misspelt one, the nearest first. The order of equally near ones is stable. */
export function nearestWords(word: string, known: Iterable<string>, count: number): readonly string[] {
  const rated = [...known].map((candidate) => ({ candidate, distance: wordDistance(word, candidate) }));
  return rated
    .toSorted((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** Throws a TypeError for a property that isn't one of the known options; `owner` begins the message. */
export function refuseUnknownOptions(owner: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`${owner}: unknown option ${JSON.stringify(unknown)}. ${suggestion(unknown, known)}`);
}

/** Throws a TypeError for a value that isn't one of the known words; `owner` begins the message, as in `roles.crm`. */
export function refuseUnknownWord(owner: string, word: unknown, known: readonly string[]): void {
  if (typeof word === "string" && known.includes(word)) return;
  const text = typeof word === "string" ? JSON.stringify(word.slice(0, MAX_LENGTH)) : typeof word;
  const hint = typeof word === "string" ? suggestion(word, known) : `Use one of these: ${listed(known)}.`;
  throw new TypeError(`${owner} is ${text}. ${hint}`);
}

function suggestion(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? `Use one of these: ${listed(known)}.` : `Did you mean ${JSON.stringify(nearest)}?`;
}

/** Returns the known word that a misspelt one probably means. Undefined if none is near enough. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const [nearest] = nearestWords(word, known, 1);
  return nearest !== undefined && wordDistance(word, nearest) <= Math.max(2, nearest.length / 3) ? nearest : undefined;
}

function listed(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(", ");
}
