import type { Timing } from "./timing.ts";

/** One number that a goal may be set for, by its name in `goals.json`. */
export interface Metric {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** What one case came to. */
export interface Row {
  readonly name: string;
  readonly timings: readonly Timing[];
  readonly metrics: readonly Metric[];
  /** What the numbers cannot say, for example that a peer was stopped. */
  readonly notes: readonly string[];
}

/** What the person who measures chose. */
export interface BenchOptions {
  /** Also the sizes that take minutes. */
  readonly full: boolean;
}

/** A named set of cases. Rejects when an answer is wrong or a peer is not installed. */
export interface BenchGroup {
  readonly name: string;
  readonly question: string;
  readonly run: (options: BenchOptions) => Promise<readonly Row[]>;
}
