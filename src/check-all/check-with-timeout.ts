import { durationText } from "../kernel/duration.ts";
import { messageOf } from "../kernel/error-message.ts";
import { MAX_TIMER_MS } from "../kernel/max-timer.ts";
import type { StoredCase } from "../baseline/baseline-library.ts";
import { type Check, checkWithoutUpdate } from "../check/check.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";

/** Value of {@link withTimeout} if the result doesn't come in time. */
export const TIMED_OUT: unique symbol = Symbol("timed out");

/**
 * Returns a promise's result, or {@link TIMED_OUT} after that many milliseconds (0: never). Work that isn't done in
 * time goes on, and its result is dropped.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T | typeof TIMED_OUT> {
  if (ms === 0) return work;
  const { promise, resolve } = Promise.withResolvers<typeof TIMED_OUT>();
  const timer = setTimeout(() => resolve(TIMED_OUT), Math.min(ms, MAX_TIMER_MS));
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Check of a case that had limited time. */
export interface TimedCheck {
  readonly check: Check;
  /** True if the case timed out, and so may still be running. */
  readonly isRunning: boolean;
}

type CaseFile = Pick<StoredCase, "file" | "path">;

/** Checks a case. It is `failed` if it takes longer than that many milliseconds (0: no limit), or if a check throws. */
export async function checkWithTimeout(file: CaseFile, ms: number, check: () => Promise<Check>): Promise<TimedCheck> {
  try {
    const result = await withTimeout(check(), ms);
    return result === TIMED_OUT
      ? { check: failedCheck(file, timeoutError(ms)), isRunning: true }
      : { check: result, isRunning: false };
  } catch (thrown) {
    const error = kernelError("execution_failed", messageOf(thrown), thrown);
    return { check: failedCheck(file, error), isRunning: false };
  }
}

/** Check of a case that failed before there was a result to compare. */
export function failedCheck(file: CaseFile, error: StepError): Check {
  return checkWithoutUpdate(file, { kind: "failed", error });
}

/** Error of a case that doesn't end in time. */
export function timeoutError(ms: number): StepError {
  return kernelError("timed_out", `The case didn't finish within ${durationText(ms)}. Increase --timeout.`);
}
