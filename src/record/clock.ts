/** A clock for steps: read as an adapter, so that a recording has the time it told. */
export interface Clock {
  /** The time in Unix milliseconds. A label tells apart readings that happen side by side: `now("start")`. */
  readonly now: (label?: string) => number;
  /** The time as a Date. */
  readonly date: (label?: string) => Date;
}

/** Which time a {@link clock} tells. */
export interface ClockOptions {
  /**
   * The time of the first reading: a Date, Unix milliseconds, or an ISO text. Without it the clock is the computer's.
   */
  readonly start: Date | number | string;
  /** How many milliseconds pass between two readings. Default 0: time stands still. */
  readonly step?: number;
}

/**
 * Makes a clock: the computer's own, or one that starts at a given time and moves at each reading. Throws a TypeError
 * for a start that is no time.
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
  if (Number.isNaN(time)) throw new TypeError(`clock: start is no time: ${String(start)}`);
  return () => {
    const told = time;
    time += step;
    return told;
  };
}
