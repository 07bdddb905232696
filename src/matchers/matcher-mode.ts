import { type ChosenMode, type TestMode, adapterMode } from "../check/run/adapter-mode.ts";
import type { Findings } from "../check/check.ts";
import { processEnvironment, readVariable } from "../kernel/environment.ts";
import type { TestSession } from "./test-session.ts";

/**
 * The adapter mode of one matcher call: the run's variable, the matcher's option, the project's configuration, the
 * default.
 */
export function modeOf(
  options: { readonly adapters?: object | undefined; readonly mode?: TestMode | undefined },
  session: TestSession,
): ChosenMode {
  return adapterMode({
    hasAdapters: options.adapters !== undefined,
    option: options.mode,
    project: session.projectMode,
    variable: readVariable(processEnvironment(), "VERITEST_MODE"),
    isRecording: session.mode === "all" && !session.isCi,
  });
}

/** Returns true if -u alone doesn't call live adapters for unrecorded requests: a chosen mode replays them. */
export function needsLiveMode({ mode, isExplicit, perAdapter }: ChosenMode): boolean {
  return perAdapter !== undefined || (isExplicit && mode === "replay");
}

/** Describes the source of the responses: the one that was used, or the one that would have been. */
export function sourceText(source: Findings["source"], { mode, perAdapter }: Omit<ChosenMode, "isExplicit">): string {
  if (perAdapter !== undefined) {
    const words = {
      live: "live adapters",
      replay: "recorded calls",
      scripted: "recorded responses in their recorded order",
    };
    return [...new Set(Object.values(perAdapter).map((sourceMode) => words[sourceMode]))].join(" and ");
  }
  if (source === undefined && mode === "auto")
    return "recorded responses, or live adapters for calls that aren't recorded";
  return (source ?? mode) === "live" ? "live adapters" : "recorded calls";
}
