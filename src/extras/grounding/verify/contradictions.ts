import { areRivalUnits, quantitiesOf } from "../text/quantities.ts";
import type { Token } from "../text/tokenize.ts";
import { type Aligned, CONTEXT, MARGIN, common, contextOf, fit, isDenied, positions } from "./align.ts";
import { isOpposite } from "./antonyms.ts";
import { addedDenials, removedDenials } from "./denials.ts";
import type { ContradictionKind, Difference, NoteKind } from "./difference.ts";
import { isTime, numberClass } from "./number-class.ts";
import { turnedComparisons } from "./comparisons.ts";
import { turnedEvents } from "./events.ts";
import { otherShares } from "./quantifiers.ts";
import { exchangedWords, swappedRoles } from "./roles.ts";
import type { SourceSentence } from "./sources.ts";
import { isContent, sumOf, tokenWeight } from "./weights.ts";

/** Share of a context that the position of a name needs: a text has many names. */
const NAME_CONTEXT = 0.65;

/**
 * Finds the words by which a claim contradicts its sources, and the qualifications that it leaves out. `derived` has
 * the offsets of numbers that follow from the sources.
 */
export function differencesOf(
  aligned: Aligned,
  derived: ReadonlySet<number>,
): {
  readonly contradictions: readonly Difference<ContradictionKind>[];
  readonly notes: readonly Difference<NoteKind>[];
} {
  const isDerived = ({ kind, word }: Difference<ContradictionKind>): boolean =>
    // "Thirteen did not finish" follows from how many began and how many finished.
    kind === "negation"
      ? [...derived].some((start) => start < word.start)
      : derived.has(word.start) || (kind === "unit" && derived.size > 0);
  const { contradictions, notes } = allDifferences(aligned);
  return { contradictions: contradictions.filter((each) => !isDerived(each)), notes };
}

function allDifferences(aligned: Aligned): ReturnType<typeof differencesOf> {
  if (aligned.near.length === 0) return { contradictions: novelNumbers(aligned), notes: [] };
  const replaced = aligned.tokens.flatMap((_, at) => replacedWord(aligned, at) ?? []);
  const bounds = otherBounds(aligned);
  const contradictions = [
    ...addedDenials(aligned),
    ...removedDenials(aligned),
    ...replaced.filter(({ word, kind }) => kind !== "antonym" || !bounds.some((bound) => isPartOf(word, bound.word))),
    ...bounds,
    ...novelNumbers(aligned).filter(({ word }) => !replaced.some((each) => each.word.key === word.key)),
    ...otherShares(aligned),
    ...turnedComparisons(aligned),
    ...turnedEvents(aligned),
    ...exchangedWords(aligned),
    ...swappedRoles(
      aligned.tokens,
      aligned.near.map(({ sentence }) => sentence),
    ),
  ];
  return { contradictions, notes: [...openWords(aligned), ...droppedConditions(aligned)] };
}

/** Returns true for a word just before a number, which is the number's bound: "at most 18". */
function isPartOf(word: Token, number: Token): boolean {
  return word.end <= number.start && number.start - word.end < 12;
}

/** Returns the numbers that no source has. */
function novelNumbers({ tokens, index }: Aligned): Difference<ContradictionKind>[] {
  return tokens
    .filter(({ key }, at) => /^#-?[\d.:]+$/.test(key) && !isSmallCount(tokens, at))
    .filter((word) => {
      const ids = index.postings.get(word.key) ?? [];
      // A time of day isn't the same as an amount.
      return !ids.some((id) => {
        const { tokens: sourceTokens = [], positions } = index.sentences[id] ?? {};
        const matches = positions?.get(word.key) ?? [];
        return !isTime(word) || matches.some((match) => ["clock", ""].includes(numberClass(sourceTokens, match)));
      });
    })
    .map((word) => ({ kind: "number", word }));
}

/** Returns true for a number that may count what the answer itself lists: "two plans". */
export function isSmallCount(tokens: readonly Token[], at: number): boolean {
  return (
    /^#\d+$/.test(tokens[at]?.key ?? "") && Number(tokens[at]?.key.slice(1)) <= 12 && numberClass(tokens, at) === ""
  );
}

/**
 * Returns the contradiction of a number, name, unit or word whose position in the sources has another number, name or
 * unit, or its opposite: the words around it occur together there, and less near the word itself.
 */
function replacedWord(claim: Aligned, at: number): Difference<ContradictionKind> | undefined {
  const word = claim.tokens[at];
  const context = contextOf(claim, at);
  // All words of a name are exchanged.
  const [from, to] = nameAt(claim, at);
  for (const { key } of claim.tokens.slice(from, to)) context.delete(key);
  const total = sumOf(context.values());
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
      if (claim.keys.has(other.key) && own === 0 && kind !== "unit") continue;
      const margin = claim.keys.has(other.key) ? 2 * MARGIN : MARGIN;
      if (!isAdjacent(claim, at, { sentence: candidate.sentence, position })) continue;
      if (
        value < (kind === "name" ? NAME_CONTEXT : CONTEXT) * total ||
        value < own + margin * total ||
        (best !== undefined && value <= best.value)
      )
        continue;
      best = { value, found: { kind, word, sourceWord: other.text, sentence: candidate.sentence } };
    }
  return best?.found;
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
      !isSameAmount([tokens, at], [sentence.tokens, position])
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
  if (!isOpposite(word.key, other.key) || isBound(tokens, at) || isBound(sentence.tokens, position)) return undefined;
  if (isConverse(word) && !haveSameSubject([tokens, at], [sentence.tokens, position])) return undefined;
  return isDenied(frame, word) === isDenied(sentence.frame, other) ? "antonym" : undefined;
}

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

/** Returns true if two numbers are those of equal quantities: "14 days", "two weeks". */
function isSameAmount(...numbers: readonly (readonly [readonly Token[], number])[]): boolean {
  const [first, second] = numbers.map(
    ([tokens, at]) => quantitiesOf(tokens).find(({ from, to }) => from <= at && at < to)?.amount,
  );
  return first !== undefined && first === second;
}

/** Returns true if two numbers can stand for each other: two years, two times of day, or amounts of like units. */
function areOfOneClass(first: string, second: string): boolean {
  return (
    first === second ||
    (first === "" && second !== "year" && second !== "clock") ||
    (second === "" && first !== "year" && first !== "clock")
  );
}

/** Returns true for a word that limits a number: bounds are compared with their numbers. */
function isBound(tokens: readonly Token[], at: number): boolean {
  return (
    /^(?:more|less|most|least|fewer)$/.test(tokens[at]?.key ?? "") &&
    tokens.slice(at + 1, at + 3).some(({ kind }) => kind === "number")
  );
}

/** Returns the numbers that are a minimum in the claim and a maximum in each sentence that has them, or reverse. */
function otherBounds({ frame, index, tokens, near }: Aligned): Difference<ContradictionKind>[] {
  return tokens.flatMap((word) => {
    const own = frame.bounds.get(word.key);
    const all = (index.postings.get(word.key) ?? []).flatMap((id) => index.sentences[id] ?? []);
    const aligned = all.filter((each) => near.some(({ sentence }) => sentence === each));
    const sentences = aligned.length > 0 ? aligned : all;
    const [sentence] = sentences;
    if (own === undefined || sentence === undefined) return [];
    const values = sentences.map((each) => each.frame.bounds.get(word.key));
    if (values.includes(own) || values.includes(undefined)) return [];
    // "At least 8; those with less pay a fee" is about both sides of the number.
    const rest = sentence.tokens.slice((sentence.positions.get(word.key)?.at(-1) ?? 0) + 1);
    if (rest.some(({ key }) => OTHER_SIDE[own].has(key))) return [];
    return [{ kind: "bound", word, sourceWord: own === "least" ? "at most" : "at least", sentence }];
  });
}

/** Words for what is beyond a bound. */
const OTHER_SIDE: Readonly<Record<"least" | "most", ReadonlySet<string>>> = {
  least: new Set(["more", "abov", "over", "exceed", "otherwis", "beyond"]),
  most: new Set(["less", "fewer", "lower", "below", "under", "otherwis"]),
};

/** Returns the words of a claim that its sources leave open. */
function openWords({ frame, near, keys, tokens }: Aligned): Difference<NoteKind>[] {
  if (frame.hedges.length > 0) return [];
  return near.slice(0, 1).flatMap(({ sentence }) =>
    sentence.frame.hedges
      .filter(({ head }) => keys.has(head.key))
      .flatMap(({ head, cue }) => {
        const word = tokens.find(({ key }) => key === head.key);
        return word === undefined ? [] : [{ kind: "hedge" as const, word, sourceWord: cue.text, sentence }];
      }),
  );
}

/** Returns the first word of a claim that drops a condition of its nearest source. */
function droppedConditions({ frame, near, keys, tokens }: Aligned): Difference<NoteKind>[] {
  const [word] = tokens;
  if (frame.conditions.length > 0 || word === undefined) return [];
  return near.slice(0, 1).flatMap(({ sentence }) =>
    sentence.frame.conditions
      .filter(({ keys: condition }) => common(condition, keys) / condition.size < 0.5)
      .map(({ cue, head }) => ({
        kind: "condition" as const,
        word,
        sourceWord: `${cue.text} … ${head.text}`,
        sentence,
      })),
  );
}
