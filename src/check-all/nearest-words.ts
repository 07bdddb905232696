import { escapeText, quote } from "../kernel/text.ts";
import type { Baseline } from "../baseline/baseline.ts";

/** Maximum number of known words in a message. */
const MAX_NAMED = 3;
/** Maximum number of compared characters of a word. */
const MAX_LENGTH = 100;

/** Returns the known words nearest to a misspelt one, the nearest first. The order of equally near ones is stable. */
export function nearestWords(word: string, known: Iterable<string>, count: number = MAX_NAMED): readonly string[] {
  const wanted = word.slice(0, MAX_LENGTH);
  const rated = [...known].map((candidate) => ({
    candidate,
    distance: letterDistance(wanted.toLowerCase(), candidate.slice(0, MAX_LENGTH).toLowerCase()),
  }));
  return rated
    .toSorted((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** Returns a sentence with the nearest known words, or says that there aren't any. Safe to print. */
export function nearestSentence(word: string, known: Iterable<string>, none: string): string {
  const nearest = nearestWords(word, known).map((each) => `"${escapeText(each)}"`);
  if (nearest.length === 0) return none;
  return nearest.length === 1 ? `Known is ${nearest.join("")}.` : `Nearest known: ${nearest.join(", ")}.`;
}

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

/** Number of near words stored per requested word. */
const MAX_NEAR = 3;

/** Requested words, and the nearest of the words in baselines. Stores only the nearest ones. */
export class RequestedWords {
  readonly #unseen: Set<string>;
  readonly #near = new Map<string, Map<string, number>>();

  constructor(words: readonly string[]) {
    this.#unseen = new Set(words);
  }

  /** Records a word of a baseline. */
  see(word: string): void {
    if (this.#unseen.size === 0) return;
    this.#unseen.delete(word);
    for (const unseen of this.#unseen) this.#compare(unseen, word);
  }

  /** Returns one sentence for each requested word without a match. `what` is their type, such as `label`. */
  problems(what: string): readonly string[] {
    return [...this.#unseen].map((word) => {
      const near = nearestSentence(word, this.#near.get(word)?.keys() ?? [], `None has any ${what}.`);
      return `No baseline has the ${what} ${quote(word)}. ${near}`;
    });
  }

  #compare(unknown: string, word: string): void {
    const near = this.#near.get(unknown) ?? new Map<string, number>();
    this.#near.set(unknown, near);
    if (near.has(word)) return;
    near.set(word, letterDistance(unknown.slice(0, 100).toLowerCase(), word.slice(0, 100).toLowerCase()));
    if (near.size <= MAX_NEAR) return;
    const [[farthest] = [word]] = [...near].toSorted(([a, left], [b, right]) => right - left || (a < b ? 1 : -1));
    near.delete(farthest);
  }
}

/** Words that a command requests of baselines. */
interface RequestedTerms {
  readonly names: readonly string[];
  readonly labels: readonly string[];
  /** As `key=value`. */
  readonly facts: readonly string[];
}

/** Requested words of baselines, and the nearest existing ones. */
export class RequestedCases {
  readonly #names: RequestedWords;
  readonly #labels: RequestedWords;
  readonly #facts: RequestedWords;

  constructor({ names, labels, facts }: RequestedTerms) {
    this.#names = new RequestedWords(names);
    this.#labels = new RequestedWords(labels);
    this.#facts = new RequestedWords(facts);
  }

  /** Records the words of a baseline. */
  see({ name, labels, meta }: Pick<Baseline, "name" | "labels" | "meta">): void {
    if (name !== undefined) this.#names.see(name);
    for (const label of labels) this.#labels.see(label);
    for (const [key, value] of Object.entries(meta)) this.#facts.see(`${key}=${value}`);
  }

  /** Returns one sentence for each word that no baseline has. */
  problems(): readonly string[] {
    return [...this.#names.problems("name"), ...this.#labels.problems("label"), ...this.#facts.problems("fact")];
  }
}
