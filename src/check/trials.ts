import type { VerdictKind } from "./verdict.ts";

/** A path of the output and how often it came out as the baseline says. */
export interface PathStability {
  readonly path: readonly (string | number)[];
  readonly equal: number;
  readonly of: number;
}

/** What several live runs of one case came to. */
export interface Trials {
  /** Runs that were asked for, and the number of them that had to be clean. */
  readonly planned: number;
  readonly min: number;
  /** Runs that were made: fewer than planned where the outcome was decided before. */
  readonly run: number;
  readonly clean: number;
  /** The 95 % Wilson score interval of the share of clean runs. */
  readonly interval: readonly [low: number, high: number];
  /** How often each class came out. */
  readonly classes: Readonly<Partial<Record<VerdictKind, number>>>;
  /** Paths that differed at least once, the least stable first. */
  readonly unstable: readonly PathStability[];
}
