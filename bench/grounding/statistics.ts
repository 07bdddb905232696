/** The mean of some numbers. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Pearson's correlation of two equally long lists. */
export function pearson(one: readonly number[], other: readonly number[]): number {
  const [first, second] = [deviations(one), deviations(other)];
  const products = first.reduce((sum, value, index) => sum + value * (second[index] ?? 0), 0);
  return products / Math.sqrt(sumOfSquares(first) * sumOfSquares(second));
}

/** Spearman's correlation: Pearson's of the ranks, equal values sharing their mean rank. */
export function spearman(one: readonly number[], other: readonly number[]): number {
  return pearson(ranks(one), ranks(other));
}

/** Each value in standard deviations from the mean. */
export function zScores(values: readonly number[]): number[] {
  const found = deviations(values);
  const deviation = Math.sqrt(sumOfSquares(found) / found.length);
  return found.map((value) => value / deviation);
}

/** The middle 95 % of a correlation over resampled pairs; the same each run. */
export function interval(one: readonly number[], other: readonly number[]): readonly [number, number] {
  const random = generator(1);
  const found = Array.from({ length: 2000 }, () => {
    const picks = one.map(() => Math.floor(random() * one.length));
    return pearson(
      picks.map((at) => one[at] ?? 0),
      picks.map((at) => other[at] ?? 0),
    );
  }).sort((a, b) => a - b);
  return [found[50] ?? 0, found[1949] ?? 0];
}

/** A small generator of numbers from 0 to 1 (mulberry32), so that a bench picks the same each run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function deviations(values: readonly number[]): number[] {
  const middle = mean(values);
  return values.map((value) => value - middle);
}

function sumOfSquares(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value ** 2, 0);
}

function ranks(values: readonly number[]): number[] {
  const order = values.toSorted((a, b) => a - b);
  return values.map((value) => (order.indexOf(value) + order.lastIndexOf(value)) / 2);
}
