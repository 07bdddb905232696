/**
 * Runs `work` over the items, at most `concurrency` (at least one) at a time; results come back in the items' order. An
 * item is asked for when its turn comes, so that a sweep has only those in hand that it works on.
 */
export async function checkAll<T, R>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const rest = items[Symbol.iterator]();
  let started = 0;
  const workFrom = async (first: T): Promise<void> => {
    for (let item = first; ; ) {
      const index = started++;
      results[index] = await work(item);
      const next = rest.next();
      if (next.done === true) return;
      item = next.value;
    }
  };
  // NaN, as of a missing environment variable, counts as one: no worker would check nothing and pass.
  const atATime = Math.max(1, Math.trunc(concurrency) || 1);
  const workers: Promise<void>[] = [];
  while (workers.length < atATime) {
    const next = rest.next();
    if (next.done === true) break;
    workers.push(workFrom(next.value));
  }
  await Promise.all(workers);
  return results;
}
