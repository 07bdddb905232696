/** Stream that progress is written to. */
export interface ProgressOutput {
  write(text: string): unknown;
  /** A terminal gets one line that is updated; other streams get a new line now and then. */
  readonly isTTY?: boolean | undefined;
}

/** Counts finished items. */
export interface Progress {
  /** Counts one more item; `failed` is the number of failures so far. */
  step(failed: number): void;
  end(): void;
}

/** Number of items between two lines if the stream isn't a terminal. */
const EVERY = 1000;
/** Minimum milliseconds between two updates of a terminal's line. */
const REFRESH_MS = 100;

/** Shows the number of finished items and the rate. If the total is known, it also shows the remaining time. */
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
