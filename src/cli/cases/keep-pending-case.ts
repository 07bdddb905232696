import { TIMED_OUT, failedCheck, timeoutError, withTimeout } from "../../check-all/check-with-timeout.ts";
import type { Check } from "../../check/check.ts";
import { stageUpdate } from "../../check/update/stage-update.ts";
import { reportCase } from "../../reporter/build-run-model.ts";
import { type CommandRun, updateHandlerOf } from "./command-run.ts";
import type { CheckScreen } from "./check-screen.ts";

/** Run and screen of a new pending case. */
interface PendingContext {
  readonly run: CommandRun;
  readonly screen: CheckScreen;
  /** The project's root. */
  readonly root: string;
  readonly step: string;
  /** Name of the case in messages if it has no baseline yet: the run it comes from. */
  readonly file: string;
  readonly timeoutMs: number;
}

/** Marks a new case as pending. Returns false and shows the case if that fails. */
export async function keepPendingCase(
  result: Check,
  { run, screen, root, step, file, timeoutMs }: PendingContext,
): Promise<boolean> {
  const started = performance.now();
  const kept = await withTimeout(
    stageUpdate(result, { writes: "none", keepsPending: true }, updateHandlerOf(run)),
    timeoutMs,
  );
  const check = kept === TIMED_OUT ? failedCheck(result, timeoutError(timeoutMs)) : kept;
  screen.step();
  const state = check.update?.state;
  if (state === "pending") return true;
  const verdict = typeof state === "object" ? { kind: "failed" as const, error: state.refused } : check.verdict;
  const facts = { step, root, labels: [], test: null, updateState: "none" as const };
  const durationMs = Math.round(performance.now() - started);
  const reported = reportCase({ ...check, verdict }, { ...facts, durationMs, usage: null });
  // There is no baseline file yet: name the run instead.
  screen.printCase({ ...reported, baseline: file });
  return false;
}
