import { quote } from "../../base/text.ts";
import { editDistance, nearestSentence } from "./nearest-words.ts";

/** Words remembered for each that was asked for. */
const MAX_NEAR = 3;

/** Words that somebody asked for, and what was met instead: of any number of words met only the nearest are kept. */
export class WantedWords {
  readonly #unseen: Set<string>;
  readonly #near = new Map<string, Map<string, number>>();

  constructor(words: readonly string[]) {
    this.#unseen = new Set(words);
  }

  /** Takes note of a word that was met. */
  see(word: string): void {
    if (this.#unseen.size === 0) return;
    this.#unseen.delete(word);
    for (const asked of this.#unseen) this.#compare(asked, word);
  }

  /** One sentence for each word that was not met. `what` is what they are: `label`. */
  problems(what: string): readonly string[] {
    return [...this.#unseen].map(
      (word) =>
        `No baseline has the ${what} ${quote(word)}. ${nearestSentence(word, this.#near.get(word)?.keys() ?? [], `None has any ${what}.`)}`,
    );
  }

  #compare(asked: string, word: string): void {
    const near = this.#near.get(asked) ?? new Map<string, number>();
    this.#near.set(asked, near);
    if (near.has(word)) return;
    near.set(word, editDistance(asked.slice(0, 100).toLowerCase(), word.slice(0, 100).toLowerCase()));
    if (near.size <= MAX_NEAR) return;
    const [[farthest] = [word]] = [...near].toSorted(([a, left], [b, right]) => right - left || (a < b ? 1 : -1));
    near.delete(farthest);
  }
}
