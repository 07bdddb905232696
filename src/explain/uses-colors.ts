import { readVariable } from "../kernel/environment.ts";
/**
 * Returns true to use colours. `isTTY` is true if the output is a terminal. `FORCE_COLOR` overrides it: true, or false
 * for `0` and `false`. If it isn't set, a non-empty `NO_COLOR` means no.
 */
export function usesColors(isTTY: boolean | undefined, environment: NodeJS.ProcessEnv): boolean {
  if ("FORCE_COLOR" in environment) return !["0", "false"].includes(readVariable(environment, "FORCE_COLOR") ?? "");
  return isTTY === true && readVariable(environment, "NO_COLOR") === undefined;
}
