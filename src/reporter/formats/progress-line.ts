import { fitToCells } from "../../kernel/terminal-cells.ts";
import { formatCount } from "../../explain/wording.ts";

/** Output of a progress line: `process.stderr`, or one made for a test. */
interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** A check that takes less time than this has no progress line. */
const QUIET_MS = 2000;
/** Ten times a second. More often isn't visible. */
const INTERVAL_MS = 100;
const ERASE = "\r\u001b[K";

/**
 * One line at the bottom of a terminal that shows the progress of checking all cases. Writes only to a terminal, not in
 * the first two seconds, and at most ten times a second. Code that writes other lines calls `clear` first, and also at
 * the end, which removes the line.
 */
export class ProgressLine {
  readonly #output: ProgressOutput;
  readonly #clock: () => number;
  readonly #startedAt: number;
  #renderedAt = -Infinity;
  #visible = false;

  /** `clock` gives milliseconds; what it counts from does not matter. */
  constructor(output: ProgressOutput, clock: () => number) {
    this.#output = output;
    this.#clock = clock;
    this.#startedAt = clock();
  }

  /** Updates the progress, and renders it if it's time to. */
  update(progress: Progress): void {
    if (this.#output.isTTY !== true) return;
    const now = this.#clock();
    if (now - this.#startedAt < QUIET_MS || now - this.#renderedAt < INTERVAL_MS) return;
    const { columns = 0 } = this.#output;
    // One cell less than there are: in the last one some terminals go on to the next line, which would not be erased.
    this.#output.write(`${ERASE}${fitToCells(renderProgress(progress), (columns > 0 ? columns : 80) - 1)}`);
    this.#renderedAt = now;
    this.#visible = true;
  }

  /** Erases the line, if there is one. The next update renders it immediately. */
  clear(): void {
    if (!this.#visible) return;
    this.#output.write(ERASE);
    this.#visible = false;
    this.#renderedAt = -Infinity;
  }
}

/** Progress of a check of all cases. */
interface Progress {
  readonly done: number;
  readonly total: number;
  /** Number of finished cases that aren't clean. */
  readonly changed: number;
}

/** Renders the progress in one line: `1,204 of 10,000  12 %  2 changed`. */
export function renderProgress({ done, total, changed }: Progress): string {
  const share = total > 0 ? Math.floor((100 * Math.min(done, total)) / total) : 100;
  return [
    `${formatCount(done)} of ${formatCount(total)}`,
    `${share} %`,
    ...(changed > 0 ? [`${formatCount(changed)} changed`] : []),
  ].join("  ");
}
