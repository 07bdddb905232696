import { amountAt } from "../text/quantities.ts";
import type { Token } from "../text/tokenize.ts";
import { type Aligned, common } from "./align.ts";
import { swappedArguments, swappedContrasts } from "./arguments.ts";
import { otherCauses } from "./causes.ts";
import { swappedComparisons } from "./comparisons.ts";
import { addedDenials, removedDenials } from "./denials.ts";
import type { ContradictionKind, Difference, NoteKind } from "./difference.ts";
import { otherEntries } from "./entries.ts";
import { swappedEvents } from "./events.ts";
import { droppedLimits, otherConditions } from "./limits.ts";
import { otherModality } from "./modality.ts";
import { isSmallCount, isTime, numberClass } from "./number-class.ts";
import { otherShares } from "./quantifiers.ts";
import { replacedWord } from "./replaced-words.ts";
import { exchangedWords, swappedRoles } from "./roles.ts";
import { otherTimes } from "./tenses.ts";

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
  const hasOtherUnit = replaced.some(({ kind }) => kind === "unit");
  const novel = novelNumbers(aligned).filter(
    ({ word }) =>
      !replaced.some((each) => each.word.key === word.key) && !(hasOtherUnit && aligned.index.postings.has(word.key)),
  );
  const words = [
    ...addedDenials(aligned),
    ...removedDenials(aligned),
    ...replaced.filter(({ word, kind }) => kind !== "antonym" || !bounds.some((bound) => isPartOf(word, bound.word))),
    ...bounds,
    ...novel,
    ...otherShares(aligned),
    ...swappedComparisons(aligned),
    ...swappedEvents(aligned),
    ...exchangedWords(aligned),
  ];
  const contradictions = words.length > 0 ? words : relations(aligned);
  return { contradictions, notes: [...openWords(aligned), ...droppedConditions(aligned)] };
}

/** Returns the first contradiction in how the words of a claim relate, for claims without a wrong word. */
function relations(aligned: Aligned): readonly Difference<ContradictionKind>[] {
  const sentences = aligned.near.map(({ sentence }) => sentence);
  return [
    ...swappedRoles(aligned.tokens, sentences),
    ...otherEntries(aligned),
    ...swappedArguments(aligned),
    ...swappedContrasts(aligned),
    ...otherCauses(aligned),
    ...otherTimes(aligned),
    ...otherModality(aligned),
    ...otherConditions(aligned),
    ...droppedLimits(aligned),
  ].slice(0, 1);
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
        return isTime(word)
          ? matches.some((match) => ["clock", ""].includes(numberClass(sourceTokens, match)))
          : matches.some((match) => !countsOtherUnit([tokens, tokens.indexOf(word)], [sourceTokens, match]));
      });
    })
    .map((word) => ({ kind: "number", word }));
}

/** Returns true if two equal numbers count different units of time: "24 months", "24 hours". */
function countsOtherUnit(...numbers: readonly (readonly [readonly Token[], number])[]): boolean {
  const [own, other] = numbers.map(([tokens, at]) => amountAt(tokens, at));
  return own !== undefined && other !== undefined && own !== other;
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
