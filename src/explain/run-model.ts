import type { ShapeGroup } from "./change-groups.ts";
import type { ReportCase, ReportUsage } from "./report-case.ts";

/** Numbers of cases. Each case is counted once from `passed` to `requestChanged`: these add up to `total`. */
export interface ReportCounts {
  readonly total: number;
  /** Clean, or captured or updated by this run. */
  readonly passed: number;
  readonly changed: number;
  readonly commandsChanged: number;
  readonly callsChanged: number;
  readonly schemaViolations: number;
  readonly failed: number;
  readonly broken: number;
  readonly missing: number;
  readonly obsolete: number;
  /** Class `request_changed`: the run stopped at an unrecorded request, so there is nothing to compare. */
  readonly requestChanged: number;
  /** Number of captured cases. `passed` includes them. */
  readonly captured: number;
  readonly updated: number;
  /** Pending updates: skipped writes and changes staged for review. */
  readonly pending: number;
}

/** Shard of a run that a runner splits into several. */
export interface RunShard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/** Environment of a run. */
export interface ReportEnvironment {
  readonly veritest: string;
  /** Null for the command line. */
  readonly runner: { readonly name: string; readonly version: string } | null;
  readonly node: string;
  readonly platform: string;
  readonly ci: boolean;
  /** Adapter mode from `VERITEST_MODE` or the configuration. */
  readonly adapterMode: string | null;
  readonly shard: RunShard | null;
  /** Absent in files of before. */
  readonly source?: ReportSource | undefined;
}

/** Code that a run checked, and its command. Null if unknown. */
export interface ReportSource {
  readonly commit: string | null;
  readonly branch: string | null;
  /** Number of the pull request or merge request. */
  readonly pullRequest: string | null;
  readonly command: string | null;
}

/** Result of the run's updates. */
export interface ReportAppliedUpdates {
  readonly receipt: string | null;
  /** Reasons why updates are pending, a sentence each. */
  readonly because: readonly string[];
}

/** Cases of a run that changed in the same way. */
export interface ReportGroup extends Omit<ShapeGroup<number>, "members" | "hash"> {
  /** Number of them that are pending. */
  readonly pending: number;
  /** Indexes in the run's `cases`, in order; the first is the example. */
  readonly cases: readonly number[];
}

/** All that is known of one run: what every format is made of, and what shards are merged from. Plain JSON. */
export interface RunModel {
  readonly version: 2;
  /**
   * `error`: something is broken, or the run itself can't be trusted. `fail`: something changed, failed or is pending.
   */
  readonly status: "pass" | "fail" | "error";
  /** One sentence: `12 baselines, 11 clean, 1 changed`. */
  readonly summary: string;
  readonly counts: ReportCounts;
  /** ISO 8601 in UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly environment: ReportEnvironment;
  /** Cases by step, the worst first, and then by baseline. */
  readonly cases: readonly ReportCase[];
  /** The cases that need a look or wait for review, each in one group: what to look at first, first. */
  readonly groups: readonly ReportGroup[];
  /** Usage of live calls alone. */
  readonly usage: ReportUsage;
  /** Runs of cases that were trials, of live adapters. */
  readonly trials: number;
  /** Null if the run has no updates. */
  readonly applied: ReportAppliedUpdates | null;
  /** Problems besides the cases, a sentence each. */
  readonly problems: readonly string[];
}
