import type { Attempt } from "./attempt.ts";

/** Calls `note` with the error if no code handles a matcher's failure: its error, or its failing result. */
export type WatchFailure = (failure: unknown, note: (error: unknown) => void) => Promise<void>;

/** Notes that a matcher finished, before its caller continues, and whether the test lost its failure. */
export async function noteMatcherEnd<T>(
  unfinished: Promise<T>,
  attempt: Attempt,
  ifLost: WatchFailure | undefined,
): Promise<T> {
  const matcher = attempt.unfinished.get(unfinished) ?? "";
  const noteFailure = (failure: unknown): Promise<void> | undefined => {
    attempt.hasFailed = true;
    return ifLost?.(failure, (error) => attempt.lost.push({ matcher, error }));
  };
  try {
    const result = await unfinished;
    if (Reflect.get(Object(result), "pass") === false) await noteFailure(result);
    return result;
  } catch (thrown) {
    await noteFailure(thrown);
    throw thrown;
  } finally {
    attempt.unfinished.delete(unfinished);
  }
}

/** The runner's timers: a test may have replaced the global ones. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** Waits until all are settled, but not forever: a step may wait for a model that never responds. */
export async function endedWithin(grace: number, unfinished: Iterable<Promise<unknown>>): Promise<void> {
  let timer: ReturnType<typeof startTimer> | undefined;
  const limit = new Promise((resolve) => {
    timer = startTimer(resolve, grace);
  });
  await Promise.race([Promise.allSettled(unfinished), limit]);
  stopTimer(timer);
}

/**
 * Waits for a turn of the event loop. Node reports rejections that nothing handles after all microtasks, and the runner
 * must still listen then: without a listener, Jest's process ends.
 */
export async function rejectionsReported(): Promise<void> {
  await new Promise((resolve) => startTimer(resolve, 0));
}
