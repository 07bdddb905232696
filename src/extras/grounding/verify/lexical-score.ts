import { type Token, tokenize } from "../text/tokenize.ts";
import {
  ALIGNMENT_SHARES,
  type Alignment,
  type AlignmentShares,
  type ConflictKind,
  alignmentOf,
  conflictsOf,
  isDisplaced,
  unsupportedDenials,
  turnedWords,
} from "./alignment.ts";
import { frameOf, nameTokens } from "./frames.ts";
import { type SourceIndex, type SourceSentence, precedes } from "./sources.ts";
import { roundScore, sumOf, tokenWeight } from "./weights.ts";

/**
 * Factor of each defect. A single one lowers a claim just below 0.70, the threshold of partial support. All kinds weigh
 * the same, since it isn't known which is worse.
 */
const PENALTY = 0.69;

/** Maximum number of source sentences for one claim. */
const MAX_SENTENCES = 3;

/** Word of a claim that its sources lack. */
export interface MissingWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Word of a claim that contradicts the sentence it's aligned with. */
export interface Conflict extends MissingWord {
  readonly kind: ConflictKind;
}

/** Lexical support of a claim by its sources, and its defects. */
export interface LexicalScore {
  /** 0 to 1. */
  readonly score: number;
  /** Mass of the claim: the summed weights of its different tokens. */
  readonly weight: number;
  /** At most three sentences that cover the claim, the most covering first. */
  readonly evidence: readonly { readonly sentence: SourceSentence; readonly score: number }[];
  readonly missingNumbers: readonly MissingWord[];
  readonly missingNames: readonly MissingWord[];
  /** Names that the sources have, but far from the rest of the claim. */
  readonly strayNames: readonly MissingWord[];
  /** True if the claim denies something and its evidence doesn't. */
  readonly negationOnlyInClaim: boolean;
  /** Words whose opposites are in the evidence. */
  readonly antonyms: readonly MissingWord[];
  /** Words that contradict the sentence the claim is aligned with. */
  readonly conflicts: readonly Conflict[];
}

/**
 * Scores a claim by the words it shares with its sources: the weight covered by the best three source sentences, less a
 * penalty for each defect. Defects are each number missing from these sentences, each name missing from all sources,
 * and once for each kind: displaced names (`strayNames`), a denial that only the claim makes, opposites, and every kind
 * of {@link Conflict}. Offsets refer to `claim`.
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
  const evidenceKeys = new Set(evidence.flatMap(({ sentence }) => [...sentence.keys]));
  const names = nameTokens(claim, tokens);
  const novel = novelKeys(tokens, names, index);
  const alignment = alignmentOf({ tokens, weights, frame: frameOf(claim, tokens), index, shares, novel });
  const defects = defectsOf(names, alignment, { evidenceKeys, evidence: evidence.map(({ sentence }) => sentence) });
  const covered = sumOf([...weights].filter(([key]) => evidenceKeys.has(key)).map(([, value]) => value));
  const count = countOf(defects);
  return {
    score: weight === 0 ? 0 : roundScore((covered / weight) * PENALTY ** count, covered === weight && count === 0),
    weight: roundScore(weight),
    evidence: usefulEvidence(evidence).map(({ sentence, mass }) => ({ sentence, score: roundScore(mass / weight) })),
    ...defects,
  };
}

/** Returns the numbers and names that no source has. */
function novelKeys(tokens: readonly Token[], names: readonly Token[], { postings }: SourceIndex): ReadonlySet<string> {
  const numbers = tokens.filter(({ kind }) => kind === "number");
  return new Set([...numbers, ...names].map(({ key }) => key).filter((key) => !postings.has(key)));
}

type Defects = Omit<LexicalScore, "score" | "weight" | "evidence">;

function defectsOf(
  names: readonly Token[],
  alignment: Alignment,
  {
    evidenceKeys,
    evidence,
  }: { readonly evidenceKeys: ReadonlySet<string>; readonly evidence: readonly SourceSentence[] },
): Defects {
  const { tokens, index } = alignment;
  const known = names.filter(({ key }) => index.postings.has(key));
  const { denial, hedge, condition, number, unit, bound } = conflictsOf(alignment);
  const conflict = (kind: ConflictKind, words: readonly Token[]): Conflict[] =>
    distinct(words).map((word) => ({ kind, ...word }));
  return {
    missingNumbers: distinct(tokens.filter(({ kind, key }) => kind === "number" && !evidenceKeys.has(key))),
    missingNames: distinct(names.filter(({ key }) => !index.postings.has(key))),
    strayNames: distinct(known.filter(({ key }) => isDisplaced(key, alignment))),
    negationOnlyInClaim: unsupportedDenials(alignment, evidence).length > 0,
    antonyms: distinct(turnedWords(alignment)),
    conflicts: [
      ...conflict("denial", denial),
      ...conflict("hedge", hedge),
      ...conflict("condition", condition),
      ...conflict(
        "number",
        number.filter(({ key }) => evidenceKeys.has(key)),
      ),
      ...conflict("unit", unit),
      ...conflict("bound", bound),
    ],
  };
}

/** Counts each number and name, but other defects once per kind, because their words occur together. */
function countOf(defects: Defects): number {
  const { missingNumbers, missingNames, strayNames, negationOnlyInClaim, antonyms, conflicts } = defects;
  const kinds = [strayNames.length > 0, negationOnlyInClaim, antonyms.length > 0].filter(Boolean).length;
  return missingNumbers.length + missingNames.length + kinds + new Set(conflicts.map(({ kind }) => kind)).size;
}

interface Cover {
  readonly sentence: SourceSentence;
  /** Weight of the claim's tokens in the sentence. */
  readonly mass: number;
  /** Part of that weight that no earlier chosen sentence has. */
  readonly gain: number;
}

/** Minimum gain of useful evidence. A smaller one comes from function words alone. */
const MIN_GAIN = 0.1;

/** Returns the sentences that share a content word with the claim, or only the first if there are none. */
function usefulEvidence(evidence: readonly Cover[]): readonly Cover[] {
  const useful = evidence.filter(({ gain }) => gain >= MIN_GAIN);
  return useful.length > 0 ? useful : evidence.slice(0, 1);
}

/** Picks one by one the sentences that cover most of the remaining weight. Ties are broken by text. */
function cover(weights: ReadonlyMap<string, number>, { sentences, postings }: SourceIndex): Cover[] {
  const open = new Map(weights);
  const chosen: Cover[] = [];
  while (chosen.length < MAX_SENTENCES) {
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
