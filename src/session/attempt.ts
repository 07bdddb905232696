import type { Proposal } from "../baseline/baseline.ts";
import type { KeptProposal } from "../check/keep.ts";
import type { LoggedCheck } from "../reporter/append-run-log.ts";
import { StagedProposals } from "./staged-proposals.ts";

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
  readonly changes: Map<string, KeptProposal>;
  /** What the log tells of each check, once it is known whether the attempt's writes are held. */
  readonly checks: ((held: boolean) => Promise<LoggedCheck>)[];
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
