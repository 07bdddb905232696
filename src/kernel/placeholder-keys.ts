import { type VariableName, readVariable, setVariable } from "./environment.ts";

/** Key of an SDK's client in a run without a key. Providers refuse it. */
export const PLACEHOLDER_KEY = "veritest-placeholder-key";

/** Variables with the keys that clients need as soon as they're created, and the variables that replace them. */
const KEYS: readonly (readonly VariableName[])[] = [["OPENAI_API_KEY"], ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]];

/**
 * Sets placeholders for missing keys, so that `new OpenAI()` works in a module whose steps only replay. A live run gets
 * none: there the client reports the missing key itself. Returns the variables that it set.
 */
export function setPlaceholderKeys(environment: NodeJS.ProcessEnv): readonly VariableName[] {
  const mode = readVariable(environment, "VERITEST_MODE") ?? readVariable(environment, "VERITEST_PROJECT_MODE");
  if (mode === "live") return [];
  const missing = KEYS.filter((names) => names.every((name) => readVariable(environment, name) === undefined));
  const set = missing.flatMap((names) => names.slice(0, 1));
  for (const name of set) setVariable(environment, name, PLACEHOLDER_KEY);
  return set;
}

/** Calls a function that loads modules with such placeholders, and removes them. */
export function withPlaceholderKeys<T>(environment: NodeJS.ProcessEnv, load: () => T): T {
  const set = setPlaceholderKeys(environment);
  try {
    return load();
  } finally {
    for (const name of set) setVariable(environment, name, undefined);
  }
}
