import type { BaselineUpdate } from "../../baseline/baseline.ts";
import { StagedUpdates } from "../../baseline/staged-updates.ts";

const NONE: ReadonlySet<string> = new Set();

/** Updates that the attempts of one test have staged so far. */
interface Staged {
  readonly round: unknown;
  /** By the attempts of that round. */
  readonly own: ReadonlySet<string>;
  /** By those of the rounds before it. */
  readonly replaced: ReadonlySet<string>;
}

/** Tracks the changes that each test of a file has staged, so that a retry replaces its own and no other test's. */
export class StagedByTest {
  readonly #roundOf: (test: unknown) => unknown;
  /**
   * Updates that passing tests of the file staged. Baselines are written at the run's end: until then a check of all
   * cases after a capture must see the captured ones.
   */
  readonly updates: StagedUpdates = new StagedUpdates();
  readonly #byTest = new Map<unknown, Staged>();
  /** The keys that an attempt staged as it passed; all others are known as a failed test's already. */
  readonly #passing = new Set<string>();

  /**
   * `roundOf` returns the round that an ending attempt belongs to: another one of the same round is a retry and
   * replaces it. A repetition, or another test with the same name, is a separate round and doesn't replace it.
   */
  constructor(roundOf: (test: unknown) => unknown) {
    this.#roundOf = roundOf;
  }

  /** The keys of what earlier attempts of the test staged that this one replaces. */
  earlier(test: unknown): ReadonlySet<string> {
    const before = this.#byTest.get(test);
    return before !== undefined && before.round === this.#roundOf(test) ? before.own : NONE;
  }

  /** Adds what a passing test staged. */
  keep(updates: readonly BaselineUpdate[]): void {
    for (const update of updates) this.updates.set(update.path, update);
  }

  /**
   * Records the updates that an attempt staged, instead of those it is a retry of, and whether it has passed so far.
   */
  note(test: unknown, keys: readonly string[], passed: boolean = true): void {
    // Most tests stage nothing.
    if (keys.length === 0 && !this.#byTest.has(test)) return;
    if (passed) for (const key of keys) this.#passing.add(key);
    const round = this.#roundOf(test);
    const { own = NONE, replaced = NONE, round: last } = this.#byTest.get(test) ?? {};
    this.#byTest.set(test, {
      round,
      own: new Set(keys),
      replaced: last === round ? replaced : new Set([...replaced, ...own]),
    });
  }

  /** The keys that were staged by passing attempts of tests that did not pass in the end. */
  ofFailed(passed: (test: unknown) => boolean): ReadonlySet<string> {
    const keys = [...this.#byTest].flatMap(([test, { own, replaced }]) => (passed(test) ? [] : [...replaced, ...own]));
    return new Set(keys.filter((key) => this.#passing.has(key)));
  }

  /** All keys of the file; the next file begins with none. */
  take(): readonly string[] {
    const keys = [...this.#byTest.values()].flatMap(({ own, replaced }) => [...replaced, ...own]);
    this.#byTest.clear();
    this.#passing.clear();
    this.updates.clear();
    return [...new Set(keys)];
  }
}
