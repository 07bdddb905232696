/**
 * Lets the process exit although timers run that are started from now on where `isOwn` returns true: those that an
 * abandoned run waits for, before it would repeat its request. The returned function ends this.
 */
export function releaseTimers(isOwn: () => boolean): () => void {
  const original = globalThis.setTimeout;
  const replaced = new Proxy(original, {
    apply: (start, self, args: Parameters<typeof original>) => {
      const timer: unknown = Reflect.apply(start, self, args);
      if (isOwn() && isReleasable(timer)) timer.unref();
      return timer;
    },
  });
  globalThis.setTimeout = replaced;
  return () => {
    if (globalThis.setTimeout === replaced) globalThis.setTimeout = original;
  };
}

/** A browser's timer, in a test environment that has its functions, is a number. */
function isReleasable(timer: unknown): timer is { unref(): unknown } {
  return typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function";
}
