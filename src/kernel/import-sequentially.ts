/**
 * Key on the global object: the set-up file and its lazy parts are separate bundles, with a copy of this module each.
 */
const LAST = Symbol.for("veritest.last-import");

/**
 * Loads a lazy part of veritest, one at a time within a realm; resolves and rejects as `load` does. `load` must only
 * import. The vm pools of Vitest 3 and 4 fail on two imports at once that share a file which is not linked yet
 * ("request for … can not be resolved on module … that is not linked"), and concurrent tests import several parts at
 * once.
 */
export async function importSequentially<T>(load: () => Promise<T>): Promise<T> {
  const mine = Promise.resolve(Reflect.get(globalThis, LAST)).then(load);
  Reflect.set(
    globalThis,
    LAST,
    mine.catch(() => undefined),
  );
  return mine;
}
