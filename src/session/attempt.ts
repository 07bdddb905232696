import type { Proposal } from "../baseline/proposal.ts";
import type { Check } from "../check/check.ts";
import type { VerdictKind } from "../check/verdict.ts";
import type { Outcome, StagedChange } from "../matchers/session.ts";
import type { ReportFindings } from "../explain/report-case.ts";
import { StagedProposals } from "./staged-proposals.ts";

/** A check of an attempt, without what it is made of: a sweep has thousands. */
export interface NotedCheck extends Pick<Check, "path" | "source" | "ms" | "costs"> {
  readonly outcome: Outcome;
  readonly verdict: VerdictKind;
  readonly remarks: readonly string[];
  /** What a report tells of it; absent where there is nothing to tell, or nobody to tell. Never rejects. */
  readonly findings?: Promise<ReportFindings | null>;
}

/** One attempt of one test: what it staged, checked, and has not finished. A retry is another attempt. */
export interface Attempt {
  readonly testName: string;
  /** Absolute path of the test file. */
  readonly testPath: string;
  /**
   * What the run's mode writes, by path, with what passing tests of the file staged before: the test sees it like
   * files.
   */
  readonly staged: StagedProposals;
  /** Every change, written or only held for review, by path and intent. */
  readonly changes: Map<string, StagedChange>;
  readonly checks: NotedCheck[];
  /** Matchers that have not settled yet. */
  readonly unfinished: Map<Promise<unknown>, string>;
}

/** Starts an attempt of a test; `staged` is what passing tests of its file staged so far. */
export function startAttempt({
  testName,
  testPath,
  staged,
}: Pick<Attempt, "testName" | "testPath"> & { readonly staged: ReadonlyMap<string, Proposal> }): Attempt {
  return {
    testName,
    testPath,
    staged: new StagedProposals(staged),
    changes: new Map(),
    checks: [],
    unfinished: new Map(),
  };
}
