import type { Proposal } from "../baseline/proposal.ts";
import type { Verdict } from "./verdict.ts";

/** One case that was checked: the verdict, and the change that would settle it where there is one. */
export interface Check {
  /** The baseline file, for people; where it would be when there is none. */
  readonly file: string;
  readonly path: string;
  readonly verdict: Verdict;
  /** Makes the proposal that would accept what was found; undefined where nothing can be accepted. */
  readonly propose: (() => Proposal) | undefined;
}
