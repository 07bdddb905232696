/**
 * Whether colours are wanted where `isTTY` says if there is a terminal: `FORCE_COLOR` says yes or (`0`, `false`) no,
 * whatever it is; else `NO_COLOR` says no unless it is empty.
 */
export function wantsColors(isTTY: boolean | undefined, environment: NodeJS.ProcessEnv): boolean {
  const forced = environment["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return isTTY === true && (environment["NO_COLOR"] ?? "") === "";
}

/** Whether everything is to be told, and not an example of each kind of change: `VERITEST_VERBOSE`. */
export function isVerbose(environment: NodeJS.ProcessEnv): boolean {
  return !["", "0", "false", undefined].includes(environment["VERITEST_VERBOSE"]);
}
