/** Cases in the order of the report: baselines of files, steps of stored runs, inputs. They are read one by one. */
export type CaseSource<T> = Iterable<T> | AsyncIterable<T>;

/** Limits of a run over all cases. */
export interface CheckAllOptions {
  /** Maximum number of cases that run at the same time; at least one. */
  readonly concurrency: number;
  /** Stops the run if it's aborted. Cases that have started are finished, and no other case starts. */
  readonly signal?: AbortSignal;
}

/** Milliseconds after which signals and timers get their turn, even if no case waits for anything. */
const TURN_MS = 25;

/**
 * Runs `check` on each case and yields the results in the order of the cases. A case is read when there's room for it,
 * so only running cases, and results that are ahead of a slower case, are in memory. If a check or the source throws,
 * no other case starts, those that have started are finished, and the first error is thrown.
 */
export async function* checkAll<T, R>(
  source: CaseSource<T>,
  check: (item: T) => Promise<R>,
  { concurrency, signal }: CheckAllOptions,
): AsyncGenerator<R, void, undefined> {
  // NaN, as of a missing environment variable, counts as 1: with a limit of 0 every run would pass.
  const limit = Math.max(1, Math.trunc(concurrency) || 1);
  const cases = iteratorOf(source);
  const started = new StartedCases(check);
  let [hasMore, turn] = [true, performance.now()];
  try {
    for (;;) {
      for (const result of started.results()) yield result;
      const mayStart = hasMore && started.errors.length === 0 && signal?.aborted !== true;
      if (!mayStart && started.running === 0) break;
      if (mayStart && started.running < limit) {
        const next = cases.next();
        // A source that doesn't wait costs no turn.
        hasMore = started.add("then" in next ? await next : next);
      } else await started.oneEnds();
      if (signal === undefined || performance.now() - turn < TURN_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      turn = performance.now();
    }
  } finally {
    while (started.running > 0) await started.oneEnds();
    await cases.return?.();
  }
  if (started.errors.length > 0) throw started.errors[0];
}

/** Cases that have started, and the results that are still to be yielded. */
class StartedCases<T, R> {
  readonly errors: unknown[] = [];
  running: number = 0;
  readonly #check: (item: T) => Promise<R>;
  readonly #ended = new Map<number, { readonly result: R }>();
  #count = 0;
  #yielded = 0;
  #wake: () => void = () => undefined;

  constructor(check: (item: T) => Promise<R>) {
    this.#check = check;
  }

  /** Starts the next case; returns false if there is none. */
  add({ done, value }: IteratorResult<T, unknown>): boolean {
    if (done !== true) void this.#run(value, this.#count++);
    return done !== true;
  }

  async oneEnds(): Promise<void> {
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Takes the results that no earlier case is missing before. */
  *results(): Generator<R, void, undefined> {
    for (let next = this.#ended.get(this.#yielded); next !== undefined; next = this.#ended.get(this.#yielded)) {
      this.#ended.delete(this.#yielded);
      this.#yielded += 1;
      yield next.result;
    }
  }

  async #run(item: T, index: number): Promise<void> {
    this.running += 1;
    try {
      this.#ended.set(index, { result: await this.#check(item) });
    } catch (thrown) {
      this.errors.push(thrown);
    }
    this.running -= 1;
    this.#wake();
  }
}

function iteratorOf<T>(source: CaseSource<T>): Iterator<T, unknown> | AsyncIterator<T, unknown> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}
