import type { Orphans } from "./find-orphans.ts";

/** Why baselines count as orphans. Not safe to print. */
export function orphanWords({ kind, group }: Pick<Orphans, "kind" | "group">): string {
  return kind === "step"
    ? `no source file and no configuration names the step ${group}`
    : `there is no test file ${group} any more`;
}
