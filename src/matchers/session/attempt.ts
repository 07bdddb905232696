import type { Proposal } from "../../baseline/baseline.ts";
import type { KeptProposal } from "../../check/keep.ts";
import type { LoggedCheck } from "../../explain/append-run-log.ts";

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
  readonly checks: ((held: boolean) => LoggedCheck | Promise<LoggedCheck>)[];
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

/**
 * What a test sees as staged, by path: what passing tests of its file staged, with its own laid over it. Nothing is
 * copied beforehand, because a file may capture thousands of cases. A path keeps the answer of its first look: what a
 * concurrent test stages meanwhile does not change what a check has already gone by.
 */
export class StagedProposals implements ReadonlyMap<string, Proposal> {
  readonly #others: ReadonlyMap<string, Proposal>;
  /** The test's own, and those of others that it has seen. */
  readonly #seen = new Map<string, Proposal>();
  readonly #absent = new Set<string>();

  /** `others` is read when it is asked, so it may go on growing. */
  constructor(others: ReadonlyMap<string, Proposal>) {
    this.#others = others;
  }

  get size(): number {
    return [...this.keys()].length;
  }

  get(path: string): Proposal | undefined {
    const seen = this.#seen.get(path);
    if (seen !== undefined || this.#absent.has(path)) return seen;
    const found = this.#others.get(path);
    if (found === undefined) this.#absent.add(path);
    else this.#seen.set(path, found);
    return found;
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  /** Adds one of the test's own. */
  set(path: string, proposal: Proposal): void {
    this.#absent.delete(path);
    this.#seen.set(path, proposal);
  }

  *keys(): MapIterator<string> {
    for (const path of this.#others.keys()) if (!this.#absent.has(path)) yield path;
    for (const path of this.#seen.keys()) if (!this.#others.has(path)) yield path;
  }

  *entries(): MapIterator<[string, Proposal]> {
    for (const path of this.keys()) {
      const proposal = this.get(path);
      if (proposal !== undefined) yield [path, proposal];
    }
  }

  *values(): MapIterator<Proposal> {
    for (const [, proposal] of this.entries()) yield proposal;
  }

  [Symbol.iterator](): MapIterator<[string, Proposal]> {
    return this.entries();
  }

  forEach(visit: (proposal: Proposal, path: string, map: ReadonlyMap<string, Proposal>) => void): void {
    for (const [path, proposal] of this.entries()) visit(proposal, path, this);
  }
}
