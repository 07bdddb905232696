import type { AdapterMode } from "../check/adapter-mode.ts";

/** How often each baseline is run, and how often it must be clean. */
export interface TrialPlan {
  readonly trials: number;
  readonly min: number;
}

/** Trials beyond this are a mistake in a number, not a test. */
const MAX_TRIALS = 1000;

/**
 * Reads the trials of a matcher call; undefined for none, and where recorded answers are served, which would come out
 * the same each time. Throws a TypeError for numbers that make no plan, and for trials without live adapters.
 */
export function readPlan(
  options: { readonly trials?: number; readonly min?: number; readonly adapters?: object; readonly mode?: AdapterMode },
  mode: AdapterMode,
): TrialPlan | undefined {
  const { trials, adapters } = options;
  if (trials === undefined) {
    if (options.min !== undefined)
      throw new TypeError("toRecomputeClean: min counts trials: give both, { trials: 10, min: 9 }.");
    return undefined;
  }
  if (!isCount(trials) || trials > MAX_TRIALS)
    throw new TypeError(
      `toRecomputeClean: trials must be a whole number from 1 to ${MAX_TRIALS}, got ${String(trials)}.`,
    );
  const { min = trials } = options;
  if (!isCount(min) || min > trials)
    throw new TypeError(
      `toRecomputeClean: min must be a whole number from 1 to trials (${trials}), got ${String(min)}.`,
    );
  if (adapters === undefined)
    throw new TypeError(
      "toRecomputeClean: trials need live adapters, for recorded answers are the same each time: give { adapters, trials }.",
    );
  if (options.mode !== undefined && options.mode !== "live")
    throw new TypeError(
      `toRecomputeClean: trials need live adapters, and mode is "${options.mode}". Leave one of them out.`,
    );
  return mode === "live" ? { trials, min } : undefined;
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}
