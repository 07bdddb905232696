/** Whether everything is to be told, and not an example of each kind of change: `VERITEST_VERBOSE`. */
export function isVerbose(environment: NodeJS.ProcessEnv): boolean {
  return !["", "0", "false", undefined].includes(environment["VERITEST_VERBOSE"]);
}
