/**
 * Does something with each item, so many at once and no further ahead: what an iterable gives is taken when there is a
 * place for it. Rejects with the first failure, when those that run have ended.
 */
export async function atOnce<T>(
  items: Iterable<T> | AsyncIterable<T>,
  concurrency: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const active = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let index = 0;
  for await (const item of items) {
    const done = work(item, index)
      .catch((thrown: unknown) => void failures.push(thrown))
      .finally(() => active.delete(done));
    index += 1;
    active.add(done);
    if (active.size >= concurrency) await Promise.race(active);
    if (failures.length > 0) break;
  }
  await Promise.all(active);
  if (failures.length > 0) throw failures[0];
}
