import type { Proposal } from "../baseline/proposal.ts";
import type { Outcome } from "../matchers/session.ts";

/** One attempt of one test: what it staged, checked, and has not finished. A retry is another attempt. */
export interface Attempt {
  readonly testName: string;
  readonly staged: Map<string, Proposal>;
  readonly checks: { readonly path: string; readonly outcome: Outcome }[];
  /** Matchers that have not settled yet. */
  readonly unfinished: Map<Promise<unknown>, string>;
}

/** Starts an attempt of the test with this name. */
export function startAttempt(testName: string): Attempt {
  return { testName, staged: new Map(), checks: [], unfinished: new Map() };
}
