/**
 * A sequence of numbers in [0, 1) that is the same for the same seed (mulberry32), so that a failure can be tried
 * again.
 */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number from 0 up to `below`, without it. */
export function under(random: () => number, below: number): number {
  return Math.floor(random() * below);
}
