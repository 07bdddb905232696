import { callSite } from "./call-site.ts";
import { installTraps } from "./purity-traps.ts";
import { inWatch, watchHere } from "./recording-scope.ts";

/** A use of something whose answer is not the same each time. */
export interface PurityUse {
  /** What was used: `Date.now`, `new Date()`, `Math.random`, `crypto.randomUUID`, `fetch`, … */
  readonly api: string;
  /** Where: `file:line:column` of the nearest caller that is not in a package; empty when there is none. */
  readonly at: string;
}

/** What a watched run gave, and what it used. */
export interface WatchedRun<T> {
  readonly value: T;
  /** In order; the same use at the same place once. */
  readonly uses: readonly PurityUse[];
}

/**
 * Runs something and notes each use of time, random numbers and the network by it, and by all it starts, outside of
 * adapters that are being recorded. The functions used work as ever. Others that run at the same time are not noted,
 * and nothing stays replaced. Rejects with what `run` throws.
 */
export async function watchPurity<T>(run: () => T | PromiseLike<T>): Promise<WatchedRun<T>> {
  const uses = new Map<string, PurityUse>();
  const outer = watchHere();
  let open = true;
  const note = (api: string, trap: object): void => {
    if (!open) return;
    const at = callSite(trap);
    uses.set(`${api} ${at}`, { api, at });
    outer?.note(api, trap);
  };
  const restore = installTraps();
  try {
    const value = await inWatch({ note }, async () => run());
    return { value, uses: [...uses.values()] };
  } finally {
    open = false;
    restore();
  }
}
