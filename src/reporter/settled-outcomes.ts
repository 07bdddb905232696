import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Settlement } from "../settle/settle-run.ts";
import type { BaselineOutcome } from "./summarize.ts";

/**
 * What became of each baseline once the run was settled: what a test staged is written or held only then. What a
 * retry did not ask for again is neither. Of one case that several tests captured under names of their own one file
 * is written, and the others are left out. Without a settlement something went wrong, and only a file that is there
 * counts as captured.
 */
export function settledOutcomes(
  outcomes: readonly BaselineOutcome[],
  settlement: Settlement | undefined,
): readonly BaselineOutcome[] {
  const root = settlement?.root ?? "";
  const held = new Set((settlement?.held ?? []).map(({ target }) => resolve(root, target)));
  return outcomes.flatMap((known): BaselineOutcome[] => {
    const { outcome, path } = known;
    if (!["captured", "updated", "held"].includes(outcome)) return [known];
    if (held.has(path)) return [{ path, outcome: "held" }];
    const written = outcome === "captured" ? existsSync(path) : outcome === "updated" && settlement !== undefined;
    if (written) return [known];
    return settlement === undefined ? [{ path, outcome: "held" }] : [];
  });
}
