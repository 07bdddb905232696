// The runner may replace the timers of a test, but not the order of its responses.
const { setImmediate: nextTurn, setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** Milliseconds between two tests of a replay that waits. */
const INTERVAL_MS = 5;
/**
 * Successive tests without a response after which the next one doesn't wait for calls that weren't made. Counted in
 * turns of the event loop: on a busy machine the step's own timers may all be late.
 */
const IDLE_TESTS = 20;

/**
 * Returns the responses of a replay in the order in which they came when they were recorded: each waits for the
 * earlier ones. If the step no longer makes one of those calls, the wait ends when the replay is idle.
 */
export class CompletionOrder {
  readonly #blocked: { readonly number: number; readonly resolve: () => void }[] = [];
  #next = 0;
  #isReleasing = false;
  #idle: ReturnType<typeof setTimeout> | undefined;

  /** Resolves when it is the turn of the response with this number. */
  async turn(number: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#blocked.push({ number, resolve });
      this.#release();
    });
  }

  #release(): void {
    if (this.#isReleasing) return;
    stopTimer(this.#idle);
    const due = this.#blocked.findIndex(({ number }) => number <= this.#next);
    const [blocked] = due < 0 ? [] : this.#blocked.splice(due, 1);
    if (blocked === undefined) {
      if (this.#blocked.length > 0) this.#wait(IDLE_TESTS);
      return;
    }
    this.#next = Math.max(this.#next, blocked.number + 1);
    // The step's reaction to a response comes before the next response.
    this.#isReleasing = true;
    nextTurn(() => {
      this.#isReleasing = false;
      this.#release();
    });
    blocked.resolve();
  }

  #wait(tests: number): void {
    this.#idle = startTimer(() => (tests > 1 ? this.#wait(tests - 1) : this.#skip()), INTERVAL_MS);
  }

  #skip(): void {
    this.#next = Math.min(...this.#blocked.map(({ number }) => number));
    this.#release();
  }
}
