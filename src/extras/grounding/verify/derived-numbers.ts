import { type Quantity, quantitiesOf } from "../text/quantities.ts";
import { MONTHS, type Token } from "../text/tokenize.ts";
import { numberClass } from "./number-class.ts";
import type { SourceSentence } from "./sources.ts";

/** Number of a text that arithmetic can use. */
interface Amount {
  readonly value: number;
  /** Family of its unit, `year` for a year, or "" for a plain number. */
  readonly family: string;
  /** Offset of its token. -1 for a number that a word implies. */
  readonly start: number;
}

/** Numbers that words imply, such as the 12 months of a year. */
const IMPLIED: ReadonlyMap<string, readonly number[]> = new Map([
  ["one", [1]],
  ["year", [12, 52, 365]],
  ["annual", [12]],
  ["annuali", [12]],
  ["month", [12]],
  ["week", [7, 52]],
  ["dai", [7, 24, 365]],
  ["hour", [24, 60]],
  ["minut", [60]],
  ["dozen", [12]],
  ["twice", [2]],
  ["doubl", [2]],
  ["tripl", [3]],
  ["half", [0.5]],
]);

/** Maximum number of people or things that a sum of two prices counts. */
const MAX_COUNT = 20;
/** Number from which its unit may be left out: "to 148 million dollars from 171 million". */
const LARGE = 1000;

/**
 * Returns the offsets of the numbers of a claim that follow from its sources by one step of arithmetic, and of those it
 * takes for the step: "three nights cost €45" of "€15 per night", "73 years old" of two dates. Also the parts of an
 * exact conversion that the claim spells out. Numbers of `evidence` may be added and subtracted, those of one sentence
 * of `near` multiplied.
 */
export function derivedNumbers(
  tokens: readonly Token[],
  evidence: readonly SourceSentence[],
  near: readonly SourceSentence[],
): ReadonlySet<number> {
  const own = amountsOf(tokens);
  const stated = evidence.flatMap((sentence) => amountsOf(sentence.tokens));
  const rates = near.map((sentence) => amountsOf(sentence.tokens));
  const implied = tokens.flatMap(({ key }) =>
    (IMPLIED.get(key) ?? []).map((value): Amount => ({ value, family: "", start: -1 })),
  );
  const known = new Set([...stated, ...rates.flat()].map(({ value }) => value));
  const derived = new Set([...spelledOut(tokens), ...summedUp(tokens, evidence), ...timesBetween(tokens, evidence)]);
  const fractions = [tokens, ...evidence.map((sentence) => sentence.tokens)].flatMap(fractionsOf);
  const isArithmetic = tokens.some(({ key }) => ARITHMETIC.has(key));
  // The rest of a share is used for its amount: "40 % of £3.2 million is £1.28 million".
  const ordered = own.toSorted((left, right) => Number(right.family === "share") - Number(left.family === "share"));
  for (const result of ordered) {
    if (known.has(result.value) || derived.has(result.start)) continue;
    const factors = [...own.filter((each) => each !== result), ...implied];
    const isFromSources =
      isSum(result, isArithmetic ? stated : stated.filter(({ family }) => family !== "share")) ||
      isShare(result, [...stated, ...fractions, ...own.filter(({ start }) => derived.has(start))]) ||
      isRatio(
        result,
        own.filter(({ value }) => known.has(value)),
      );
    const used = isFromSources ? [] : productOf(result, factors, rates);
    if (used === undefined) continue;
    for (const { value, start } of [result, ...used]) if (start >= 0 && !known.has(value)) derived.add(start);
  }
  return derived;
}

/** True if a number is the rest of shares, or a share of an amount. */
function isShare({ value, family }: Amount, stated: readonly Amount[]): boolean {
  const shares = stated.filter((each) => each.family === "share" && each.value < 100);
  const isRest =
    family === "share" &&
    shares.some(({ value: first }, at) =>
      [0, ...shares.slice(at + 1).map((each) => each.value)].some((second) => isEqual(100 - first - second, value)),
    );
  const isPart = shares.some((share) =>
    stated.some(
      (each) =>
        each.family !== "share" &&
        family === each.family &&
        [share.value, 100 - share.value].some((percent) => isEqual((each.value * percent) / 100, value)),
    ),
  );
  return isRest || isPart;
}

/** Returns the shares that words name: "three quarters". */
function fractionsOf(tokens: readonly Token[]): Amount[] {
  return quantitiesOf(tokens)
    .map(measureOf)
    .filter(({ dimension }) => dimension === "share")
    .map(({ value }) => ({ value, family: "share", start: -1 }));
}

/**
 * True if a share is the ratio of two numbers of the sources that the claim also has, or the change between them: "36
 * of 60, which is 60 %", "from 2.5 to 2 is a fall of 20 %".
 */
function isRatio({ value, family }: Amount, stated: readonly Amount[]): boolean {
  return (
    family === "share" &&
    stated.some((part) =>
      stated.some((whole) => {
        const percent = (part.value / whole.value) * 100;
        return part !== whole && [percent, Math.abs(100 - percent)].some((each) => isEqual(each, value));
      }),
    )
  );
}

/** Returns the offsets of durations between two times of day of the sources, one of which the claim has. */
function timesBetween(tokens: readonly Token[], evidence: readonly SourceSentence[]): number[] {
  const own = secondsOf(tokens);
  const stated = evidence.flatMap((sentence) => secondsOf(sentence.tokens));
  return quantitiesOf(tokens).flatMap((quantity) => {
    const { dimension, value } = measureOf(quantity);
    const isBetween = own.some(
      (time) => stated.includes(time) && stated.some((each) => Math.abs(each - time) === value),
    );
    return dimension === "time" && isBetween ? startsIn(tokens, quantity) : [];
  });
}

function startsIn(tokens: readonly Token[], { from, to }: Quantity): number[] {
  return tokens.slice(from, to).map(({ start }) => start);
}

/** Returns the times of day of a text, in seconds. */
function secondsOf(tokens: readonly Token[]): number[] {
  return tokens.flatMap(({ key }) => {
    const [, hours, minutes] = /^#(\d{1,2}):(\d{2})$/.exec(key) ?? [];
    return hours === undefined ? [] : [(Number(hours) * 60 + Number(minutes)) * 60];
  });
}

/** Returns the offsets of quantities that are the sum or difference of two of the sources, in any units of one kind. */
function summedUp(tokens: readonly Token[], evidence: readonly SourceSentence[]): number[] {
  const stated = evidence.flatMap((sentence) => quantitiesOf(sentence.tokens).map(measureOf));
  return quantitiesOf(tokens).flatMap((quantity) => {
    const { dimension, value } = measureOf(quantity);
    const like = stated.filter((each) => each.dimension === dimension && dimension !== "share");
    const isStated = like.some((each) => isEqual(each.value, value));
    return isSumOfTwo(value, like) && !isStated ? startsIn(tokens, quantity) : [];
  });
}

function measureOf({ amount }: Quantity): { readonly dimension: string; readonly value: number } {
  const [dimension = "", value] = amount.split(" ");
  return { dimension, value: Number(value) };
}

/** Returns the offsets of the numbers of two equal quantities in one claim: "1 GB is 1,000 MB". */
function spelledOut(tokens: readonly Token[]): number[] {
  const groups = Map.groupBy(quantitiesOf(tokens), ({ amount }) => amount);
  return [...groups.values()]
    .filter((group) => new Set(group.map(({ from }) => tokens[from]?.key)).size > 1)
    .flatMap((group) => group.flatMap((quantity) => startsIn(tokens, quantity)));
}

function amountsOf(tokens: readonly Token[]): Amount[] {
  return tokens.flatMap(({ key, start }, at) => {
    const [, digits] = /^#(\d+(?:\.\d+)?)$/.exec(key) ?? [];
    const value = Number(digits);
    const isDay = value <= 31 && [tokens[at - 1], tokens[at + 1]].some((token) => MONTHS.has(token?.key ?? ""));
    return digits === undefined || isDay ? [] : [{ value, family: numberClass(tokens, at), start }];
  });
}

/** Words of a claim that compares or adds shares: two of many percentages differ by a third one by chance. */
const ARITHMETIC: ReadonlySet<string> = new Set(
  (
    "more less fewer than differ difference gap total sum together altogeth combin overal both left remain " +
    "rest other increas decreas rise rose risen grow grew fall fell fallen drop gain lost lose lower higher " +
    "later earlier between over after befor ahead behind short save ad add plus minus includ old age not " +
    "without extra addit within apart long longer last shorter faster slower spend spent cost pai up down from " +
    "to cut reduc rais went by jump declin doubl"
  ).split(" "),
);

/** True if a number is the sum or difference of two of the sources. */
function isSum({ value, family }: Amount, stated: readonly Amount[]): boolean {
  return isSumOfTwo(
    value,
    stated,
    (left, right) =>
      (left.family === right.family || (left.value >= LARGE && isLike(left, right))) &&
      ["", left.family, left.family === "year" ? "time" : ""].includes(family) &&
      right.value !== left.value,
  );
}

function isSumOfTwo<A extends { readonly value: number }>(
  result: number,
  terms: readonly A[],
  areAddable: (left: A, right: A) => boolean = () => true,
): boolean {
  const isOf = (left: A, right: A): boolean =>
    areAddable(left, right) &&
    [left.value + right.value, Math.abs(left.value - right.value)].some((value) => isEqual(value, result));
  return terms.some((left, at) => terms.slice(at + 1).some((right) => isOf(left, right)));
}

/**
 * Returns the numbers of a claim that another one is the product of, with numbers of one source sentence: a count times
 * a rate, "per 1,000" divided, or two counts times two prices; or the ratio of two. Undefined if there are none.
 */
function productOf(
  result: Amount,
  factors: readonly Amount[],
  rates: readonly (readonly Amount[])[],
): readonly Amount[] | undefined {
  for (const sentence of rates)
    for (const rate of sentence) {
      const used = factors.map((factor) => factorsOf(result, { rate, factor, sentence, factors }));
      const first = used.find((each) => each !== undefined);
      if (first !== undefined) return first;
    }
  return undefined;
}

/** Number of a source and number of a claim that may be multiplied. */
interface Product {
  readonly rate: Amount;
  readonly factor: Amount;
  readonly sentence: readonly Amount[];
  readonly factors: readonly Amount[];
}

function factorsOf(result: Amount, product: Product): readonly Amount[] | undefined {
  const { rate, factor, sentence } = product;
  if (rate.value <= 1 && rate.family === "") return undefined;
  if (isLike(rate, factor) && isEqual(rate.value, result.value * factor.value)) return [factor];
  if (!isLike(result, rate) || result.value <= 0) return undefined;
  const value = rate.value * factor.value;
  const isPer = (per: Amount): boolean =>
    per !== rate && isLike(per, factor) && isEqual(value / per.value, result.value);
  if (isEqual(value, result.value) || sentence.some(isPer)) return [factor];
  const other = secondTerm(result.value - value, product);
  return other && [factor, other];
}

function secondTerm(rest: number, { rate, factor, sentence, factors }: Product): Amount | undefined {
  const isCount = ({ value }: Amount): boolean => Number.isInteger(value) && value <= MAX_COUNT;
  if (rest <= 0 || !isCount(factor) || rate.family === "") return undefined;
  const prices = sentence.filter((price) => price !== rate && price.family === rate.family);
  return factors.find(
    (count) => count !== factor && isCount(count) && prices.some((price) => isEqual(price.value * count.value, rest)),
  );
}

function isLike(first: Amount, second: Amount): boolean {
  return first.family === second.family || first.family === "" || second.family === "";
}

function isEqual(first: number, second: number): boolean {
  return Math.abs(first - second) < 1e-9 * Math.max(1, Math.abs(first));
}
