import type { Token } from "../text/tokenize.ts";
import { type Aligned, type Candidate, contextOf, fit } from "./align.ts";
import type { Difference } from "./difference.ts";
import type { SourceSentence } from "./sources.ts";
import { isContent, sumOf } from "./weights.ts";

/** Words without content that give a sentence its direction. */
const DIRECTIONS: ReadonlySet<string> = new Set(["from", "to", "than", "of", "over", "before", "after", "by"]);

/** Words before a time or a location. */
const TIME: ReadonlySet<string> = new Set(["on", "in", "at", "during", "since", "until"]);

/** Words that relate both sides alike. */
const SYMMETRIC: ReadonlySet<string> = new Set([
  "and",
  "or",
  "meet",
  "met",
  "marri",
  "equal",
  "twin",
  "same",
  "between",
]);

/** Maximum number of words between two roles and within them. */
const MAX_WORDS = 24;

/**
 * Returns the first word of a claim in which two roles are exchanged: its words are those of a source sentence, but two
 * groups of them have changed sides around words that aren't symmetric. "Breva pays the customer" of "The customer pays
 * Breva".
 */
export function swappedRoles(tokens: readonly Token[], sentences: readonly SourceSentence[]): Difference<"roles">[] {
  const claim = tokens.filter(counts);
  for (const sentence of sentences) {
    const source = sentence.tokens.filter(counts);
    const swapped = swapIn(claim, source);
    // "On Sundays it shows films" of "Films are shown on Sundays".
    const isWhen = TIME.has(tokens[tokens.findIndex(({ start }) => start === swapped?.word.start) - 1]?.key ?? "");
    if (swapped !== undefined && !isWhen)
      return [{ kind: "roles", word: swapped.word, sourceWord: swapped.other.text, sentence }];
  }
  return [];
}

function counts(token: Token): boolean {
  return isContent(token) || DIRECTIONS.has(token.key) || SYMMETRIC.has(token.key) || token.key === "not";
}

function swapIn(
  claim: readonly Token[],
  source: readonly Token[],
): { readonly word: Token; readonly other: Token } | undefined {
  if (claim.length !== source.length) return undefined;
  let from = 0;
  while (from < claim.length && claim[from]?.key === source[from]?.key) from += 1;
  let to = claim.length;
  while (to > from && claim[to - 1]?.key === source[to - 1]?.key) to -= 1;
  const [first, second] = [claim.slice(from, to), source.slice(from, to)];
  if (first.length < 3 || first.length > MAX_WORDS) return undefined;
  const [word, other] = [first[0], second[0]];
  if (word === undefined || other === undefined || word.kind !== other.kind) return undefined;
  for (let left = 1; left < first.length - 1; left += 1)
    for (let right = 1; left + right < first.length; right += 1) {
      const middle = first.slice(left, first.length - right);
      const turned = [...first.slice(first.length - right), ...middle, ...first.slice(0, left)];
      if (turned.every(({ key }, at) => key === second[at]?.key) && !middle.some(({ key }) => SYMMETRIC.has(key)))
        return { word, other };
    }
  return undefined;
}

/** Share of a word's context by which another word's position must fit better for the two to be exchanged. */
const EXCHANGED = 0.12;

/**
 * Returns the first word of a claim that has the position of another one in a near source, while that one has its own:
 * "the club finances the station, the canton maintains the path" of the reverse.
 */
export function exchangedWords(claim: Aligned): Difference<"roles">[] {
  const pairs = claim.near.slice(0, 3).flatMap((candidate) => {
    const once = positionsOnce(claim, candidate);
    return once.flatMap((first, number) => once.slice(number + 1).map((second) => ({ candidate, first, second })));
  });
  const exchanged = pairs.find(
    ({ candidate, first, second }) =>
      areInOtherClauses(claim, candidate, [first, second]) &&
      isBetterAt(claim, candidate, [first, second]) &&
      isBetterAt(claim, candidate, [second, first]),
  );
  const word = claim.tokens[exchanged?.first.at ?? -1];
  if (exchanged === undefined || word === undefined) return [];
  const { sentence } = exchanged.candidate;
  const sourceWord = sentence.tokens[exchanged.second.position]?.text ?? sentence.text;
  return [{ kind: "roles", word, sourceWord, sentence }];
}

/** Returns the positions of the specific words that a claim and a sentence have once each. */
function positionsOnce(claim: Aligned, { sentence }: Candidate): Position[] {
  return claim.tokens.flatMap(({ key }, at) => {
    const [position, ...rest] = sentence.positions.get(key) ?? [];
    const isOnce = rest.length === 0 && claim.tokens.filter((token) => token.key === key).length === 1;
    return position === undefined || !isOnce || (claim.content.get(key) ?? 0) < 1 ? [] : [{ at, position }];
  });
}

/** Returns true for two words of first kind in two clauses: within a clause, words come in many orders. */
function areInOtherClauses(
  { tokens, clauses }: Aligned,
  { sentence }: Candidate,
  [first, second]: readonly [Position, Position],
): boolean {
  return (
    tokens[first.at]?.kind === tokens[second.at]?.kind &&
    clauses[first.at] !== clauses[second.at] &&
    sentence.clauses[first.position] !== sentence.clauses[second.position]
  );
}

interface Position {
  readonly at: number;
  readonly position: number;
}

function isBetterAt(claim: Aligned, candidate: Candidate, [first, second]: readonly [Position, Position]): boolean {
  const context = contextOf(claim, first.at);
  context.delete(claim.tokens[second.at]?.key ?? "");
  const total = sumOf(context.values());
  const [own, theirs] = [first, second].map(({ position }) => fit(candidate, position, { context, claim }));
  return total > 0 && (theirs ?? 0) >= (own ?? 0) + EXCHANGED * total;
}
