import { areRivalUnits, amountAt } from "../text/quantities.ts";
import type { Token } from "../text/tokenize.ts";
import { type Aligned, type Candidate, CONTEXT, MARGIN, contextOf, fit, isDenied, positions } from "./align.ts";
import { isOpposite } from "./antonyms.ts";
import type { ContradictionKind, Difference } from "./difference.ts";
import { isOwnEntry } from "./entries.ts";
import { isSmallCount, numberClass } from "./number-class.ts";
import type { SourceSentence } from "./sources.ts";
import { isContent, sumOf, tokenWeight } from "./weights.ts";

/** Share of a context that the position of a name needs: a text has many names. */
const NAME_CONTEXT = 0.65;

/** Share of the weight of a context word that no source has. */
const UNKNOWN = 0.5;

/**
 * Returns the contradiction of a number, name, unit or word whose position in the sources has another number, name or
 * unit, or its opposite: the words around it occur together there, and less near the word itself.
 */
export function replacedWord(claim: Aligned, at: number): Difference<ContradictionKind> | undefined {
  const word = claim.tokens[at];
  const context = contextOf(claim, at);
  // All words of a name are exchanged.
  const [from, to] = nameAt(claim, at);
  for (const { key } of claim.tokens.slice(from, to)) context.delete(key);
  // Words that no source has are around none of its positions, so they count half.
  const total = sumOf([...context].map(([key, weight]) => weight * (claim.index.postings.has(key) ? 1 : UNKNOWN)));
  if (word === undefined || total === 0) return undefined;
  const own = Math.max(
    0,
    ...claim.ranked.flatMap((candidate) =>
      positions(candidate, word.key).map((position) => fit(candidate, position, { context, claim })),
    ),
  );
  let best: { readonly value: number; readonly found: Difference<ContradictionKind> } | undefined;
  for (const candidate of claim.ranked)
    for (const [position, other] of candidate.sentence.tokens.entries()) {
      const kind = rivalKind(claim, at, { sentence: candidate.sentence, position });
      if (kind === undefined) continue;
      const value = fit(candidate, position, { context, claim });
      // A claim that also has the source's word there contradicts it only if the two are exchanged.
      if (claim.keys.has(other.key) && (kind === "number" || (own === 0 && kind !== "unit"))) continue;
      const margin = claim.keys.has(other.key) ? 2 * MARGIN : MARGIN;
      if (!isAdjacent(claim, at, { sentence: candidate.sentence, position })) continue;
      if (
        value < (kind === "name" ? NAME_CONTEXT : CONTEXT) * total ||
        value < own + margin * total ||
        (best !== undefined && value <= best.value)
      )
        continue;
      const isOwn = kind === "number" && isOwnEntry(claim, at, { sentence: candidate.sentence, position });
      if (isOwn || (kind === "number" && isBetterBacked(claim, word, candidate))) continue;
      best = { value, found: { kind, word, sourceWord: other.text, sentence: candidate.sentence } };
    }
  return best?.found;
}

/** Returns true if a sentence that has a number shares more of the claim's other words than a candidate does. */
function isBetterBacked({ ranked, content }: Aligned, { key }: Token, candidate: Candidate): boolean {
  const own = ranked.filter(({ sentence }) => sentence.keys.has(key)).map(({ mass }) => mass - (content.get(key) ?? 0));
  return !candidate.sentence.keys.has(key) && Math.max(0, ...own) > candidate.mass;
}

/** Number of words within which a word's nearest content word must be in the source, too. */
const ADJACENT = 5;

/** Returns true if a source position has the nearest content word on one side of the claim's word near it. */
function isAdjacent(
  { tokens, content, names, index }: Aligned,
  at: number,
  { sentence, position }: { readonly sentence: SourceSentence; readonly position: number },
): boolean {
  const isNearest = ({ key }: Token): boolean => content.has(key) && key !== tokens[at]?.key && index.postings.has(key);
  const [from, to] = nameAt({ tokens, names }, at);
  const nearest = [tokens.slice(0, from).findLast(isNearest), tokens.slice(to).find(isNearest)];
  return nearest.some((token) =>
    sentence.positions.get(token?.key ?? "")?.some((each) => Math.abs(each - position) <= ADJACENT),
  );
}

/** Returns the range of the name that has the word at an index; for another word only the word. */
function nameAt({ tokens, names }: Pick<Aligned, "tokens" | "names">, at: number): readonly [number, number] {
  const isPart = (token: Token | undefined): boolean => names.has(tokens[at]?.key ?? "") && names.has(token?.key ?? "");
  let [from, to] = [at, at + 1];
  while (isPart(tokens[from - 1])) from -= 1;
  while (isPart(tokens[to])) to += 1;
  return [from, to];
}

/** Returns how the word of a source could replace a word of the claim; undefined if they don't exclude each other. */
function rivalKind(
  { tokens, names, frame, keys }: Aligned,
  at: number,
  { sentence, position }: { readonly sentence: SourceSentence; readonly position: number },
): ContradictionKind | undefined {
  const [word, other] = [tokens[at], sentence.tokens[position]];
  if (word === undefined || other === undefined || word.key === other.key) return undefined;
  if (word.kind === "number" || other.kind === "number")
    return word.kind === other.kind &&
      areOfOneClass(numberClass(tokens, at), numberClass(sentence.tokens, position)) &&
      !isCountOfOthers([tokens, at], [sentence.tokens, position]) &&
      (!isSmallCount(tokens, at) || countsTheSame(tokens, at, { sentence, position })) &&
      !isSameAmount([tokens, at], [sentence.tokens, position]) &&
      !isAlternative(sentence, word, position)
      ? "number"
      : undefined;
  if (areRivalUnits(word.key, other.key))
    return countOf(tokens, at) === countOf(sentence.tokens, position) ? "unit" : undefined;
  // At the beginning of a claim any word has a capital: only the first word of a source replaces it.
  const isFirst = position === 0 && tokenWeight(other) === 1;
  // A part of a longer name doesn't change its clause alone.
  const isAlone = ![tokens[at - 1], tokens[at + 1]].some((token) => names.has(token?.key ?? ""));
  if (names.has(word.key) && (at === 0 ? isFirst : isFirst || sentence.names.has(other.key)))
    return !keys.has(other.key) &&
      (isDayName(word.text) ||
        !sentence.keys.has(word.key) ||
        (isAlone && isInOtherClauses(word, { sentence, position }))) &&
      isLikeName(word.text, other.text)
      ? "name"
      : undefined;
  if (!isOpposite(word.key, other.key) || !haveOneRole([tokens, at], [sentence.tokens, position])) return undefined;
  if (isBound(tokens, at) || isBound(sentence.tokens, position)) return undefined;
  if (isConverse(word) && !haveSameSubject([tokens, at], [sentence.tokens, position])) return undefined;
  return isDenied(frame, word) === isDenied(sentence.frame, other) ? "antonym" : undefined;
}

/**
 * Returns true if two opposite words have one role: particles follow one verb ("turned on", "turned off"), and "before"
 * and "after" are both before a quantity, or both not: "wait 2 hours before you …" is "after 2 hours, you …".
 */
function haveOneRole(...words: readonly (readonly [readonly Token[], number])[]): boolean {
  if (words.some(([tokens, at]) => /^last(?:s|ed|ing)$/i.test(tokens[at]?.text ?? ""))) return false;
  const [own, other] = words.map(([tokens, at]) => ({
    key: tokens[at]?.key ?? "",
    before: tokens[at - 1]?.key,
    isQuantity: tokens.slice(at + 1, at + 4).some(({ kind }) => kind === "number"),
  }));
  const isFor = own !== undefined && /^(?:for|against)$/.test(own.key);
  if (words.every(([tokens, at]) => PARTICLE.test(tokens[at]?.key ?? "")))
    return own?.before === other?.before && (!isFor || own.isQuantity === other?.isQuantity);
  return !/^(?:before|after)$/.test(own?.key ?? "") || own?.isQuantity === other?.isQuantity;
}

const PARTICLE = /^(?:on|off|in|out|up|down|for|against)$/;

/** Returns true for a word whose opposite says the same of the other party: one buys what another sells. */
function isConverse({ key }: Token): boolean {
  return /^(?:bui|purchas|sell|lend|borrow|send|receiv|give|take|taken|provid)$/.test(key);
}

/** Returns true if the last content words before two words are equal. */
function haveSameSubject(...words: readonly (readonly [readonly Token[], number])[]): boolean {
  const [first, second] = words.map(([tokens, at]) => tokens.slice(0, at).findLast(isContent)?.key);
  return first === second;
}

/** Returns true if a sentence has a word, if at all, only in other clauses than that of a position. */
function isInOtherClauses(
  { key }: Token,
  { sentence, position }: { readonly sentence: SourceSentence; readonly position: number },
): boolean {
  const own = sentence.positions.get(key) ?? [];
  return own.every((at) => sentence.clauses[at] !== sentence.clauses[position]);
}

/** Returns true for a day of the week: a sentence often has several, each for something else. */
function isDayName(text: string): boolean {
  return /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?$/.test(text);
}

/** Returns true if two words are written like names of one kind, and aren't forms of one name. */
function isLikeName(first: string, second: string): boolean {
  const isCapitals = (text: string): boolean => text.toUpperCase() === text;
  if (!/^\p{Lu}/u.test(first) || !/^\p{Lu}/u.test(second) || isCapitals(first) !== isCapitals(second)) return false;
  return first.slice(0, 4).toLowerCase() !== second.slice(0, 4).toLowerCase();
}

/** Returns the number that a unit counts, or undefined. */
function countOf(tokens: readonly Token[], at: number): string | undefined {
  return [tokens[at - 1], tokens[at - 2]].find((token) => token?.kind === "number")?.key;
}

/** Returns true if the next content word after a count follows the source's number, too: "six books", "eight books". */
function countsTheSame(
  tokens: readonly Token[],
  at: number,
  { sentence, position }: { readonly sentence: SourceSentence; readonly position: number },
): boolean {
  const counted = tokens.slice(at + 1, at + 4).find(isContent);
  return (
    counted === undefined || sentence.tokens.slice(position + 1, position + 4).some(({ key }) => key === counted.key)
  );
}

/** Returns true if one number is a time and the other counts things: "three weeks", "eight books". */
function isCountOfOthers(...numbers: readonly (readonly [readonly Token[], number])[]): boolean {
  const isTimed = numbers.some(([tokens, at]) => numberClass(tokens, at) === "time");
  return isTimed && numbers.some(([tokens, at]) => numberClass(tokens, at) === "" && isNamed(tokens[at + 1]));
}

function isNamed(token: Token | undefined): boolean {
  return token !== undefined && isContent(token);
}

/** Returns true if a sentence has a number next to the one at a position: "under 18 or over 65", "8 am to 6 pm". */
function isAlternative({ positions, tokens }: SourceSentence, { key }: Token, position: number): boolean {
  return (positions.get(key) ?? []).some((at) => {
    const [from, to] = [Math.min(at, position), Math.max(at, position)];
    const between = tokens.slice(from + 1, to);
    return to - from <= 4 && between.some(({ text }) => /^(?:or|to|and)$/i.test(text)) && !between.some(isNamed);
  });
}

/** Returns true if two numbers are those of equal quantities: "14 days", "two weeks". */
function isSameAmount(...numbers: readonly (readonly [readonly Token[], number])[]): boolean {
  const [first, second] = numbers.map(([tokens, at]) => amountAt(tokens, at));
  return first !== undefined && first === second;
}

/** Returns true if two numbers can stand for each other: two years, two times of day, or amounts of like units. */
function areOfOneClass(first: string, second: string): boolean {
  return (
    first === second ||
    (first === "" && !/^(?:year|clock|date|ratio|code)$/.test(second)) ||
    (second === "" && !/^(?:year|clock|date|ratio|code)$/.test(first))
  );
}

/** Returns true for a word that limits a number: bounds are compared with their numbers. */
function isBound(tokens: readonly Token[], at: number): boolean {
  return (
    /^(?:more|less|most|least|fewer)$/.test(tokens[at]?.key ?? "") &&
    tokens.slice(at + 1, at + 3).some(({ kind }) => kind === "number")
  );
}
