import { Arbitrary, type Random, type Stream, type Value } from "fast-check";

/** Number of generated values before a filter counts as one that lets none pass. */
const MOST_TRIES = 1000;

/**
 * An arbitrary of those values that a test lets pass. Unlike `filter` it ends: after 1,000 values that were refused in
 * a row it throws what `refused` makes of the last one.
 */
export class LimitedFilter<T> extends Arbitrary<T> {
  readonly #from: Arbitrary<T>;
  readonly #passes: (value: T) => boolean;
  readonly #refused: (last: T) => Error;

  constructor(from: Arbitrary<T>, passes: (value: T) => boolean, refused: (last: T) => Error) {
    super();
    this.#from = from;
    this.#passes = passes;
    this.#refused = refused;
  }

  override generate(random: Random, biasFactor: number | undefined): Value<T> {
    for (let tries = 1; ; tries += 1) {
      const generated = this.#from.generate(random, biasFactor);
      if (this.#passes(generated.value)) return generated;
      if (tries === MOST_TRIES) throw this.#refused(generated.value);
    }
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.#from.canShrinkWithoutContext(value) && this.#passes(value);
  }

  override shrink(value: T, context: unknown): Stream<Value<T>> {
    return this.#from.shrink(value, context).filter((candidate) => this.#passes(candidate.value));
  }
}
