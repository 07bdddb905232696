import { displayPath } from "../../baseline/baseline-library.ts";
import { watchPurity } from "../../record/watch-purity.ts";

/** Runs a function, and returns its value with its uses of time, random numbers and ids: `Date.now at src/a.ts:3:1`. */
export async function watchUses<T>(
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly uses: readonly string[] }> {
  const { value, uses } = await watchPurity(run);
  return { value, uses: uses.map(({ api, at }) => (at === "" ? api : `${api} at ${displayPath(at)}`)) };
}
