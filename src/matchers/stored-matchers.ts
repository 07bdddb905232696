import { importSequentially } from "../kernel/import-sequentially.ts";
import type { StoredMatcher } from "./baseline-matcher.ts";
import { loadCheckEntry } from "./lazy/load-check-entry.ts";
import { loadFailureEntry } from "./lazy/load-failure-entry.ts";
import type { PureOptions } from "./to-be-pure.ts";
import type { MatchBaselineOptions } from "./to-match-baseline.ts";
import type { RecomputeCleanOptions } from "./to-recompute-clean.ts";
import type { ReplayOptions } from "./to-replay.ts";

/** Options of each matcher over stored baselines, by its name: the types of both runners follow from it. */
export interface StoredOptions {
  /**
   * Captures a baseline in the first run, and compares later runs with it. Await it.
   *
   * @example
   * await expect(extractReceipt).toMatchBaseline({ input, adapters });
   * await expect(summary).toMatchBaseline({ name: "summary", keyBy: { claims: "id" } });
   */
  toMatchBaseline: MatchBaselineOptions;
  /**
   * Runs the step for each of its baselines next to this test file, and compares the results. Await it.
   *
   * @example
   * await expect(extractReceipt).toRecomputeClean();
   * await expect(extractReceipt).toRecomputeClean({ adapters, mode: "live", trials: 10, min: 9 });
   */
  toRecomputeClean: RecomputeCleanOptions;
  /**
   * Replays each baseline of the step next to this test file, and compares byte by byte. Await it.
   *
   * @example
   * await expect(extractReceipt).toReplay();
   */
  toReplay: ReplayOptions;
  /**
   * Checks that the step uses time, random numbers and the network only through its adapters. Always `await` it.
   *
   * @example
   * await expect(extractReceipt).toBePure({ input, adapters });
   */
  toBePure: PureOptions;
}

/** The matchers over stored baselines. A row loads the matcher's check when a test first calls it. */
export const STORED_MATCHERS: StoredTable<StoredOptions> = {
  toMatchBaseline: {
    load: async () => (await loadCheckEntry()).toMatchBaseline,
    // A twentieth of what a check loads.
    loadUsual: async () => (await importSequentially(async () => import("./unchanged-value.ts"))).unchangedValue,
  },
  toRecomputeClean: { load: async () => (await loadCheckEntry()).toRecomputeClean },
  toReplay: { load: async () => (await loadCheckEntry()).toReplay },
  // In the part that failures load, because few tests need it.
  toBePure: { load: async () => (await loadFailureEntry()).toBePure },
};

/** Rows of matchers with these options. */
export type StoredTable<Options> = { readonly [Name in keyof Options]: StoredMatcher<Options[Name]> };
