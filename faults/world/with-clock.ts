/** Does some work while the process's clock shows what `now` says. */
export function withClock<T>(now: () => number, work: () => T): T {
  const real = Date.now;
  Date.now = now;
  try {
    return work();
  } finally {
    Date.now = real;
  }
}
