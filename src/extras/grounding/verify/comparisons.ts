import type { Token } from "../text/tokenize.ts";
import { type Aligned, common } from "./align.ts";
import type { Difference } from "./difference.ts";
import { numberClass } from "./number-class.ts";
import type { SourceSentence } from "./sources.ts";
import { contentKeys } from "./weights.ts";

const LESS = new Set(
  "less fewer cheaper shorter lower smaller lighter younger nearer closer thinner narrower rarer earlier".split(" "),
);
const MORE = new Set(
  (
    "more greater longer higher larger bigger heavier older taller wider deeper thicker dearer costlier pricier " +
    "later further farther"
  ).split(" "),
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

/** Returns the comparative of a claim that compares two things the other way round than a source or its numbers. */
export function swappedComparisons({ tokens, ranked }: Aligned): Difference<"roles">[] {
  const comparison = comparisonOf(tokens);
  if (comparison === undefined) return [];
  const { word, isMore } = comparison;
  for (const { sentence } of ranked) {
    const other = comparisonOf(sentence.tokens);
    if (other !== undefined && isTurned(comparison, other))
      return [{ kind: "roles", word, sourceWord: other.word.text, sentence }];
  }
  const pair = numbersOf(
    comparison,
    ranked.map(({ sentence }) => sentence),
  );
  const [first, second] = pair?.map(({ tokens: all, at }) => all[at]) ?? [];
  const [left, right] = [first, second].map((token) => Number(token?.key.slice(1)));
  if (pair === undefined || left === undefined || right === undefined || left === right || left > right === isMore)
    return [];
  const sourceWord = `${first?.text} ${isMore ? "<" : ">"} ${second?.text}`;
  return [{ kind: "roles", word, sourceWord, sentence: pair[0].sentence }];
}

/** Returns true if two comparisons are about the same things, and don't agree on which has more. */
function isTurned(own: Comparison, other: Comparison): boolean {
  const [straight, crossed] = [
    common(own.first, other.first) * common(own.second, other.second),
    common(own.first, other.second) * common(own.second, other.first),
  ];
  return own.isMore === other.isMore ? crossed > straight : straight > crossed;
}

function comparisonOf(tokens: readonly Token[]): Comparison | undefined {
  const than = tokens.findIndex(({ key }) => key === "than");
  const at = tokens.slice(0, Math.max(than, 0)).findLastIndex(({ text }) => LESS.has(text) || MORE.has(text));
  const word = tokens[at];
  if (word === undefined || than - at > REACH || tokens[than + 1]?.kind === "number") return undefined;
  const isMore = MORE.has(word.text) !== (tokens[at + 1]?.text === "cheap");
  const [before, between] = [tokens.slice(0, at), tokens.slice(at + 1, than)];
  // "It costs more in May than in June" compares what is after its prepositions.
  const isWithin = PREPOSITION.test(tokens[than + 1]?.text ?? "") && between.some(({ text }) => PREPOSITION.test(text));
  const own = isWithin ? between : before;
  const [all, after] = [contentKeys(tokens.slice(0, than)), contentKeys(tokens.slice(than + 1))];
  return { word, isMore, first: without(contentKeys(own), after), second: without(after, all) };
}

function without(keys: ReadonlySet<string>, excluded: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...keys].filter((key) => !excluded.has(key)));
}

/** Number of a sentence. */
interface NumberAt {
  readonly sentence: SourceSentence;
  readonly tokens: readonly Token[];
  readonly at: number;
}

/** Returns the nearest numbers of one class that sentences have for the first and the second thing. */
function numbersOf(
  { first, second }: Comparison,
  sentences: readonly SourceSentence[],
): readonly [NumberAt, NumberAt] | undefined {
  const numbers = sentences.flatMap((sentence) =>
    sentence.tokens.flatMap(({ key }, at): NumberAt[] =>
      /^#\d+(?:\.\d+)?$/.test(key) && !isPartOfCode(sentence, at) ? [{ sentence, tokens: sentence.tokens, at }] : [],
    ),
  );
  let best: { readonly pair: readonly [NumberAt, NumberAt]; readonly distance: number } | undefined;
  for (const left of numbers)
    for (const right of numbers) {
      const kind = numberClass(left.tokens, left.at);
      if (left === right || kind !== numberClass(right.tokens, right.at)) continue;
      // A plain number may count anything, so two of them are compared only in one sentence.
      if (kind === "" && left.sentence !== right.sentence) continue;
      const [near, far] = [distanceTo(left, first), distanceTo(right, second)];
      if (near > REACH || far > REACH || near + far >= (best?.distance ?? Infinity)) continue;
      best = { pair: [left, right], distance: near + far };
    }
  return best?.pair;
}

/** Returns true for the number of a code, such as a model's: "DW-30". */
function isPartOfCode({ text, tokens }: SourceSentence, at: number): boolean {
  return /[\p{L}]-$/u.test(text.slice(Math.max(0, (tokens[at]?.start ?? 0) - 2), tokens[at]?.start));
}

function distanceTo({ tokens, at }: NumberAt, keys: ReadonlySet<string>): number {
  return Math.min(...tokens.map(({ key }, position) => (keys.has(key) ? Math.abs(position - at) : Infinity)));
}
