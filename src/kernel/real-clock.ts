import { performance } from "node:perf_hooks";

/**
 * Milliseconds since 1970 by the machine's clock, also in a test with fake timers. They replace `Date` and the global
 * `performance`, but not Node's module. It stops while a machine sleeps, so it can be late, but never early.
 */
export function realNow(): number {
  return performance.timeOrigin + performance.now();
}
