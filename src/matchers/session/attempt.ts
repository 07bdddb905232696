import type { BaselineUpdate } from "../../baseline/baseline.ts";
import type { StagedUpdate } from "../../check/handle-update.ts";
import type { LiveUsage, LoggedCheck } from "../../explain/append-run-log.ts";

/** One attempt of one test: what it staged, checked, and has not finished. A retry is another attempt. */
export interface Attempt {
  readonly testName: string;
  /** Name of the runner's project. */
  readonly project: string | undefined;
  /** True if the test must fail to count as passed. Its checks write and report nothing. */
  readonly expectsFailure: boolean;
  /** Paths whose last check failed, which the runner counts as unmatched, by the test's id. */
  readonly unmatched: Map<string, string>;
  /** Absolute path of the test file. */
  readonly testPath: string;
  /**
   * Updates that the run's mode writes, by path, with those that passing tests of the file staged before: the test sees
   * them like files.
   */
  readonly staged: StagedUpdates;
  /** Every change, to be written or only pending for review, by path and intent. */
  readonly changes: Map<string, StagedUpdate>;
  /** Log entries of the checks, made once it is known whether the attempt's writes are pending. */
  readonly checks: ((isPending: boolean) => LoggedCheck | Promise<LoggedCheck>)[];
  /** Live calls of runs that check no baseline. */
  readonly live: LiveUsage[];
  /** Matchers that haven't finished yet. */
  readonly unfinished: Map<Promise<unknown>, string>;
  /** Steps and values whose checks run, by the check. */
  readonly running: Map<unknown, string>;
}

/** Starts an attempt of a test; `staged` is what passing tests of its file staged so far. */
export function startAttempt({
  testName,
  testPath,
  project,
  expectsFailure,
  staged,
}: Pick<Attempt, "testName" | "testPath" | "project" | "expectsFailure"> & {
  readonly staged: ReadonlyMap<string, BaselineUpdate>;
}): Attempt {
  return {
    testName,
    project,
    expectsFailure,
    unmatched: new Map(),
    testPath,
    staged: new StagedUpdates(staged),
    changes: new Map(),
    checks: [],
    live: [],
    unfinished: new Map(),
    running: new Map(),
  };
}

/**
 * Staged updates that a test sees, by path: those that passing tests of its file staged, under its own. The entries
 * aren't copied beforehand, because a file may capture thousands of cases. A path keeps the result of its first
 * look-up: an update that a concurrent test stages meanwhile doesn't change a finished check.
 */
export class StagedUpdates implements ReadonlyMap<string, BaselineUpdate> {
  readonly #others: ReadonlyMap<string, BaselineUpdate>;
  /** The test's own, and those of others that it has seen. */
  readonly #seen = new Map<string, BaselineUpdate>();
  readonly #absent = new Set<string>();

  /** `others` is read lazily, so it may keep growing. */
  constructor(earlier: ReadonlyMap<string, BaselineUpdate>) {
    this.#others = earlier;
  }

  get size(): number {
    return [...this.keys()].length;
  }

  get(path: string): BaselineUpdate | undefined {
    const seen = this.#seen.get(path);
    if (seen !== undefined || this.#absent.has(path)) return seen;
    const update = this.#others.get(path);
    if (update === undefined) this.#absent.add(path);
    else this.#seen.set(path, update);
    return update;
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  /** Adds one of the test's own. */
  set(path: string, update: BaselineUpdate): void {
    this.#absent.delete(path);
    this.#seen.set(path, update);
  }

  *keys(): MapIterator<string> {
    for (const path of this.#others.keys()) if (!this.#absent.has(path)) yield path;
    for (const path of this.#seen.keys()) if (!this.#others.has(path)) yield path;
  }

  *entries(): MapIterator<[string, BaselineUpdate]> {
    for (const path of this.keys()) {
      const update = this.get(path);
      if (update !== undefined) yield [path, update];
    }
  }

  *values(): MapIterator<BaselineUpdate> {
    for (const [, update] of this.entries()) yield update;
  }

  [Symbol.iterator](): MapIterator<[string, BaselineUpdate]> {
    return this.entries();
  }

  forEach(visit: (update: BaselineUpdate, path: string, map: ReadonlyMap<string, BaselineUpdate>) => void): void {
    for (const [path, update] of this.entries()) visit(update, path, this);
  }
}
