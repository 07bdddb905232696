/**
 * Properties draw the same values in each run, here and in CI, so that a commit gets one verdict. `npm run explore`
 * sets another seed, and the path of one find to look at it again.
 */
import { configureGlobal } from "fast-check";

const SEED = 0x7e57;

const { VERITEST_SEED: seed, VERITEST_SEED_PATH: path } = process.env;
configureGlobal({ seed: seed === undefined ? SEED : Number(seed), ...(path === undefined ? {} : { path }) });

/**
 * Removes what the test files before this one left in the worker: the hooks that they installed, the newest first, and
 * the runs that they abandoned, to which a request could belong.
 */
for (const key of Object.getOwnPropertySymbols(globalThis).toReversed()) {
  if (key.description?.startsWith("veritest.") !== true) continue;
  const value: unknown = Reflect.get(globalThis, key);
  if (value instanceof Set) value.clear();
  const restore: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "restore") : undefined;
  if (typeof restore !== "function") continue;
  Reflect.deleteProperty(globalThis, key);
  Reflect.apply(restore, undefined, []);
}
