/** What is given instead of a result that did not come in time. */
export const TIMED_OUT: unique symbol = Symbol("timed out");

/**
 * A promise's result, or {@link TIMED_OUT} after so many milliseconds (0: never). What did not come in time runs on,
 * unheard.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T | typeof TIMED_OUT> {
  if (ms === 0) return work;
  const { promise, resolve } = Promise.withResolvers<typeof TIMED_OUT>();
  const timer = setTimeout(() => resolve(TIMED_OUT), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
