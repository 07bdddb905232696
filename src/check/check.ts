import type { CompareBy } from "../base/compare-by.ts";
import type { Proposal } from "../baseline/proposal.ts";
import type { AnyStep } from "../step/define-step.ts";
import type { LlmCosts } from "./llm-costs.ts";
import type { Trials } from "./trials.ts";
import type { Verdict } from "./verdict.ts";

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
