import { type Token, tokenize } from "../text/tokenize.ts";
import { isOpposite } from "./antonyms.ts";
import type { Frame, Reach } from "./frames.ts";
import { type SourceIndex, type SourceSentence, precedes } from "./sources.ts";
import { isContent, sumOf } from "./weights.ts";

/** Thresholds of alignment, chosen by cross-validation grouped by task (docs/decisions/029-grounding-constants.md). */
export interface AlignmentShares {
  /** Minimum share of words of one side for the other to state them. */
  readonly much: number;
  /** Maximum share of words for the other side not to state them. */
  readonly little: number;
  /**
   * Share of the best sentence's mass from which a sentence is aligned. Also the share of the best context that a
   * number or name needs, if that context has another one instead.
   */
  readonly near: number;
}

/** Default shares, as chosen by `npm run bench:grounding`. */
export const ALIGNMENT_SHARES: AlignmentShares = { much: 0.6, little: 0.2, near: 0.75 };

/** Claim with the source sentences that state most of it. */
export interface Alignment {
  readonly tokens: readonly Token[];
  /** Weight of each content key. */
  readonly content: ReadonlyMap<string, number>;
  readonly keys: ReadonlySet<string>;
  readonly frame: Frame;
  readonly index: SourceIndex;
  /** Sentences by mass, the weight of the claim's content that they have. Best first. */
  readonly ranked: readonly { readonly id: number; readonly mass: number }[];
  /** Sentences about as good as the best that state much of the claim. */
  readonly near: readonly AlignedSentence[];
  readonly shares: AlignmentShares;
}

/** Sentence of a source with the weight of the claim's content that it has. */
export interface AlignedSentence {
  readonly sentence: SourceSentence;
  readonly mass: number;
}

/** Difference between a claim and the sentence it's aligned with. */
export type ConflictKind = "denial" | "hedge" | "condition" | "number" | "unit" | "bound";

/** Parts of a claim that {@link alignmentOf} needs. */
export type ClaimParts = Pick<Alignment, "tokens" | "frame" | "index" | "shares"> & {
  readonly weights: ReadonlyMap<string, number>;
  /** Keys of numbers and names that no source has. */
  readonly novel: ReadonlySet<string>;
};

/**
 * Finds the sentences that a claim is aligned with. Linear in the number of occurrences of its words in the sources.
 */
export function alignmentOf({ tokens, frame, index, shares, weights, novel }: ClaimParts): Alignment {
  const content = new Map([...weights].filter(([key]) => isContentKey(key)));
  const masses = new Map<number, number>();
  for (const [key, weight] of content)
    for (const id of index.postings.get(key) ?? []) masses.set(id, (masses.get(id) ?? 0) + weight);
  const ranked = [...masses]
    .flatMap(([id, mass]) => {
      const sentence = index.sentences[id];
      return sentence === undefined ? [] : [{ id, mass, sentence }];
    })
    .sort((left, right) => right.mass - left.mass || (precedes(left.sentence, right.sentence) ? -1 : 1));
  // Novel words are a defect already. They must not separate the claim from the sentence that contradicts it.
  const sayable = sumOf([...content].filter(([key]) => !novel.has(key)).map(([, weight]) => weight));
  const least = Math.max(shares.near * (ranked[0]?.mass ?? 0), sayable / 2);
  const near = ranked.filter(({ mass }) => mass > 0 && mass >= least);
  return { tokens, content, keys: new Set(weights.keys()), frame, index, ranked, near, shares };
}

/** Returns the words of a claim that contradict its aligned sentences, by kind. */
export function conflictsOf(claim: Alignment): Readonly<Record<ConflictKind, readonly Token[]>> {
  return {
    denial: undenied(claim),
    hedge: unhedged(claim),
    condition: unconditional(claim),
    number: claim.tokens.filter(
      ({ key }, at) =>
        isPlainNumber(key) && claim.index.postings.has(key) && (isDisplaced(key, claim) || isDoubled(at, claim)),
    ),
    unit: otherThan(claim, "units"),
    bound: otherThan(claim, "bounds"),
  };
}

/**
 * Number of words before and after a number or name that count fully as its context. Words further away count `little`.
 */
const CONTEXT = 8;

/** Number of sentences, by mass, that can be the best context. */
const CONTEXTS = 12;

/**
 * Returns true if the sources have a number or name only away from its context in the claim: the surrounding words
 * occur together elsewhere with another number or name, or hardly any of them occur near it. Two sentences before and
 * after count half.
 */
export function isDisplaced(key: string, { content, index, ranked, tokens, shares }: Alignment): boolean {
  const at = tokens.findIndex((token) => token.key === key);
  const local = new Map<string, number>();
  for (const [position, token] of tokens.entries()) {
    const weight = content.get(token.key);
    if (weight === undefined || token.key === key) continue;
    const value = Math.abs(position - at) <= CONTEXT ? weight : weight * shares.little;
    local.set(token.key, Math.max(local.get(token.key) ?? 0, value));
  }
  const context = (id: number): number => contextAt(id, local, index);
  const own = Math.max(0, ...(index.postings.get(key) ?? []).map(context));
  const total = sumOf(local.values());
  let best = { id: -1, value: 0 };
  for (const { id } of ranked.slice(0, CONTEXTS)) {
    const value = context(id);
    if (value > best.value) best = { id, value };
  }
  // If no context states much of the claim, the claim isn't aligned. Then only a word of another topic is displaced.
  if (best.value < shares.much * total) return own < shares.little * total;
  const { keys = new Set<string>(), names = keys } = index.sentences[best.id] ?? {};
  const rivals = key.startsWith("#") ? [...keys].filter((other) => other.startsWith("#")) : names;
  return own < ([...rivals].some((rival) => !content.has(rival)) ? shares.near : shares.little) * best.value;
}

/**
 * Returns true if the claim repeats a number more often than every aligned sentence that has it, and those have another
 * number instead.
 */
function isDoubled(at: number, { tokens, keys, near }: Alignment): boolean {
  const { key } = tokens[at] ?? { key: "" };
  const count = countIn(tokens, key);
  const own = near.filter(({ sentence }) => sentence.keys.has(key));
  return (
    count > 1 &&
    own.length > 0 &&
    own.every(({ sentence }) => {
      const tokens = tokenize(sentence.text);
      return (
        countIn(tokens, key) < count && tokens.some(({ key: other, kind }) => kind === "number" && !keys.has(other))
      );
    })
  );
}

function countIn(tokens: readonly Token[], key: string): number {
  return tokens.filter((token) => token.key === key).length;
}

function contextAt(id: number, local: ReadonlyMap<string, number>, { sentences }: SourceIndex): number {
  const here = sentences[id];
  const neighbors = [id - 2, id - 1, id + 1, id + 2]
    .map((neighborId) => sentences[neighborId])
    .filter((neighbor) => neighbor !== undefined && neighbor.source === here?.source);
  let sum = 0;
  for (const [key, weight] of local) {
    if (here?.keys.has(key) === true) sum += weight;
    else if (neighbors.some((neighbor) => neighbor?.keys.has(key) === true)) sum += weight / 2;
  }
  return sum;
}

/** Returns the denials of a claim that its sources don't make. */
export function unsupportedDenials(claim: Alignment, evidence: readonly SourceSentence[]): readonly Reach[] {
  const sentences = claim.near.length > 0 ? claim.near.map(({ sentence }) => sentence) : evidence;
  return claim.frame.denials.filter((denial) => !isDenied(denial, claim.keys, sentences));
}

function isDenied({ head, keys }: Reach, claim: ReadonlySet<string>, sentences: readonly SourceSentence[]): boolean {
  const denials = sentences.flatMap(({ frame }) => frame.denials);
  if (denials.some((other) => other.head.key === head.key || common(keys, other.keys) >= 2)) return true;
  if (sentences.some((sentence) => [...sentence.keys].some((key) => isOpposite(key, head.key)))) return true;
  const [best] = sentences;
  if (best === undefined) return false;
  // "Not pay" agrees with "avoid paying".
  if (best.keys.has(head.key)) return [...best.frame.implied].some((key) => !claim.has(key));
  // The source may use another word for the denied thing: then the claim must have the rest of that denial.
  return best.frame.denials.some((other) => claim.has(other.head.key) && common(other.keys, claim) >= 2);
}

/** Returns the words that the sources deny and the claim asserts. */
function undenied({ frame, near, keys, tokens, shares }: Alignment): Token[] {
  const own = new Set(frame.denials.flatMap((reach) => [...reach.keys]));
  const heads = near.flatMap(({ sentence, mass }) =>
    sentence.frame.denials
      .filter((reach) => {
        if (!keys.has(reach.head.key) || [...reach.keys].some((key) => own.has(key))) return false;
        if ([...frame.implied].some((key) => !sentence.keys.has(key))) return false;
        return shareOf(reach.keys, keys) >= shares.much && !isAsserted(reach, near, mass);
      })
      .map(({ head }) => head.key),
  );
  return firstOf(tokens, new Set(heads));
}

function isAsserted({ head }: Reach, near: readonly AlignedSentence[], least: number): boolean {
  return near.some(
    ({ sentence, mass }) =>
      mass >= least && sentence.keys.has(head.key) && !sentence.frame.denials.some(({ keys }) => keys.has(head.key)),
  );
}

/** Returns the words that the sources leave open and the claim states for certain. */
function unhedged({ frame, near, keys, tokens, shares }: Alignment): Token[] {
  const sentences = near.map(({ sentence }) => sentence);
  const sure = frame.strong.filter(
    (own) =>
      sentences.every((other) => !other.frame.strong.some(({ keys: strong }) => strong.has(own.head.key))) &&
      sentences.some((other) => other.frame.hedges.some(({ keys: open }) => common(open, own.keys) > 0)),
  );
  if (sure.length > 0) return sure.map(({ cue }) => cue);
  if (frame.hedges.length > 0) return [];
  const denied = new Set(frame.denials.flatMap((reach) => [...reach.keys]));
  const heads = sentences
    .flatMap((sentence) => sentence.frame.modals)
    .filter(({ head, keys: open }) => keys.has(head.key) && !denied.has(head.key) && shareOf(open, keys) >= shares.much)
    .map(({ head }) => head.key)
    .filter((key) =>
      sentences.every((other) => !other.keys.has(key) || other.frame.hedges.some(({ keys: open }) => open.has(key))),
    );
  return firstOf(tokens, new Set(heads));
}

/** Returns the first word of a claim that drops a condition of the sources. */
function unconditional({ frame, near, keys, tokens, shares }: Alignment): readonly Token[] {
  if (frame.conditions.length > 0) return [];
  const dropped = near.some(({ sentence }) =>
    sentence.frame.conditions.some(({ keys: condition }) => {
      const rest = new Set([...sentence.keys].filter((key) => !condition.has(key) && isContentKey(key)));
      return rest.size > 1 && shareOf(rest, keys) >= 1 - shares.much && shareOf(condition, keys) <= 1 - shares.much;
    }),
  );
  return dropped ? tokens.slice(0, 1) : [];
}

/** Returns the numbers that count something else, or are another limit, in every source sentence that has them. */
function otherThan({ frame, index, tokens }: Alignment, kind: "units" | "bounds"): Token[] {
  return tokens.filter(({ key }) => {
    const own = frame[kind].get(key);
    const values = (index.postings.get(key) ?? []).map((id) => index.sentences[id]?.frame[kind].get(key));
    if (own === undefined || values.includes(own)) return false;
    // An amount without a bound agrees with any. A number with an unknown unit may have another spelling.
    return kind === "units"
      ? values.some((other) => other !== undefined)
      : !values.includes(undefined) && values.length > 0;
  });
}

/** Returns the words of a claim for which its aligned sentences have the opposite. */
export function turnedWords({ tokens, keys, content, frame, near }: Alignment): Token[] {
  return tokens.filter(({ key }) => {
    const own = near.filter(({ sentence }) => sentence.keys.has(key)).map(({ mass }) => mass - (content.get(key) ?? 0));
    const denied = frame.denials.some((reach) => reach.keys.has(key));
    return near.some(
      ({ sentence, mass }) =>
        own.every((other) => mass > other) &&
        !sentence.keys.has(key) &&
        [...sentence.keys].some(
          (other) =>
            !keys.has(other) &&
            isOpposite(key, other) &&
            sentence.frame.denials.some((reach) => reach.keys.has(other)) === denied,
        ),
    );
  });
}

function firstOf(tokens: readonly Token[], keys: ReadonlySet<string>): Token[] {
  return [...keys].flatMap((key) => tokens.find((token) => token.key === key) ?? []);
}

function common(some: ReadonlySet<string>, second: ReadonlySet<string>): number {
  let count = 0;
  for (const key of some) if (second.has(key)) count += 1;
  return count;
}

function shareOf(some: ReadonlySet<string>, of: ReadonlySet<string>): number {
  return common(some, of) / some.size;
}

function isContentKey(key: string): boolean {
  return isContent({ key, kind: key.startsWith("#") ? "number" : "word" });
}

/** Returns true for an amount or a time of day. Codes and versions are more like names. */
function isPlainNumber(key: string): boolean {
  return /^#-?\d+(?:\.\d+|:\d\d)?$/.test(key);
}
