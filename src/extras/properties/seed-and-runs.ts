import { readVariable } from "../../kernel/environment.ts";
import { randomInt } from "node:crypto";
import { isArray } from "../../kernel/json/plain-data.ts";
import { isCi } from "../../kernel/write-policy.ts";

/** Seed that CI uses by default, so that each run generates the same cases. */
const FIXED = 1;

/**
 * Returns the seed of the generator: the given one, or `VERITEST_SEED` (a number, or `random`), or in CI a fixed one
 * and elsewhere a new one. Throws a TypeError for an invalid variable.
 */
export function propertySeed(option: number | undefined, environment: NodeJS.ProcessEnv): number {
  if (option !== undefined) return option;
  const variable = readVariable(environment, "VERITEST_SEED") ?? "";
  if (/^-?\d{1,10}$/.test(variable)) return Number(variable);
  if (variable !== "" && variable !== "random")
    throw new TypeError(`VERITEST_SEED must be an integer or "random", got ${JSON.stringify(variable)}.`);
  return isCi(environment) && variable === "" ? FIXED : randomInt(2 ** 31 - 1);
}

/** Number of inputs to generate: as `veritest properties` sets it, or as the test says. */
export function propertyRuns(option: number | undefined, environment: NodeJS.ProcessEnv): number {
  const variable = readVariable(environment, "VERITEST_PROPERTIES_RUNS") ?? "";
  return /^[1-9]\d{0,6}$/.test(variable) ? Number(variable) : (option ?? 100);
}

/**
 * Properties of a step or workflow that failed in an earlier round of `veritest properties`, which needn't report them
 * twice.
 */
export function knownFailures(subject: string, environment: NodeJS.ProcessEnv): readonly string[] {
  const text = readVariable(environment, "VERITEST_PROPERTIES_FAILED") ?? "";
  const failed: unknown = text === "" ? [] : JSON.parse(text);
  const pairs = isArray(failed) ? failed.filter((pair) => isArray(pair)) : [];
  return pairs.flatMap(([whose, property]) => (whose === subject && typeof property === "string" ? [property] : []));
}
