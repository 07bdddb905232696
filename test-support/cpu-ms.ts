/** Returns the CPU milliseconds that this thread used for a piece of work: other processes don't add to them. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Tells how many times as much CPU time the second piece of work takes as the first, at the fastest of several turns: a
 * virtual machine counts time as used that it didn't get, and the engine compiles what runs often. Work below 4 ms
 * counts as 4 ms, the precision of such figures.
 */
export async function timesAsLong(first: () => unknown, second: () => unknown, turns = 3): Promise<number> {
  let [one, other] = [Infinity, Infinity];
  for (let turn = 0; turn < turns; turn += 1) {
    one = Math.min(one, await cpuMs(first));
    other = Math.min(other, await cpuMs(second));
  }
  return other / Math.max(one, 4);
}
