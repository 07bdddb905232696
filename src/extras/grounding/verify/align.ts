import type { Token } from "../text/tokenize.ts";
import type { Frame } from "./frames.ts";
import { type SourceIndex, type SourceSentence, massesOf, precedes } from "./sources.ts";
import { isContent, sumOf } from "./weights.ts";

/** Claim to compare with its sources. */
export interface ClaimParts {
  readonly tokens: readonly Token[];
  readonly weights: ReadonlyMap<string, number>;
  /** Keys of its names. */
  readonly names: ReadonlySet<string>;
  readonly frame: Frame;
  /** Number of each token's clause. */
  readonly clauses: readonly number[];
  readonly index: SourceIndex;
  /** Keys of the answer: a condition may be in its next sentence. */
  readonly answer: ReadonlySet<string>;
}

/** Claim with the source sentences that state most of it. */
export interface Aligned extends ClaimParts {
  readonly keys: ReadonlySet<string>;
  readonly content: ReadonlyMap<string, number>;
  /** Sentences that share most of the claim's content, best first. */
  readonly ranked: readonly Candidate[];
  /** Sentences about as good as the best that state much of the claim. */
  readonly near: readonly Candidate[];
}

export interface Candidate {
  readonly sentence: SourceSentence;
  readonly id: number;
  /** Weight of the claim's content in the sentence. */
  readonly mass: number;
}

/** Share of the best sentence's mass from which a sentence is near. */
const NEAR = 0.6;
/** Maximum number of sentences that are searched for a word in the same position. */
const CANDIDATES = 8;
/** Share of a word's context that a source must have around another word for the two to be in one position. */
export const CONTEXT = 0.5;
/** Share of the context by which the other word must fit better than the word itself does elsewhere. */
export const MARGIN = 0.12;

/** Aligns a claim with the source sentences that share most of its content. */
export function align(claim: ClaimParts): Aligned {
  const { weights, index } = claim;
  const content = new Map([...weights].filter(([key]) => isContentKey(key)));
  const masses = massesOf(content, index.postings);
  let most = 0;
  for (const mass of masses.values()) most = Math.max(most, mass);
  const ranked = [...masses]
    .flatMap(([id, mass]) => {
      const sentence = index.sentences[id];
      return sentence === undefined || mass < most / 4 ? [] : [{ id, mass, sentence }];
    })
    .sort((left, right) => right.mass - left.mass || (precedes(left.sentence, right.sentence) ? -1 : 1))
    .slice(0, CANDIDATES);
  // Words that no source has may be the wrong ones. They must not separate the claim from the sentence it contradicts.
  const sayable = sumOf([...content].filter(([key]) => index.postings.has(key)).map(([, weight]) => weight));
  const least = Math.max(NEAR * (ranked[0]?.mass ?? 0), sayable / 2);
  return {
    ...claim,
    content,
    keys: new Set(weights.keys()),
    ranked,
    near: ranked.filter(({ mass, sentence }) => mass >= least || isWithin(sentence, weights)),
  };
}

/** Returns true if a claim has all content words of a sentence, at least two: it's also about what that says. */
function isWithin({ keys }: SourceSentence, weights: ReadonlyMap<string, number>): boolean {
  const content = [...keys].filter(isContentKey);
  return content.length > 1 && content.every((key) => weights.has(key));
}

/** Returns the words around a word of the claim, by their weight and distance. */
export function contextOf({ tokens, content, clauses }: Aligned, at: number): Map<string, number> {
  const context = new Map<string, number>();
  const own = tokens[at]?.key;
  for (const [position, { key }] of tokens.entries()) {
    const weight = content.get(key);
    if (weight === undefined || key === own) continue;
    context.set(key, Math.max(context.get(key) ?? 0, weight * closeness(position, at, clauses)));
  }
  return context;
}

/** Returns 1 for a word near another one, less for a word further away or in another clause. */
function closeness(position: number, at: number, clauses: readonly number[]): number {
  const words = Math.abs(position - at);
  const [, value = 0.3] = CLOSENESS.find(([most]) => words <= most) ?? [];
  return value * (clauses[position] === clauses[at] ? 1 : OTHER_CLAUSE);
}

/** Closeness of a word up to a number of words away. */
const CLOSENESS: readonly (readonly [number, number])[] = [
  [3, 1],
  [8, 0.6],
];
const OTHER_CLAUSE = 0.5;

/** Returns the weight of a context that a source sentence has around a position. Neighbouring sentences count less. */
export function fit(
  { sentence, id }: Candidate,
  at: number,
  { context, claim }: { readonly context: ReadonlyMap<string, number>; readonly claim: Aligned },
): number {
  const neighbors = [id - 1, id + 1]
    .map((near) => claim.index.sentences[near])
    .filter((near) => near !== undefined && near.source === sentence.source);
  let sum = 0;
  for (const [key, weight] of context) {
    const here = sentence.positions.get(key);
    if (here !== undefined)
      sum += Math.min(
        weight,
        (claim.content.get(key) ?? 0) * Math.max(...here.map((each) => closeness(each, at, sentence.clauses))),
      );
    else if (neighbors.some((near) => near?.keys.has(key))) sum += weight * 0.2;
  }
  return sum;
}

/** Returns the indexes at which a candidate has a key. */
export function positions({ sentence }: Candidate, key: string): readonly number[] {
  return sentence.positions.get(key) ?? [];
}

/** Returns true if a word is in the scope of a denial. */
export function isDenied({ denials }: Frame, { start }: Token): boolean {
  return denials.some(({ starts }) => starts.has(start));
}

/** Returns the number of keys that two sets share. */
export function common(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
  let count = 0;
  for (const key of first) if (second.has(key)) count += 1;
  return count;
}

function isContentKey(key: string): boolean {
  return isContent({ key, kind: key.startsWith("#") ? "number" : "word" });
}
