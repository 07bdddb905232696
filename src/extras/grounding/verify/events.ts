import type { Token } from "../text/tokenize.ts";
import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import type { SourceSentence } from "./sources.ts";
import { isContent } from "./weights.ts";

/** Words after which a text names what comes next. */
const THEN = /^(?:then|afterwards|afterward|later|finally|subsequently|next|lastly)$/;
/** Words between what comes first and what comes next, if one of those words is in the second part. */
const JOINT = /^(?:and|but|then)$/;

/** Rank of each content word by the order of events: 0 for those of the first. */
type Ranks = ReadonlyMap<string, number>;

/**
 * Returns the first word of a claim whose events are in another order than in its nearest sources: "pay first and sign
 * afterwards" of "sign before you pay".
 */
export function swappedEvents({ tokens, near }: Aligned): Difference<"roles">[] {
  const own = ranksOf(tokens);
  if (own === undefined) return [];
  for (const { sentence } of near) {
    const ranks = ranksOf(sentence.tokens) ?? ranksByClause(sentence);
    if (agreement(own, ranks) >= 0) continue;
    const word = tokens.find(({ key }) => own.get(key) === 0 && (ranks.get(key) ?? 0) > 0);
    const other = sentence.tokens.find(({ key }) => ranks.get(key) === 0 && (own.get(key) ?? 0) > 0);
    if (word !== undefined) return [{ kind: "roles", word, sourceWord: other?.text ?? sentence.text, sentence }];
  }
  return [];
}

/** Returns the number of pairs of words that are in the same order in both, less those in the opposite order. */
function agreement(own: Ranks, source: Ranks): number {
  const shared = [...own].flatMap(([key, rank]) => {
    const other = source.get(key);
    // Whoever acts is named first in both.
    return other === undefined || (rank === 0 && other === 0) ? [] : [[rank, other] as const];
  });
  let sum = 0;
  for (const [at, [rank, other]] of shared.entries())
    for (const [second, third] of shared.slice(at + 1)) sum += Math.sign(second - rank) * Math.sign(third - other);
  return sum;
}

/** Ranks the words of a sentence by its clauses: they say in order what happens. */
function ranksByClause({ tokens, clauses }: SourceSentence): Ranks {
  const ranks = new Map<string, number>();
  for (const [at, token] of tokens.entries())
    if (token.kind === "word" && isContent(token) && !ranks.has(token.key)) ranks.set(token.key, clauses[at] ?? 0);
  return ranks;
}

/** Ranks the words of a sentence that says in which order things happen. Undefined for other sentences. */
function ranksOf(tokens: readonly Token[]): Ranks | undefined {
  const words = tokens.map(({ text }) => text.toLowerCase());
  const events = eventsOf(tokens, words);
  if (events === undefined) return undefined;
  const ranks = new Map<string, number>();
  for (const [rank, event] of events.entries())
    for (const token of event)
      if (token.kind === "word" && isContent(token) && !ranks.has(token.key)) ranks.set(token.key, rank);
  return ranks;
}

function eventsOf(tokens: readonly Token[], words: readonly string[]): readonly (readonly Token[])[] | undefined {
  const first = words.indexOf("first");
  const then = words.findIndex((word, at) => at > first && (THEN.test(word) || isAfterThat(words, at)));
  const turn = words.findIndex((word, at) => isTurn(words, at) && tokens[at + 1]?.kind !== "number");
  if (then > 0 && (first >= 0 || words[then - 1] === "and" || isAfterThat(words, then))) {
    const joint = words.findLastIndex((word, at) => at <= then && at > first && JOINT.test(word));
    const split = joint > 0 ? joint : then;
    const rest = tokens.slice(split);
    const before = words.indexOf("before", split) - split;
    return [tokens.slice(0, split), ...(before > 0 ? [rest.slice(0, before), rest.slice(before)] : [rest])];
  }
  // "A; B after it has done so": what it has done is before.
  const end = tokens[turn]?.start ?? 0;
  if (turn > 0 && !tokens.slice(turn + 1).some(isContent)) {
    const split = tokens.findLastIndex(
      (token, at) => token.start < end && (isApart(tokens, at) || JOINT.test(token.key)),
    );
    return split > 0 ? [tokens.slice(0, split), tokens.slice(split, turn)] : undefined;
  }
  // Within a sentence, a comma before the word may begin a clause that goes on after its own end.
  if (turn < 0 || (turn > 0 && isApart(tokens, turn))) return undefined;
  const [left, right] = turn === 0 ? atLastComma(tokens) : [tokens.slice(0, turn), tokens.slice(turn + 1)];
  // "After A, B", "B after A", "Before B, A" and "A before B".
  const isFirstLeft = (words[turn] === "before") !== (turn === 0);
  return isFirstLeft ? [left, right] : [right, left];
}

/** Returns true for the first of words that refer to what comes before: "after that", "once this is done". */
function isAfterThat(words: readonly string[], at: number): boolean {
  return /^(?:after (?:that|this|which|doing so)|once (?:that|this|it) (?:is|was|has been) done)\b/.test(
    words.slice(at, at + 5).join(" "),
  );
}

/** Returns true for a word between two events: "before", "after", "as soon as", "once it". */
function isTurn(words: readonly string[], at: number): boolean {
  const [word = "", next = ""] = words.slice(at);
  return (
    /^(?:before|after)$/.test(word) ||
    (word === "soon" && next === "as") ||
    (word === "once" && /^(?:the|a|an|it|you|they|he|she|all|your|his|her|their|this)$/.test(next))
  );
}

/** Splits a sentence that begins with a clause after that clause. */
function atLastComma(tokens: readonly Token[]): readonly [readonly Token[], readonly Token[]] {
  const gap = tokens.findLastIndex((_, at) => isApart(tokens, at));
  return gap < 0 ? [tokens, []] : [tokens.slice(1, gap), tokens.slice(gap)];
}

/** Returns true for a word with more than a space before it. */
function isApart(tokens: readonly Token[], at: number): boolean {
  return at > 0 && (tokens[at]?.start ?? 0) - (tokens[at - 1]?.end ?? 0) > 1;
}
