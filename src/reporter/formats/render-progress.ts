import { grouped } from "../../explain/wording.ts";

/** How far a sweep is. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** How many of those done are not clean. */
  readonly changed: number;
  readonly elapsedMs: number;
}

/** A sweep in one line: `1,204 of 10,000  12 %  430/s  0:21 left  2 changed`. What cannot be known yet is left out. */
export function renderProgress({ done, total, changed, elapsedMs }: Progress): string {
  const rate = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  const share = total > 0 ? Math.floor((100 * Math.min(done, total)) / total) : 100;
  return [
    `${grouped(done)} of ${grouped(total)}`,
    `${share} %`,
    ...(rate > 0 ? [`${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))}/s`] : []),
    ...(rate > 0 && done < total ? [`${clock((total - done) / rate)} left`] : []),
    ...(changed > 0 ? [`${grouped(changed)} changed`] : []),
  ].join("  ");
}

/** Seconds as `0:21`, `12:05`, `1:02:05`. */
function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (value: number): string => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${two(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}
