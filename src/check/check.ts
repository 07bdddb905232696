import type { CompareBy } from "../base/compare-rules.ts";
import type { Proposal } from "../baseline/proposal.ts";
import type { AnyStep } from "../step/define-step.ts";
import type { LlmCosts } from "./costs.ts";
import type { Verdict, VerdictKind } from "./verdict.ts";

/** One case that was checked: the verdict, and the change that would settle it where there is one. */
export interface Check {
  /** The baseline file, for people; where it would be when there is none. */
  readonly file: string;
  readonly path: string;
  readonly verdict: Verdict;
  /** Makes the proposal that would accept what was found; undefined where nothing can be accepted. */
  readonly propose: (() => Proposal) | undefined;
  /**
   * The step that can replay the proposal before it is kept; undefined for results and values, which nothing can run.
   */
  readonly step?: AnyStep | undefined;
  /**
   * Where the adapters' answers came from; undefined where no step ran. A recorded answer never counts as a live one.
   */
  readonly source?: "recorded" | "live" | undefined;
  /**
   * The adapters of recorded calls that were not made, one name for each call; only where recorded calls were served.
   */
  readonly unused?: readonly string[] | undefined;
  /** The rules of `compare` it was judged by; absent where there are none. */
  readonly compare?: CompareBy | undefined;
  /** How often it came out clean, where it was run more than once. */
  readonly trials?: Trials | undefined;
  /** How long asking took, in milliseconds, the search for a cause left out; undefined where nobody timed it. */
  readonly ms?: number | undefined;
  /**
   * What its live model calls cost, of all trials together; undefined where none was traced. Recorded answers cost
   * nothing.
   */
  readonly costs?: LlmCosts | undefined;
}

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
