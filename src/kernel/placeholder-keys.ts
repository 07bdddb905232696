import { type VariableName, readVariable, setVariable } from "./environment.ts";

/** Key of an SDK's client in a run without a key. Providers refuse it. */
export const PLACEHOLDER_KEY = "veritest-placeholder-key";

/**
 * Variables with the keys that clients need as soon as they're created, and the variables that replace them. The key of
 * Azure isn't one of them: its client refuses a key next to a provider of tokens.
 */
export const KEYS: readonly (readonly [key: VariableName, ...replacing: readonly VariableName[]])[] = [
  ["OPENAI_API_KEY"],
  ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  ["MISTRAL_API_KEY"],
  ["CO_API_KEY"],
];

/**
 * Sets placeholders for missing keys, so that `new OpenAI()` works in a module whose steps only replay. A live run gets
 * none: there the client reports the missing key itself.
 */
export function setPlaceholderKeys(environment: NodeJS.ProcessEnv): void {
  if (isLiveRun(environment)) return;
  for (const name of missingKeys(environment)) setVariable(environment, name, PLACEHOLDER_KEY);
}

/** Returns true if the run's mode is live, by its variable or the project's configuration. */
export function isLiveRun(environment: NodeJS.ProcessEnv): boolean {
  const mode = readVariable(environment, "VERITEST_MODE") ?? readVariable(environment, "VERITEST_PROJECT_MODE");
  return mode === "live";
}

/** Returns the variables of keys that are missing and that no other variable replaces. */
export function missingKeys(environment: NodeJS.ProcessEnv): readonly VariableName[] {
  return KEYS.flatMap((names) =>
    names.some((known) => readVariable(environment, known) !== undefined) ? [] : names.slice(0, 1),
  );
}
