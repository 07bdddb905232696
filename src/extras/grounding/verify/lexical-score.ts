import { isSynonym } from "../text/synonyms.ts";
import { quantitiesOf } from "../text/quantities.ts";
import { type Token, tokenize } from "../text/tokenize.ts";
import { align } from "./align.ts";
import { isOpposite } from "./antonyms.ts";
import { differencesOf } from "./contradictions.ts";
import { derivedNumbers } from "./derived-numbers.ts";
import type { ContradictionKind, Difference, NoteKind } from "./difference.ts";
import { withoutAttribution } from "./split-claims.ts";
import { isSmallCount } from "./number-class.ts";
import { clausesOf, frameOf, nameTokens } from "./frames.ts";
import { type SourceIndex, type SourceSentence, massesOf, precedes } from "./sources.ts";
import { roundScore, sumOf, tokenWeight } from "./weights.ts";

/** Maximum number of source sentences for one claim. */
const MAX_SENTENCES = 3;

/** Factor of the support for each number or name that no source has: it says something specific that isn't there. */
const MISSING = 0.69;

/** Share of its weight that a word has from a word of like or opposite meaning: opposites are compared on their own. */
const LIKE_WORD = 0.8;

/** Maximum support if the rules of contradictions don't know the language. */
const OVERLAP_ONLY = 0.84;

/** Support of a claim by the words of its sources, and the words by which it contradicts them. */
export interface LexicalScore {
  /** Support, 0 to 1. Exactly 1 only if a source carries the claim as written. */
  readonly score: number;
  /** Mass of the claim: the summed weights of its different tokens. */
  readonly weight: number;
  /** At most three sentences that cover the claim, the most covering first. */
  readonly evidence: readonly { readonly sentence: SourceSentence; readonly score: number }[];
  /** Numbers and names that no source has. */
  readonly missing: readonly Token[];
  readonly contradictions: readonly Difference<ContradictionKind>[];
  /** Qualifications of the sources that the claim leaves out. They don't change the score. */
  readonly notes: readonly Difference<NoteKind>[];
}

/**
 * Scores a claim by the words it shares with its sources: the weight that the best three sentences cover, less a factor
 * for each number or name that no source has. Equal quantities are equal words: `24 months` and `two years`.
 * Contradictions are listed, and don't change the score. `overlapOnly` skips their rules, which are for English;
 * `answer` has the keys of all claims.
 */
export function lexicalScore(
  claim: string,
  index: SourceIndex,
  { overlapOnly = false, answer }: { readonly overlapOnly?: boolean; readonly answer?: ReadonlySet<string> } = {},
): LexicalScore {
  const plain = withoutAttribution(claim);
  const written = tokenize(plain);
  const tokens = inWordsOf(index, written);
  const weights = new Map(tokens.map((token) => [token.key, tokenWeight(token)]));
  const weight = sumOf(weights.values());
  const evidence = cover(weights, index);
  const spelled = new Set(nameTokens(plain, written).filter(({ end }) => end > leadOf(plain)));
  // Any word begins a sentence with a capital. It's a name if the sources write it like one elsewhere.
  const names = written.filter(
    (token, at) => spelled.has(token) || (at === 0 && /^\p{Lu}/u.test(token.text) && index.names.has(token.key)),
  );
  const aligned = align({
    tokens,
    weights,
    names: new Set(names.map(({ key }) => key)),
    frame: frameOf(plain, tokens),
    clauses: clausesOf(plain, tokens),
    index,
    answer: answer ?? new Set(weights.keys()),
  });
  const sentences = [evidence, aligned.ranked].map((some) => some.map(({ sentence }) => sentence));
  const derived = derivedNumbers(tokens, sentences[0] ?? [], sentences[1] ?? []);
  const missing = distinct(
    [...tokens.filter(({ kind }, at) => kind === "number" && !isSmallCount(tokens, at)), ...names].filter(
      ({ key, start }) => !index.postings.has(key) && !derived.has(start),
    ),
  );
  // Words copied as they are written contradict no source, whatever other sentences say in these words.
  const isCopied = isCarried(written, index);
  const { contradictions, notes } = overlapOnly ? { contradictions: [], notes: [] } : differencesOf(aligned, derived);
  const covered = new Set(evidence.flatMap(({ sentence }) => [...sentence.keys]));
  for (const { key, start } of tokens) if (derived.has(start)) covered.add(key);
  const share = weight === 0 ? 0 : sumOf([...weights].map(([key, value]) => value * coverOf(key, covered))) / weight;
  const carried = isCopied && notes.length === 0;
  const support = share * MISSING ** missing.length;
  return {
    score: roundScore(overlapOnly && !carried ? Math.min(support, OVERLAP_ONLY) : support, carried),
    weight: roundScore(weight),
    evidence: usefulEvidence(evidence).map(({ sentence, mass }) => ({ sentence, score: roundScore(mass / weight) })),
    missing,
    contradictions: contradictions.filter(({ kind }) => !isCopied || kind === "condition"),
    notes,
  };
}

/** Returns the share of a word's weight that sentences with some words have: its own, that of a like word, or none. */
function coverOf(key: string, covered: ReadonlySet<string>): number {
  if (covered.has(key)) return 1;
  if (key.startsWith("#")) return 0;
  return [...covered].some((other) => isSynonym(key, other) || isOpposite(key, other) || haveOneRoot(key, other))
    ? LIKE_WORD
    : 0;
}

/** Minimum number of equal letters at the start of two words of one root: "bankrupt", "bankruptcy". */
const ROOT = 5;

/** Returns true if two stems begin alike, and differ at most in three letters at their ends. */
function haveOneRoot(first: string, second: string): boolean {
  const length = Math.max(ROOT, Math.max(first.length, second.length) - 3);
  return first.length >= ROOT && second.length >= ROOT && first.slice(0, length) === second.slice(0, length);
}

/** Returns the end of a list item's title, whose capitals don't make names: "**Low Cost**: …". */
function leadOf(claim: string): number {
  return /^[\s*_-]*(?:\*\*[^*\n]{1,60}\*\*|[^:.\n]{1,40}:)/.exec(claim)?.[0].length ?? 0;
}

/** Returns true if a sentence has the tokens of a claim one after another, and denies none of them from outside. */
function isCarried(tokens: readonly Token[], { sentences, postings }: SourceIndex): boolean {
  const ids = tokens.map(({ key }) => postings.get(key) ?? []);
  const fewest = ids.reduce((least, each) => (each.length < least.length ? each : least), ids[0] ?? []);
  return fewest.some((id) => {
    const sentence = sentences[id];
    return sentence !== undefined && sentence.tokens.some((_, from) => isCarriedAt(tokens, sentence, from));
  });
}

function isCarriedAt(tokens: readonly Token[], sentence: SourceSentence, from: number): boolean {
  if (tokens.some(({ key }, at) => sentence.tokens[from + at]?.key !== key)) return false;
  const own = new Set(sentence.tokens.slice(from, from + tokens.length).map(({ start }) => start));
  return !sentence.frame.denials.some(
    ({ cue, starts }) => !own.has(cue.start) && [...starts].some((each) => own.has(each)),
  );
}

/** Replaces the quantities of a claim by those that the sources write for the same amount. */
function inWordsOf(index: SourceIndex, tokens: readonly Token[]): readonly Token[] {
  const result: Token[] = [];
  let from = 0;
  for (const { from: start, to: end, amount } of quantitiesOf(tokens)) {
    const own = tokens.slice(start, end);
    const written = index.quantities.get(amount);
    const [first, last] = [own[0], own.at(-1)];
    if (written === undefined || first === undefined || last === undefined) continue;
    if (written.some((keys) => keys.join(" ") === own.map(({ key }) => key).join(" "))) continue;
    result.push(...tokens.slice(from, start));
    const text = `${first.text} ${last.text}`;
    for (const key of written[0] ?? [])
      result.push({ key, kind: key.startsWith("#") ? "number" : "word", text, start: first.start, end: last.end });
    from = end;
  }
  return [...result, ...tokens.slice(from)];
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
    const best = bestOf(massesOf(open, postings), sentences);
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

function distinct(tokens: readonly Token[]): Token[] {
  const seen = new Map(tokens.toReversed().map((token) => [token.key, token]));
  return [...seen.values()].toSorted((left, right) => left.start - right.start);
}
