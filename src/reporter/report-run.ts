import { commitProposals } from "../settle/commit-proposals.ts";
import { messageOf } from "../step/step-error.ts";
import { type RanTestFile, findObsolete } from "./find-obsolete.ts";
import { renderSummary } from "./render-summary.ts";
import type { DrainedLog } from "./run-log.ts";
import { summarize } from "./summarize.ts";

/** A run that ended, as a runner's reporter knows it. */
export interface EndedRun extends DrainedLog {
  readonly files: readonly RanTestFile[];
  /** True when every test file the configuration names ran, unfiltered, without an error. */
  readonly complete: boolean;
  /** True under -u: obsolete baselines are removed, else only told. */
  readonly update: boolean;
}

/** Ends a run: finds obsolete baselines, removes them under -u, and returns the summary lines. */
export function reportRun({ logs, lost, files, complete, update }: EndedRun): string[] {
  const outcomes = summarize(logs);
  const problems = lost === 0 ? [] : [`${lost} ${lost === 1 ? "line" : "lines"} of the run's log could not be read: these counts are too low.`];
  try {
    // What was lost may have used any baseline.
    const obsolete = complete && lost === 0 ? findObsolete(files, logs) : [];
    const commitment = update ? commitProposals(obsolete) : undefined;
    if (commitment?.kind === "refused") problems.push(commitment.problem);
    const paths = obsolete.map(({ path }) => path);
    return renderSummary({ outcomes, obsolete: paths, removed: commitment?.kind === "committed", problems });
  } catch (thrown) {
    return renderSummary({ outcomes, obsolete: [], removed: false, problems: [...problems, messageOf(thrown)] });
  }
}
