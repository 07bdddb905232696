import { readFlag, readVariable } from "../kernel/environment.ts";
/**
 * Whether colours are wanted where `isTTY` says if there is a terminal: `FORCE_COLOR` says yes or (`0`, `false`) no,
 * whatever it is; else `NO_COLOR` says no unless it is empty.
 */
export function usesColors(isTTY: boolean | undefined, environment: NodeJS.ProcessEnv): boolean {
  if ("FORCE_COLOR" in environment) return !["0", "false"].includes(readVariable(environment, "FORCE_COLOR") ?? "");
  return isTTY === true && readVariable(environment, "NO_COLOR") === undefined;
}

/** Whether everything is to be told, and not an example of each kind of change: `VERITEST_VERBOSE`. */
export function isVerbose(environment: NodeJS.ProcessEnv): boolean {
  return readFlag(environment, "VERITEST_VERBOSE");
}
