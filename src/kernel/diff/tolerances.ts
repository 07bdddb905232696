import { stableStringify } from "../json/canonical-json.ts";
import { isArray } from "../json/plain-data.ts";
import type { Tolerance, ToleranceFn } from "./compare-rules.ts";
import { formatValue } from "./format-value.ts";

/** Characters of a value in a rule's name. */
const MAX_VALUE = 40;

/**
 * Tolerates a difference of at most `distance` between two finite numbers. Throws a TypeError if `distance` is below 0
 * or not a number.
 *
 * @example
 * defineStep({ …, compare: { "claims.confidence": within(0.05) } });
 */
export function within(distance: number): Tolerance {
  if (!(distance >= 0)) throw new TypeError(`within: the distance must be 0 or more, got ${String(distance)}.`);
  return fromSpec(["within", distance], {
    label: `within ${distance}`,
    tolerates: (before, after) => {
      if (!isFiniteNumber(before) || !isFiniteNumber(after)) return false;
      return Math.abs(after - before) <= distance + slackOf(before, after, distance);
    },
  });
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/**
 * The slack of binary fractions: 0.85 and 0.9 are written 0.05 apart, and stored a little more. Large numbers have
 * large errors, so it is at most a millionth of the distance.
 */
function slackOf(before: number, after: number, distance: number): number {
  if (Number.isSafeInteger(before) && Number.isSafeInteger(after)) return 0;
  return Math.min(4 * Number.EPSILON * Math.max(Math.abs(before), Math.abs(after)), distance / 1e6);
}

/** Tolerates every difference, including added and removed values. */
export function anything(): Tolerance {
  return fromSpec(["anything"], { label: "ignored", tolerates: () => true });
}

/**
 * Tolerates a difference if the new value is one of these, compared as JSON. Throws a TypeError if you pass no values.
 */
export function oneOf(...values: readonly unknown[]): Tolerance {
  if (values.length === 0) throw new TypeError('oneOf needs at least one allowed value, such as oneOf("a", "b").');
  const known = new Set(values.map(stableStringify));
  return fromSpec(["oneOf", ...values], {
    label: `one of ${values.map((value) => formatValue(value, MAX_VALUE)).join(", ")}`,
    tolerates: (_before, after) => after !== undefined && known.has(stableStringify(after)),
  });
}

/** Tolerates a difference if the new string matches the pattern. */
export function matches(pattern: RegExp): Tolerance {
  const own = new RegExp(pattern);
  return fromSpec(["matches", own.source, own.flags], {
    label: `matches ${String(pattern)}`,
    tolerates: (_before, after) => {
      // A sticky or global pattern keeps its position between calls: the result must not depend on earlier calls.
      own.lastIndex = 0;
      return typeof after === "string" && own.test(after);
    },
  });
}

/**
 * Tolerates a change in prose if at least the share `atLeast` of the words is unchanged and in the same order. The
 * share is `2 × common words / (words before + words after)`. Case, punctuation and whitespace don't count. Symbols
 * such as `€`, `<`, `%` and emoji count as words, and so does the sign of a number. Throws a TypeError if `atLeast`
 * isn't from 0 to 1.
 *
 * @example
 * defineStep({ …, compare: { summary: similar({ atLeast: 0.8 }) } });
 */
export function similar({ atLeast }: { readonly atLeast: number }): Tolerance {
  if (!(atLeast >= 0 && atLeast <= 1))
    throw new TypeError(`similar: atLeast must be a number from 0 to 1, got ${String(atLeast)}.`);
  return fromSpec(["similar", atLeast], {
    label: `similar, at least ${atLeast}`,
    tolerates: (before, after) => {
      if (typeof before !== "string" || typeof after !== "string") return false;
      const [old, current] = [wordsOf(before), wordsOf(after)];
      // As many words may differ as the share leaves over; more need not be looked for.
      const spare = Math.floor((1 - atLeast) * (old.length + current.length) + 1e-9);
      return editDistance(old, current, spare) !== undefined;
    },
  });
}

/** Name and arguments of the function that created a tolerance, as JSON. */
type ToleranceSpec = readonly [name: string, ...values: unknown[]];

const specs = new WeakMap<Tolerance, ToleranceSpec>();

function fromSpec(spec: ToleranceSpec, tolerance: Tolerance): Tolerance {
  specs.set(tolerance, spec);
  return tolerance;
}

/** Returns a tolerance as JSON, for another process. Undefined for a function of the user. */
export function toleranceSpec(rule: Tolerance | ToleranceFn): ToleranceSpec | undefined {
  return typeof rule === "function" ? undefined : specs.get(rule);
}

/** Creates the tolerance of a {@link toleranceSpec}. Undefined for any other value. */
export function toleranceOf(spec: unknown): Tolerance | undefined {
  try {
    return isArray(spec) ? createdBy(spec) : undefined;
  } catch {
    // Values that the function refuses.
    return undefined;
  }
}

function createdBy([name, ...values]: readonly unknown[]): Tolerance | undefined {
  const [first, second] = values;
  if (name === "within" && typeof first === "number") return within(first);
  if (name === "anything") return anything();
  if (name === "oneOf") return oneOf(...values);
  if (name === "matches" && typeof first === "string" && typeof second === "string")
    return matches(new RegExp(first, second));
  return name === "similar" && typeof first === "number" ? similar({ atLeast: first }) : undefined;
}

/** Words, each with the sign of its number, and symbols. Backticks and forms of an emoji are formatting. */
const WORDS = /(?:(?<![\p{L}\p{N}])-[\p{Sc}.]*(?=\p{N}))?[[\p{L}\p{N}\p{M}]--[\ufe0e\ufe0f]]+|[[\p{S}%‰#@]--[`]]|&/gv;
/** Scripts that have no spaces between words. */
const SPACELESS = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
let segmenter: Intl.Segmenter | undefined;

function wordsOf(text: string): readonly string[] {
  const words =
    text
      .normalize("NFC")
      .replaceAll(/[−–﹣－]/g, "-")
      .toLowerCase()
      .match(WORDS) ?? [];
  return SPACELESS.test(text) ? words.flatMap((word) => (SPACELESS.test(word) ? segmentsOf(word) : word)) : words;
}

function segmentsOf(text: string): readonly string[] {
  // The locale doesn't decide: words of these scripts come from the same dictionaries in each.
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * The least number of items to remove and add that turns one list into the other (Myers' algorithm), or undefined when
 * it is more than `limit`. Takes time in the lists' length times that number, so a small limit bounds it.
 */
export function editDistance(before: readonly string[], after: readonly string[], limit: number): number | undefined {
  const rounds = Math.min(limit, before.length + after.length);
  const offset = rounds + 1;
  // The furthest position reached on each diagonal, by diagonal plus `offset`.
  const frontier = new Int32Array(2 * rounds + 3);
  for (let round = 0; round <= rounds; round += 1) {
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      const left = frontier[offset + diagonal - 1] ?? 0;
      const above = frontier[offset + diagonal + 1] ?? 0;
      let x = diagonal === -round || (diagonal !== round && left < above) ? above : left + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      frontier[offset + diagonal] = x;
      if (x >= before.length && x - diagonal >= after.length) return round;
    }
  }
  return undefined;
}
