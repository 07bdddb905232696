import { attempt } from "../../kernel/error-message.ts";
import { needsRecovery, recover, recoveryLines } from "../../updates/commit/recover.ts";
import { adoptDeadRuns, adoptedLines } from "../../updates/pending/tidy-pending.ts";
import type { TestRun } from "../../updates/test-run.ts";

/** Remains of earlier runs: lines of this run's summary, and whether they must fail it. */
export interface EarlierRuns {
  readonly lines: readonly string[];
  readonly failed: boolean;
}

/** Earlier runs left no remains. */
export const NO_EARLIER_RUNS: EarlierRuns = { lines: [], failed: false };

const HALF_WRITTEN =
  "A run was interrupted while it wrote baselines, and CI never writes them. Some may be old and some new.";

/**
 * Completes the commits of dead processes. In CI the checkout isn't written, so an interrupted commit is only reported.
 * While one is incomplete, the baselines may be part old and part new, and every run fails.
 */
export function finishEarlierRuns(paths: TestRun["paths"], writes: boolean): EarlierRuns {
  const lines: string[] = [];
  let failed = false;
  const interrupted = needsRecovery(paths);
  if (interrupted && !writes) {
    failed = true;
    lines.push(
      `${HALF_WRITTEN} On the machine of that run, run: npx veritest doctor. Its record is in ${paths.state}.`,
    );
  }
  if (interrupted && writes) {
    const recovery = recover(paths);
    if (typeof recovery === "string") return { lines: [recovery], failed: false };
    lines.push(...recovery.stuck, ...recoveryLines(recovery));
    failed = recovery.stuck.length > 0;
  }
  const adopted = attempt(() => adoptedLines(adoptDeadRuns(paths)));
  lines.push(...(adopted.ok ? adopted.value : [adopted.error]));
  return { lines, failed };
}
