import { hash, randomUUID } from "node:crypto";

/** Clock for a step. Pass it as an adapter so that the times it returns are recorded. */
export interface Clock {
  /** Returns the time in Unix milliseconds. A label separates concurrent readings: `now("start")`. */
  readonly now: (label?: string) => number;
  /** Returns the time as a Date. */
  readonly date: (label?: string) => Date;
}

/** Options for {@link clock}. */
export interface ClockOptions {
  /**
   * Time of the first reading: a Date, Unix milliseconds, or an ISO string. Default: the computer's clock.
   */
  readonly start: Date | number | string;
  /** Milliseconds that pass between two readings. Default: 0, the time never changes. */
  readonly step?: number;
}

/**
 * Creates a clock to pass as an adapter. Without `start`, it returns the real time. With `start`, it starts at that
 * time and advances with each reading. Throws a TypeError if `start` isn't a valid time.
 *
 * @example
 * const adapters = { llm, clock: clock() };                                       // live
 * const adapters = { llm, clock: clock({ start: "2026-01-01T00:00:00Z" }) };      // always the same
 */
export function clock(options?: ClockOptions): Clock {
  const now = options === undefined ? () => Date.now() : steadyClock(options);
  return { now, date: (label) => new Date(now(label)) };
}

function steadyClock({ start, step = 0 }: ClockOptions): (label?: string) => number {
  let time = new Date(start).getTime();
  if (Number.isNaN(time)) throw new TypeError(`clock: start must be a valid date or time, got ${String(start)}`);
  return () => {
    const current = time;
    time += step;
    return current;
  };
}

/** Source of random numbers. Pass it as an adapter so that the numbers are recorded. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. A label separates concurrent calls. */
  readonly next: (label?: string) => number;
  /** Returns an integer from `min` to `max`, both included. */
  readonly integer: (min: number, max: number, label?: string) => number;
}

/** Options for {@link random}. */
export interface RandomOptions {
  /** Seed of the generator. The same seed returns the same numbers on every machine. Default: real random numbers. */
  readonly seed: string | number;
}

/**
 * Creates a source of random numbers. Pass it as an adapter so that they're recorded. Don't use it for secrets.
 *
 * @example
 * const adapters = { llm, random: random({ seed: 7 }) };
 * ctx.adapters.random.integer(1, 6);
 */
export function random(options?: RandomOptions): Random {
  const next = options === undefined ? () => Math.random() : seededNumbers(options.seed);
  return { next, integer: (min, max, label) => min + Math.floor(next(label) * (max - min + 1)) };
}

/** Hashes of the seed and a counter: simple, stateless, and the same on every machine. */
function seededNumbers(seed: string | number): (label?: string) => number {
  let count = 0;
  return () => {
    const digits = hash("sha256", `${seed}:${count}`, "hex").slice(0, 13);
    count += 1;
    return Number.parseInt(digits, 16) / 2 ** 52;
  };
}

/** Source of new ids. Pass it as an adapter so that the ids are recorded. */
export interface Ids {
  /** Returns a UUID of version 4. A label separates ids made concurrently: `next("invoice")`. */
  readonly next: (label?: string) => string;
}

/** Options for {@link ids}. */
export interface IdsOptions {
  /** Seed of the ids. The same seed returns the same ids in the same order everywhere. Default: each id is new. */
  readonly seed: string | number;
}

/**
 * Creates a source of ids. Pass it as an adapter so that the ids are recorded.
 *
 * @example
 * const adapters = { llm, ids: ids() };
 * ctx.adapters.ids.next(); // "0b0cf4ba-3f2e-4b5a-9d8e-2f1c6a7b8c9d"
 */
export function ids(options?: IdsOptions): Ids {
  return { next: options === undefined ? () => randomUUID() : seededIds(options.seed) };
}

function seededIds(seed: string | number): (label?: string) => string {
  let count = 0;
  return () => {
    const hex = hash("sha256", `${seed}:${count}`, "hex");
    count += 1;
    // The version, and the variant's two bits with two of the hash, have fixed positions.
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `${variant}${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join("-");
  };
}
