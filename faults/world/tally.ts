import type { Outcome } from "./examine.ts";

/** What became of the faults of one row. All but `tried`, `old` and `new` must be 0. */
export interface Counts {
  tried: number;
  old: number;
  new: number;
  mixed: number;
  corrupt: number;
  lost: number;
  litter: number;
  wrongExit: number;
}

/** One fault and what came of it. */
export interface Trial {
  /** Names the fault, so that it can be tried again by itself. */
  readonly name: string;
  readonly outcome: Outcome;
  readonly litter: readonly string[];
  /** What the program said of itself that is not true, or what does not work afterwards. */
  readonly wrong: readonly string[];
}

/** Counts trials and keeps what was wrong with them. */
export class Tally {
  readonly counts: Counts = { tried: 0, old: 0, new: 0, mixed: 0, corrupt: 0, lost: 0, litter: 0, wrongExit: 0 };
  readonly failures: string[] = [];
  readonly notices: string[] = [];

  add({ name, outcome, litter, wrong }: Trial): void {
    this.counts.tried += 1;
    this.counts[outcome] += 1;
    if (litter.length > 0) this.counts.litter += 1;
    if (wrong.length > 0) this.counts.wrongExit += 1;
    if (!["old", "new"].includes(outcome)) this.failures.push(`${name}: ${outcome}`);
    for (const left of litter) this.failures.push(`${name}: left ${left}`);
    for (const what of wrong) this.failures.push(`${name}: ${what}`);
  }

  /** Says why something was not tried. */
  notice(text: string): void {
    this.notices.push(text);
  }
}
