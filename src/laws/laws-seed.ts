import { randomInt } from "node:crypto";

/** What every draw begins with where nothing else is asked for: a run in CI finds the same each time. */
const FIXED = 1;

/**
 * The seed of a draw: the one given, else `VERITEST_SEED` (a number, or `random`), else in CI always the same and
 * elsewhere a new one. Throws a TypeError for a variable that is neither.
 */
export function lawsSeed(given: number | undefined, environment: NodeJS.ProcessEnv): number {
  if (given !== undefined) return given;
  const asked = environment["VERITEST_SEED"] ?? "";
  if (/^-?\d{1,10}$/.test(asked)) return Number(asked);
  if (asked !== "" && asked !== "random")
    throw new TypeError(`VERITEST_SEED is ${JSON.stringify(asked)}: give a whole number, or "random".`);
  const isCi = !["", "0", "false"].includes(environment["CI"] ?? "");
  return isCi && asked === "" ? FIXED : randomInt(2 ** 31 - 1);
}
