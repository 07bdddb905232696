import { type Token, tokenize } from "../text/tokenize.ts";
import {
  ALIGNMENT_SHARES,
  type Alignment,
  type AlignmentShares,
  type ConflictKind,
  alignmentOf,
  conflictsOf,
  isStray,
  ownDenials,
  turnedWords,
} from "./alignment.ts";
import { frameOf, nameTokens } from "./frames.ts";
import { type SourceIndex, type SourceSentence, precedes } from "./sources.ts";
import { roundScore, sumOf, tokenWeight } from "./weights.ts";

/**
 * What each defect leaves of a claim's score: by itself it brings a claim just below 0.70, the threshold of partial
 * support, and whether one is worse than another is not known.
 */
const PENALTY = 0.69;

/** How many source sentences one claim may draw on. */
const MOST_SENTENCES = 3;

/** A word of a claim that its sources lack. */
export interface MissingWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A word at which a claim says something else than the sentence it is aligned with, and how. */
export interface Conflict extends MissingWord {
  readonly kind: ConflictKind;
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
  /** Names that the sources have, but away from the rest of the claim. */
  readonly strayNames: readonly MissingWord[];
  /** The claim denies something and its evidence does not. */
  readonly negationOnlyInClaim: boolean;
  /** Words whose opposites stand in the evidence. */
  readonly antonyms: readonly MissingWord[];
  /** Words at which it says something else than the sentence it is aligned with. */
  readonly conflicts: readonly Conflict[];
}

/**
 * Scores a claim by the words it shares with its sources: the weight covered by the best three source sentences, less
 * a penalty for each defect. Defects are each number missing from them, each name missing from all sources, and once
 * for each kind: stray names, a denial that only the claim makes, opposites, and every kind of {@link Conflict}.
 * Offsets are those of `claim`.
 */
export function lexicalScore(
  claim: string,
  index: SourceIndex,
  shares: AlignmentShares = ALIGNMENT_SHARES,
): LexicalScore {
  const tokens = tokenize(claim);
  const weights = new Map(tokens.map((token) => [token.key, tokenWeight(token)]));
  const weight = sumOf(weights.values());
  const evidence = cover(weights, index);
  const found = new Set(evidence.flatMap(({ sentence }) => [...sentence.keys]));
  const names = nameTokens(claim, tokens);
  const novel = novelKeys(tokens, names, index);
  const alignment = alignmentOf({ tokens, weights, frame: frameOf(claim, tokens), index, shares, novel });
  const defects = defectsOf(names, alignment, { found, evidence: evidence.map(({ sentence }) => sentence) });
  const covered = sumOf([...weights].filter(([key]) => found.has(key)).map(([, value]) => value));
  const count = countOf(defects);
  return {
    score: weight === 0 ? 0 : roundScore((covered / weight) * PENALTY ** count, covered === weight && count === 0),
    weight: roundScore(weight),
    evidence: telling(evidence).map(({ sentence, mass }) => ({ sentence, score: roundScore(mass / weight) })),
    ...defects,
  };
}

/** Numbers and names that no source has. */
function novelKeys(tokens: readonly Token[], names: readonly Token[], { postings }: SourceIndex): ReadonlySet<string> {
  const numbers = tokens.filter(({ kind }) => kind === "number");
  return new Set([...numbers, ...names].map(({ key }) => key).filter((key) => !postings.has(key)));
}

type Defects = Omit<LexicalScore, "score" | "weight" | "evidence">;

function defectsOf(
  names: readonly Token[],
  alignment: Alignment,
  { found, evidence }: { readonly found: ReadonlySet<string>; readonly evidence: readonly SourceSentence[] },
): Defects {
  const { tokens, index } = alignment;
  const known = names.filter(({ key }) => index.postings.has(key));
  const { denial, hedge, condition, number, unit, bound } = conflictsOf(alignment);
  const conflict = (kind: ConflictKind, words: readonly Token[]): Conflict[] =>
    distinct(words).map((word) => ({ kind, ...word }));
  return {
    missingNumbers: distinct(tokens.filter(({ kind, key }) => kind === "number" && !found.has(key))),
    missingNames: distinct(names.filter(({ key }) => !index.postings.has(key))),
    strayNames: distinct(known.filter(({ key }) => isStray(key, alignment))),
    negationOnlyInClaim: ownDenials(alignment, evidence).length > 0,
    antonyms: distinct(turnedWords(alignment)),
    conflicts: [
      ...conflict("denial", denial),
      ...conflict("hedge", hedge),
      ...conflict("condition", condition),
      ...conflict(
        "number",
        number.filter(({ key }) => found.has(key)),
      ),
      ...conflict("unit", unit),
      ...conflict("bound", bound),
    ],
  };
}

/** Numbers and names each; of other defects each kind once, because their words come together. */
function countOf(defects: Defects): number {
  const { missingNumbers, missingNames, strayNames, negationOnlyInClaim, antonyms, conflicts } = defects;
  const kinds = [strayNames.length > 0, negationOnlyInClaim, antonyms.length > 0].filter(Boolean).length;
  return missingNumbers.length + missingNames.length + kinds + new Set(conflicts.map(({ kind }) => kind)).size;
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

function massOf(sentence: SourceSentence, weights: ReadonlyMap<string, number>): number {
  return sumOf([...weights].filter(([key]) => sentence.keys.has(key)).map(([, weight]) => weight));
}

function distinct(tokens: readonly Token[]): MissingWord[] {
  const seen = new Map(tokens.toReversed().map((token) => [token.key, token]));
  return [...seen.values()].toSorted((a, b) => a.start - b.start).map(({ text, start, end }) => ({ text, start, end }));
}
