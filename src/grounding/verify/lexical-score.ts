import { type Token, tokenize } from "../text/tokenize.ts";
import { antonymsOf, deniedKeys } from "./polarity.ts";
import { nameTokens, strayNames as strayOf } from "./names.ts";
import { roundScore, sumOf, tokenWeight } from "./weights.ts";
import type { SourceIndex, SourceSentence } from "./sources.ts";

/**
 * What each defect leaves of a claim's score. A number, a name or a negation that only the claim has must by itself
 * bring it below 0.70, the threshold of partial support; an opposite is a weaker sign, because both words may stand
 * there. Stray names bring a claim just below it, once however many: they come together, as the words of one name or
 * of one list.
 */
const PENALTY = { number: 0.6, name: 0.7, strayName: 0.69, negation: 0.65, antonym: 0.8 } as const;

/** How many source sentences one claim may draw on. */
const MOST_SENTENCES = 3;

/** A word of a claim that its sources lack. */
export interface MissingWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** How well the sources' words support a claim, and what is wanting. */
export interface LexicalScore {
  /** 0 to 1. */
  readonly score: number;
  /** The claim's mass: the summed weights of its different tokens. */
  readonly weight: number;
  /** Sentences that cover it, at most three, the most covering first. */
  readonly evidence: readonly { readonly sentence: SourceSentence; readonly score: number }[];
  readonly missingNumbers: readonly MissingWord[];
  readonly missingNames: readonly MissingWord[];
  /** Names that the sources have, but nowhere near the rest of the claim. */
  readonly strayNames: readonly MissingWord[];
  /** The claim denies something and its evidence does not. */
  readonly negationOnlyInClaim: boolean;
  /** Words whose opposites stand in the evidence. */
  readonly antonyms: readonly MissingWord[];
}

/**
 * Scores a claim by the words it shares with its sources: the weight covered by the best three source sentences, less
 * a penalty for each number missing from them, each name missing from all sources, names that stand only far from the
 * rest of the claim, a negation that only the claim has, and each word whose opposite stands there instead. Offsets
 * are those of `claim`.
 */
export function lexicalScore(claim: string, index: SourceIndex): LexicalScore {
  const tokens = tokenize(claim);
  const weights = new Map(tokens.map((token) => [token.key, tokenWeight(token)]));
  const weight = sumOf(weights.values());
  const evidence = cover(weights, index);
  const found = new Set(evidence.flatMap(({ sentence }) => [...sentence.keys]));
  const missingNumbers = distinct(tokens.filter(({ kind, key }) => kind === "number" && !found.has(key)));
  const names = nameTokens(claim, tokens);
  const missingNames = distinct(names.filter(({ key }) => !index.postings.has(key)));
  const strayNames = distinct(strayOf(names, weights, index));
  const denied = deniedKeys(tokens);
  const negationOnlyInClaim = denied.size > 0 && !evidence.some(({ sentence }) => intersects(denied, sentence.denied));
  const antonyms = distinct(tokens.filter(({ key }) => !found.has(key) && intersects(antonymsOf(key), found)));
  const covered = sumOf([...weights].filter(([key]) => found.has(key)).map(([, value]) => value));
  const factor =
    PENALTY.number ** missingNumbers.length *
    PENALTY.name ** missingNames.length *
    PENALTY.antonym ** antonyms.length *
    (strayNames.length > 0 ? PENALTY.strayName : 1) *
    (negationOnlyInClaim ? PENALTY.negation : 1);
  return {
    score: weight === 0 ? 0 : roundScore((covered / weight) * factor, covered === weight && factor === 1),
    weight: roundScore(weight),
    evidence: telling(evidence).map(({ sentence, mass }) => ({ sentence, score: roundScore(mass / weight) })),
    missingNumbers,
    missingNames,
    strayNames,
    negationOnlyInClaim,
    antonyms,
  };
}

interface Cover {
  readonly sentence: SourceSentence;
  /** The weight of the claim's tokens that it has. */
  readonly mass: number;
  /** The part of that which no sentence chosen before has. */
  readonly gain: number;
}

/** Less is shared by words of grammar alone, and shows nobody anything. */
const LEAST_GAIN = 0.1;

/** The sentences that share a word of content with the claim; the first alone where none does. */
function telling(evidence: readonly Cover[]): readonly Cover[] {
  const found = evidence.filter(({ gain }) => gain >= LEAST_GAIN);
  return found.length > 0 ? found : evidence.slice(0, 1);
}

/** Picks the sentences that cover most of the weight still open, one after the other; equals are told apart by text. */
function cover(weights: ReadonlyMap<string, number>, { sentences, postings }: SourceIndex): Cover[] {
  const open = new Map(weights);
  const chosen: Cover[] = [];
  while (chosen.length < MOST_SENTENCES) {
    const gains = new Map<number, number>();
    for (const [key, weight] of open) {
      for (const id of postings.get(key) ?? []) gains.set(id, (gains.get(id) ?? 0) + weight);
    }
    const best = bestOf(gains, sentences);
    if (best === undefined) break;
    for (const key of best.sentence.keys) open.delete(key);
    chosen.push({ ...best, mass: massOf(best.sentence, weights) });
  }
  return chosen;
}

function bestOf(
  gains: ReadonlyMap<number, number>,
  sentences: readonly SourceSentence[],
): Omit<Cover, "mass"> | undefined {
  let best: Omit<Cover, "mass"> | undefined;
  for (const [id, gain] of gains) {
    const sentence = sentences[id];
    if (
      sentence === undefined ||
      (best !== undefined && (gain < best.gain || (gain === best.gain && !precedes(sentence, best.sentence))))
    )
      continue;
    best = { sentence, gain };
  }
  return best;
}

/** An order that does not depend on how the sources were handed over. */
function precedes(one: SourceSentence, other: SourceSentence): boolean {
  if (one.text !== other.text) return one.text < other.text;
  if (one.document !== other.document) return one.document < other.document;
  return (one.page ?? 0) === (other.page ?? 0) ? one.start < other.start : (one.page ?? 0) < (other.page ?? 0);
}

function massOf(sentence: SourceSentence, weights: ReadonlyMap<string, number>): number {
  return sumOf([...weights].filter(([key]) => sentence.keys.has(key)).map(([, weight]) => weight));
}

function distinct(tokens: readonly Token[]): MissingWord[] {
  const seen = new Map(tokens.toReversed().map((token) => [token.key, token]));
  return [...seen.values()].toSorted((a, b) => a.start - b.start).map(({ text, start, end }) => ({ text, start, end }));
}

function intersects(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...some].some((key) => others.has(key));
}
