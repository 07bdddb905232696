/** Where progress goes. */
export interface ProgressOutput {
  write(text: string): unknown;
  /** On a terminal one line is kept up to date; elsewhere a line is added now and then. */
  readonly isTTY?: boolean | undefined;
}

/** Counts items as they are done. */
export interface Progress {
  /** One more is done; `failed` is how many failed so far. */
  step(failed: number): void;
  end(): void;
}

/** A line is added elsewhere than on a terminal after so many items. */
const EVERY = 1000;
/** A terminal's line is written anew at most so often, in milliseconds. */
const REFRESH_MS = 100;

/** Shows how many items are done, how fast, and how long the rest takes where their number is known. */
export function showProgress({
  progress,
  total,
  clock = () => performance.now(),
}: {
  readonly progress?: ProgressOutput | undefined;
  readonly total?: number | undefined;
  readonly clock?: () => number;
}): Progress {
  if (progress === undefined) return { step: () => undefined, end: () => undefined };
  const started = clock();
  let done = 0;
  let shownAt = Number.NEGATIVE_INFINITY;
  const line = (failed: number): string => {
    const rate = done / Math.max(0.001, (clock() - started) / 1000);
    const of = total === undefined ? "" : ` of ${total}`;
    const left = total === undefined ? "" : `, ${Math.ceil((total - done) / rate)} s left`;
    return `${done}${of} done, ${failed} failed, ${rate.toFixed(rate < 10 ? 1 : 0)}/s${left}`;
  };
  return {
    step(failed) {
      done += 1;
      if (progress.isTTY === true && clock() - shownAt >= REFRESH_MS) {
        shownAt = clock();
        progress.write(`\r\u001b[K${line(failed)}`);
      }
      if (progress.isTTY !== true && done % EVERY === 0) progress.write(`${line(failed)}\n`);
    },
    end() {
      if (progress.isTTY === true) progress.write("\r\u001b[K");
    },
  };
}
