/** What one contender took in each round, in milliseconds of CPU time. */
export interface Timing {
  readonly name: string;
  readonly rounds: readonly number[];
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which this part of the numbers lies, between two of them where it must. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const [lower = Number.NaN, upper = lower] = sorted.slice(Math.floor(place), Math.floor(place) + 2);
  return lower + (upper - lower) * (place % 1);
}

/** The middle of a timing's rounds. */
export function medianOf(timings: readonly Timing[], name: string): number {
  return median(timingOf(timings, name).rounds);
}

/**
 * How many times as long one took as another: the middle of the rounds' ratios, which noise common to a round leaves
 * alone.
 */
export function ratioOf(one: Timing, other: Timing): number {
  return median(one.rounds.map((time, round) => time / (other.rounds[round] ?? Number.NaN)));
}

/** The timing of a name. Throws when there is none. */
function timingOf(timings: readonly Timing[], name: string): Timing {
  const found = timings.find((timing) => timing.name === name);
  if (found === undefined) throw new Error(`No timing of ${name}.`);
  return found;
}

/** What one took more than another, round by round, divided by how often. */
export function extraOf(name: string, [more, less]: readonly [Timing, Timing], times: number): Timing {
  return { name, rounds: more.rounds.map((time, round) => (time - (less.rounds[round] ?? Number.NaN)) / times) };
}
