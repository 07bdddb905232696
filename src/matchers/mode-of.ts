import { ADAPTERS_VARIABLE, type AdapterMode, type ChosenMode, adapterMode } from "../check/adapter-mode.ts";
import type { Check } from "../check/check.ts";
import type { TestSession } from "./session.ts";

/**
 * The adapter mode of one matcher call: the run's variable, the matcher's option, the project's configuration, the
 * default.
 */
export function modeOf(
  options: { readonly adapters?: object | undefined; readonly mode?: AdapterMode | undefined },
  session: TestSession,
): ChosenMode {
  return adapterMode({
    given: options.adapters !== undefined,
    option: options.mode,
    project: session.adapterMode,
    variable: process.env[ADAPTERS_VARIABLE],
    writes: session.mode !== "none",
  });
}

/** Where answers came from, in words: what happened, else what would have. */
export function sourceWords(source: Check["source"], mode: AdapterMode): string {
  if (source === undefined && mode === "auto") return "recorded calls, else live adapters";
  return (source ?? mode) === "live" ? "live adapters" : "recorded calls";
}
