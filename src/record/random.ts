import { hash } from "node:crypto";

/** Random numbers for steps: drawn through an adapter, so that a recording has them. */
export interface Random {
  /** A number from 0 up to, but not including, 1. A label tells apart draws that happen side by side. */
  readonly next: (label?: string) => number;
  /** A whole number from `min` to `max`, both included. */
  readonly integer: (min: number, max: number, label?: string) => number;
}

/** Where the numbers come from. */
export interface RandomOptions {
  /** Equal seeds give equal numbers, on every machine. Without one they are the computer's own. */
  readonly seed: string | number;
}

/**
 * Makes a source of random numbers. Not for secrets.
 *
 * @example
 * const adapters = { llm, random: random({ seed: 7 }) };
 * ctx.adapters.random.integer(1, 6);
 */
export function random(options?: RandomOptions): Random {
  const next = options === undefined ? () => Math.random() : seededNumbers(options.seed);
  return { next, integer: (min, max, label) => min + Math.floor(next(label) * (max - min + 1)) };
}

/** Hashes of the seed and a counter: plain, without state of its own, and alike everywhere. */
function seededNumbers(seed: string | number): (label?: string) => number {
  let count = 0;
  return () => {
    const digits = hash("sha256", `${seed}:${count}`, "hex").slice(0, 13);
    count += 1;
    return Number.parseInt(digits, 16) / 2 ** 52;
  };
}
