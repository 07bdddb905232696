import type { Token } from "../text/tokenize.ts";
import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import { numberClass } from "./number-class.ts";
import type { SourceSentence } from "./sources.ts";
import { isContent } from "./weights.ts";

const LESS = new Set(
  "less fewer cheaper shorter lower smaller lighter younger nearer closer thinner narrower rarer earlier".split(" "),
);
const MORE = new Set(
  ("more greater longer higher larger bigger heavier older taller wider deeper thicker dearer costlier pricier " +
    "later further farther").split(" "),
);
const PREPOSITION = /^(?:on|from|with|in|for|at|by|of|to|under)$/;

/** Maximum number of words between a number and what it's the number of. */
const REACH = 6;

/** "X is more … than Y": the words of X and Y that the other one lacks. */
interface Comparison {
  readonly word: Token;
  readonly isMore: boolean;
  readonly first: ReadonlySet<string>;
  readonly second: ReadonlySet<string>;
}

/** Returns the comparative of a claim that compares two things the other way round than their numbers in a source. */
export function turnedComparisons({ tokens, ranked }: Aligned): Difference<"roles">[] {
  const comparison = comparisonOf(tokens);
  if (comparison === undefined) return [];
  for (const { sentence } of ranked) {
    const pair = numbersOf(comparison, sentence);
    if (pair === undefined) continue;
    const [one, other] = pair.map(({ key }) => Number(key.slice(1)));
    if (one === undefined || other === undefined || one === other) return [];
    if (one > other === comparison.isMore) return [];
    const sourceWord = pair.map(({ text }) => text).join(comparison.isMore ? " < " : " > ");
    return [{ kind: "roles", word: comparison.word, sourceWord, sentence }];
  }
  return [];
}

function comparisonOf(tokens: readonly Token[]): Comparison | undefined {
  const than = tokens.findIndex(({ key }) => key === "than");
  const at = tokens.slice(0, Math.max(than, 0)).findLastIndex(({ text }) => LESS.has(text) || MORE.has(text));
  const word = tokens[at];
  if (word === undefined || than - at > REACH || tokens[than + 1]?.kind === "number") return undefined;
  const isMore = MORE.has(word.text) !== (tokens[at + 1]?.text === "cheap");
  const [before, between] = [tokens.slice(0, at), tokens.slice(at + 1, than)];
  const own = between.some(({ text }) => PREPOSITION.test(text)) ? between : before;
  const [all, after] = [keysOf(tokens.slice(0, than)), keysOf(tokens.slice(than + 1))];
  return { word, isMore, first: keysOf(own).difference(after), second: after.difference(all) };
}

function keysOf(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(tokens.filter(isContent).map(({ key }) => key));
}

/** Returns the numbers of one class that a sentence has for the first and the second thing. */
function numbersOf({ first, second }: Comparison, { tokens }: SourceSentence): readonly [Token, Token] | undefined {
  const numbers = tokens.flatMap((token, at) => (/^#\d+(?:\.\d+)?$/.test(token.key) ? [{ token, at }] : []));
  let best: { readonly pair: readonly [Token, Token]; readonly distance: number } | undefined;
  for (const one of numbers)
    for (const other of numbers) {
      if (one === other || numberClass(tokens, one.at) !== numberClass(tokens, other.at)) continue;
      const [near, far] = [distanceTo(tokens, one.at, first), distanceTo(tokens, other.at, second)];
      if (near > REACH || far > REACH || near + far >= (best?.distance ?? Infinity)) continue;
      best = { pair: [one.token, other.token], distance: near + far };
    }
  return best?.pair;
}

function distanceTo(tokens: readonly Token[], from: number, keys: ReadonlySet<string>): number {
  return Math.min(...tokens.map(({ key }, at) => (keys.has(key) ? Math.abs(at - from) : Infinity)));
}
