/** Runs `work` over the items, at most `concurrency` (at least one) at a time; results come back in the items' order. */
export async function checkAll<T, R>(items: readonly T[], concurrency: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const [item] = items.slice(index, index + 1);
      if (item !== undefined) results[index] = await work(item);
    }
  };
  // NaN, as of a missing environment variable, counts as one: no worker would check nothing and pass.
  const workers = Math.max(1, Math.min(Math.trunc(concurrency) || 1, items.length));
  await Promise.all(Array.from({ length: workers }, worker));
  return results;
}
