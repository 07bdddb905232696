import { readVariable } from "../../kernel/environment.ts";
import { randomInt } from "node:crypto";
import { isArray } from "../../kernel/json/plain-data.ts";
import { isCi } from "../../kernel/write-policy.ts";

/** What every draw begins with where nothing else is asked for: a run in CI finds the same each time. */
const FIXED = 1;

/**
 * The seed of a draw: the one given, else `VERITEST_SEED` (a number, or `random`), else in CI always the same and
 * elsewhere a new one. Throws a TypeError for a variable that is neither.
 */
export function lawsSeed(given: number | undefined, environment: NodeJS.ProcessEnv): number {
  if (given !== undefined) return given;
  const asked = readVariable(environment, "VERITEST_SEED") ?? "";
  if (/^-?\d{1,10}$/.test(asked)) return Number(asked);
  if (asked !== "" && asked !== "random")
    throw new TypeError(`VERITEST_SEED is ${JSON.stringify(asked)}: give a whole number, or "random".`);
  return isCi(environment) && asked === "" ? FIXED : randomInt(2 ** 31 - 1);
}

/** How many inputs are drawn: as many as `veritest laws` asks for, where it runs the test, else what the test says. */
export function lawsRuns(given: number | undefined, environment: NodeJS.ProcessEnv): number {
  const asked = readVariable(environment, "VERITEST_LAWS_RUNS") ?? "";
  return /^[1-9]\d{0,6}$/.test(asked) ? Number(asked) : (given ?? 100);
}

/**
 * The laws of a step or workflow that `veritest laws` found broken in an earlier round: nobody needs them found twice.
 */
export function foundBefore(subject: string, environment: NodeJS.ProcessEnv): readonly string[] {
  const text = readVariable(environment, "VERITEST_LAWS_FOUND") ?? "";
  const found: unknown = text === "" ? [] : JSON.parse(text);
  const pairs = isArray(found) ? found.filter((pair) => isArray(pair)) : [];
  return pairs.flatMap(([whose, law]) => (whose === subject && typeof law === "string" ? [law] : []));
}
