import { commitProposals } from "../settle/commit-proposals.ts";
import { type RanTestFile, findObsolete } from "./find-obsolete.ts";
import { renderSummary } from "./render-summary.ts";
import type { TestFileLog } from "./run-log.ts";
import { summarize } from "./summarize.ts";

/** A run that ended, as a runner's reporter knows it. */
export interface EndedRun {
  readonly logs: readonly TestFileLog[];
  readonly files: readonly RanTestFile[];
  /** True when every test file the configuration names ran, unfiltered, without an error. */
  readonly complete: boolean;
  /** True under -u: obsolete baselines are removed, else only told. */
  readonly update: boolean;
}

/** Ends a run: finds obsolete baselines, removes them under -u, and returns the summary lines. */
export function reportRun({ logs, files, complete, update }: EndedRun): string[] {
  const outcomes = summarize(logs);
  const obsolete = complete ? findObsolete(files, logs) : [];
  const commitment = update ? commitProposals(obsolete) : undefined;
  const lines = renderSummary({ outcomes, obsolete: obsolete.map(({ path }) => path), removed: commitment?.kind === "committed" });
  return commitment?.kind === "refused" ? [...lines, `             ${commitment.problem}`] : lines;
}
