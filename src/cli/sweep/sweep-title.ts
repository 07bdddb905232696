import type { AdapterMode } from "../../check/adapter-mode.ts";

/** What stands where a test's name does, of changes that sweeps over recorded answers found. */
export const SWEEP_TITLES: { readonly recorded: readonly string[] } = { recorded: ["veritest test", "veritest diff"] };

/** What stands where a test's name does, of changes that a sweep finds. */
export function sweepTitle(verb: "test" | "diff" | "replay", mode: AdapterMode): string {
  return mode === "recorded" ? `veritest ${verb}` : `veritest ${verb} (${mode})`;
}
