export type { KeyBy, KeyFn } from "../base/compare-rules.ts";

/** One difference: where, and what stood there before and after. `undefined` means absent. */
export interface DiffEntry {
  readonly path: readonly (string | number)[];
  readonly before: unknown;
  readonly after: unknown;
}

/** All differences of two values, in path order; `equal` is true exactly when there are none. */
export interface DiffResult {
  readonly equal: boolean;
  readonly entries: readonly DiffEntry[];
}

/** The diff of values that are the same. */
export const NO_DIFFERENCES: DiffResult = { equal: true, entries: [] };
