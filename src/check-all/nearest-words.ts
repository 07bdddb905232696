import { escapeText, quote } from "../kernel/text.ts";
import { nearestWords, wordDistance } from "../kernel/did-you-mean.ts";
import type { Baseline } from "../baseline/baseline.ts";

/** Number of near words stored per requested word, and named in a message. */
const MAX_NEAR = 3;

/** Returns a sentence with the nearest known words, or says that there aren't any. Safe to print. */
export function nearestSentence(word: string, known: Iterable<string>, none: string): string {
  const nearest = nearestWords(word, known, MAX_NEAR).map((each) => `"${escapeText(each)}"`);
  if (nearest.length === 0) return none;
  return nearest.length === 1 ? `Known: ${nearest.join("")}.` : `Similar: ${nearest.join(", ")}.`;
}

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
      const near = nearestSentence(word, this.#near.get(word)?.keys() ?? [], `No baseline has any ${what}.`);
      return `No baseline has the ${what} ${quote(word)}. ${near}`;
    });
  }

  #compare(unknown: string, word: string): void {
    const near = this.#near.get(unknown) ?? new Map<string, number>();
    this.#near.set(unknown, near);
    if (near.has(word)) return;
    near.set(word, wordDistance(unknown, word));
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
    return [...this.#names.problems("name"), ...this.#labels.problems("label"), ...this.#facts.problems("metadata")];
  }
}
