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
export function propertySeed(given: number | undefined, environment: NodeJS.ProcessEnv): number {
  if (given !== undefined) return given;
  const asked = readVariable(environment, "VERITEST_SEED") ?? "";
  if (/^-?\d{1,10}$/.test(asked)) return Number(asked);
  if (asked !== "" && asked !== "random")
    throw new TypeError(`VERITEST_SEED is ${JSON.stringify(asked)}: give a whole number, or "random".`);
  return isCi(environment) && asked === "" ? FIXED : randomInt(2 ** 31 - 1);
}

/** Number of inputs to generate: as `veritest properties` sets it, or as the test says. */
export function propertyRuns(given: number | undefined, environment: NodeJS.ProcessEnv): number {
  const asked = readVariable(environment, "VERITEST_PROPERTIES_RUNS") ?? "";
  return /^[1-9]\d{0,6}$/.test(asked) ? Number(asked) : (given ?? 100);
}

/**
 * Properties of a step or workflow that failed in an earlier round of `veritest properties`, which needn't report them
 * twice.
 */
export function knownFailures(subject: string, environment: NodeJS.ProcessEnv): readonly string[] {
  const text = readVariable(environment, "VERITEST_PROPERTIES_FAILED") ?? "";
  const found: unknown = text === "" ? [] : JSON.parse(text);
  const pairs = isArray(found) ? found.filter((pair) => isArray(pair)) : [];
  return pairs.flatMap(([whose, law]) => (whose === subject && typeof law === "string" ? [law] : []));
}
