import type { BaselineUpdate } from "../../baseline/baseline.ts";

const NONE: ReadonlySet<string> = new Set();

/** What the attempts of one test have staged so far. */
interface Staged {
  readonly round: unknown;
  /** By the attempts of that round. */
  readonly own: ReadonlySet<string>;
  /** By those of the rounds before it. */
  readonly others: ReadonlySet<string>;
}

/** Which changes the tests of a file have staged, so that a retry replaces its own and no other test's. */
export class StageLedger {
  readonly #roundOf: (test: unknown) => unknown;
  readonly #proposals = new Map<string, BaselineUpdate>();
  readonly #byTest = new Map<unknown, Staged>();
  /** The keys that an attempt staged as it passed; all others are known as a failed test's already. */
  readonly #passing = new Set<string>();

  /**
   * `roundOf` tells what an ending attempt belongs to: another one of the same round is a retry of it and stands in its
   * place. A repetition, or another test that has the same name, is a round of its own and stands beside it.
   */
  constructor(roundOf: (test: unknown) => unknown) {
    this.#roundOf = roundOf;
  }

  /** The keys of what earlier attempts of the test staged that this one replaces. */
  earlier(test: unknown): ReadonlySet<string> {
    const before = this.#byTest.get(test);
    return before !== undefined && before.round === this.#roundOf(test) ? before.own : NONE;
  }

  /**
   * What passing tests of the file staged, by path. Baselines appear at the run's end: until then a sweep beside a
   * capture must see what was captured.
   */
  get proposals(): ReadonlyMap<string, BaselineUpdate> {
    return this.#proposals;
  }

  /** Adds what a passing test staged. */
  keep(proposals: readonly BaselineUpdate[]): void {
    for (const update of proposals) this.#proposals.set(update.path, update);
  }

  /** Notes what an attempt staged, in place of those it is a retry of, and whether it passed by then. */
  note(test: unknown, keys: readonly string[], passed: boolean = true): void {
    // Most tests stage nothing.
    if (keys.length === 0 && !this.#byTest.has(test)) return;
    if (passed) for (const key of keys) this.#passing.add(key);
    const round = this.#roundOf(test);
    const { own = NONE, others = NONE, round: last } = this.#byTest.get(test) ?? {};
    this.#byTest.set(test, {
      round,
      own: new Set(keys),
      others: last === round ? others : new Set([...others, ...own]),
    });
  }

  /** The keys that were staged by passing attempts of tests that did not pass in the end. */
  ofFailed(passed: (test: unknown) => boolean): ReadonlySet<string> {
    const keys = [...this.#byTest].flatMap(([test, { own, others }]) => (passed(test) ? [] : [...others, ...own]));
    return new Set(keys.filter((key) => this.#passing.has(key)));
  }

  /** All keys of the file; the next file begins with none. */
  take(): readonly string[] {
    const keys = [...this.#byTest.values()].flatMap(({ own, others }) => [...others, ...own]);
    this.#byTest.clear();
    this.#passing.clear();
    this.#proposals.clear();
    return [...new Set(keys)];
  }
}
