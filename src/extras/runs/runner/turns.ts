/** Runs work at the same time, except for work that has to run alone. Work starts in the order in which it came. */
export class Turns {
  /** Resolves when the last work that runs alone has ended. */
  #alone: Promise<unknown> = Promise.resolve();
  /** Work that began after it. */
  readonly #shared = new Set<Promise<unknown>>();

  /** Runs work at the same time as other shared work. */
  async shared<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#alone.then(work);
    const ended = done.catch(() => undefined);
    this.#shared.add(ended);
    void ended.then(() => this.#shared.delete(ended));
    return done;
  }

  /** Runs work alone: after all that came before it, and before all that comes later. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const done = Promise.all([this.#alone, ...this.#shared]).then(work);
    this.#alone = done.catch(() => undefined);
    return done;
  }
}
