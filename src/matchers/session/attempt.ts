import type { BaselineUpdate } from "../../baseline/baseline.ts";
import type { StagedUpdate } from "../../check/handle-update.ts";
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
  readonly staged: StagedUpdates;
  /** Every change, written or only held for review, by path and intent. */
  readonly changes: Map<string, StagedUpdate>;
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
}: Pick<Attempt, "testName" | "testPath"> & { readonly staged: ReadonlyMap<string, BaselineUpdate> }): Attempt {
  return {
    testName,
    testPath,
    staged: new StagedUpdates(staged),
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
export class StagedUpdates implements ReadonlyMap<string, BaselineUpdate> {
  readonly #others: ReadonlyMap<string, BaselineUpdate>;
  /** The test's own, and those of others that it has seen. */
  readonly #seen = new Map<string, BaselineUpdate>();
  readonly #absent = new Set<string>();

  /** `others` is read when it is asked, so it may go on growing. */
  constructor(others: ReadonlyMap<string, BaselineUpdate>) {
    this.#others = others;
  }

  get size(): number {
    return [...this.keys()].length;
  }

  get(path: string): BaselineUpdate | undefined {
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
