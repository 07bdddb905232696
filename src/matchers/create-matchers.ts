import { importSequentially } from "../kernel/import-sequentially.ts";
import { type BaselineCheck, type WorkflowStep, baselineMatcher, sessionMatcher } from "./baseline-matcher.ts";
import type * as checks from "./lazy/check-entry.ts";
import type { AsyncMatcher } from "./matcher-context.ts";
import { loadFailureEntry } from "./lazy/load-failure-entry.ts";
import type { RunInSession } from "./test-session.ts";
import {
  toBeOk,
  toBlockOn,
  toCall,
  toCallInOrder,
  toCommand,
  toEmitEvent,
  toEqualByKey,
  toFailWith,
  toFollowTrajectory,
  toHaveValidCommands,
  toInvoke,
  toStayWithin,
} from "./lazy/sync-matchers.ts";
import type { PureOptions } from "./to-be-pure.ts";
import type { MatchBaselineOptions } from "./to-match-baseline.ts";
import type { RecomputeCleanOptions } from "./to-recompute-clean.ts";
import type { ReplayOptions } from "./to-replay.ts";
import type * as unchanged from "./unchanged-value.ts";

/** Parts of matchers that extras bring; an entry hands them in, because the core imports no extra. */
export interface ExtraMatchers {
  /** Loads the check of each matcher, by the matcher's name. */
  readonly checks: Readonly<Record<string, () => Promise<BaselineCheck<object>>>>;
  /** Turns a workflow into one step that runs all of it. */
  readonly workflowStep: WorkflowStep;
}

/** The core's matchers by name. */
export interface Matchers {
  readonly toMatchBaseline: AsyncMatcher<MatchBaselineOptions>;
  readonly toRecomputeClean: AsyncMatcher<RecomputeCleanOptions>;
  readonly toReplay: AsyncMatcher<ReplayOptions>;
  readonly toBePure: AsyncMatcher<PureOptions>;
  readonly toBeOk: typeof toBeOk;
  readonly toFailWith: typeof toFailWith;
  readonly toEmitEvent: typeof toEmitEvent;
  readonly toCommand: typeof toCommand;
  readonly toInvoke: typeof toInvoke;
  readonly toBlockOn: typeof toBlockOn;
  readonly toHaveValidCommands: typeof toHaveValidCommands;
  readonly toEqualByKey: typeof toEqualByKey;
  readonly toStayWithin: typeof toStayWithin;
  readonly toCall: typeof toCall;
  readonly toCallInOrder: typeof toCallInOrder;
  readonly toFollowTrajectory: typeof toFollowTrajectory;
}

/**
 * All matchers, as `expect.extend` takes them; the baseline ones run within the session of the calling test, and are
 * loaded by `loadChecks` when one is first called.
 */
export function createMatchers(
  runInSession: RunInSession,
  loadChecks: () => Promise<typeof checks>,
  extra: ExtraMatchers,
): Matchers {
  const { workflowStep } = extra;
  const ofExtras: Record<string, AsyncMatcher<object>> = {};
  for (const [name, load] of Object.entries(extra.checks))
    ofExtras[name] = sessionMatcher(name, { runInSession, load });
  return {
    ...ofExtras,
    toMatchBaseline: baselineMatcher("toMatchBaseline", {
      runInSession,
      workflowStep,
      load: async () => (await loadChecks()).toMatchBaseline,
      loadUsual: loadUnchangedValue,
    }),
    toRecomputeClean: baselineMatcher("toRecomputeClean", {
      runInSession,
      workflowStep,
      load: async () => (await loadChecks()).toRecomputeClean,
    }),
    toReplay: baselineMatcher("toReplay", {
      runInSession,
      workflowStep,
      load: async () => (await loadChecks()).toReplay,
    }),
    // A module that few tests need: most never load it.
    toBePure: baselineMatcher("toBePure", {
      runInSession,
      workflowStep,
      load: async () => (await loadFailureEntry()).toBePure,
    }),
    toBeOk,
    toFailWith,
    toEmitEvent,
    toCommand,
    toInvoke,
    toBlockOn,
    toHaveValidCommands,
    toEqualByKey,
    toStayWithin,
    toCall,
    toCallInOrder,
    toFollowTrajectory,
  };
}

/** Loads what answers for values that did not change: a twentieth of what a check loads. */
async function loadUnchangedValue(): Promise<typeof unchanged.unchangedValue> {
  return (await importSequentially(async () => import("./unchanged-value.ts"))).unchangedValue;
}
