import { TIMED_OUT, failedCheck, timeoutError, withTimeout } from "../../check-all/check-in-time.ts";
import type { Check } from "../../check/check.ts";
import { keep } from "../../check/keep.ts";
import { reportCase } from "../../reporter/build-run-model.ts";
import { type CommandRun, keeperOf } from "./command-run.ts";
import type { SweepScreen } from "./sweep-screen.ts";

/** Where a new case is to be held, and told of where it cannot be. */
interface Holding {
  readonly run: CommandRun;
  readonly screen: SweepScreen;
  /** The project's root. */
  readonly root: string;
  readonly step: string;
  /** What stands for the case where it has no baseline to look at: the run it is of. */
  readonly file: string;
  readonly timeoutMs: number;
}

/** Holds a new case for review, whoever captures it; false where it cannot be held, which is shown. */
export async function holdCheck(asked: Check, { run, screen, root, step, file, timeoutMs }: Holding): Promise<boolean> {
  const started = performance.now();
  const kept = await withTimeout(keep(asked, { writes: "none", holds: true }, keeperOf(run)), timeoutMs);
  const check = kept === TIMED_OUT ? failedCheck(asked, timeoutError(timeoutMs)) : kept;
  screen.step();
  if (check.kept === "held") return true;
  const verdict =
    typeof check.kept === "object" ? { kind: "failed" as const, error: check.kept.refused } : check.verdict;
  const place = { step, root, labels: [], test: null, settled: "none" as const };
  const durationMs = Math.round(performance.now() - started);
  const shown = reportCase({ ...check, verdict }, { ...place, durationMs, usage: null });
  // Nothing lies there: the run is what somebody can look at.
  screen.found({ ...shown, baseline: file });
  return false;
}
