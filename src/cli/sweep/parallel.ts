import { setImmediate } from "node:timers/promises";

/** How long work that waits for nothing may keep signals and timers waiting. */
const BREATH_MS = 25;

/**
 * Works on items, at most `concurrency` (at least one) at a time, taking the next one only when there is room: of a
 * lazy source no more than that is in memory. When `signal` is aborted no further item is taken, and those begun are
 * finished.
 */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  { concurrency, signal }: { readonly concurrency: number; readonly signal: AbortSignal },
  work: (item: T) => Promise<void>,
): Promise<void> {
  const source = iteratorOf(items);
  let breathed = performance.now();
  let taking: Promise<unknown> = Promise.resolve();
  const take = async (): Promise<IteratorResult<T, unknown>> => {
    // One after the other: a source is not asked for two items at once.
    const taken = taking.then(async () => source.next());
    taking = taken.catch(() => undefined);
    return taken;
  };
  const worker = async (): Promise<void> => {
    while (!signal.aborted) {
      const { done, value } = await take();
      if (done === true) return;
      await work(value);
      if (performance.now() - breathed < BREATH_MS) continue;
      breathed = performance.now();
      await setImmediate();
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.max(1, concurrency) }, worker));
  } finally {
    await source.return?.();
  }
}

function iteratorOf<T>(items: Iterable<T> | AsyncIterable<T>): Iterator<T, unknown> | AsyncIterator<T, unknown> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}
