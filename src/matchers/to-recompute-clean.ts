import type { TestSession } from "./test-session.ts";
import type { CallScope } from "../kernel/call-role.ts";
import { refuseUnknownOptions } from "../kernel/did-you-mean.ts";
import type { CompareBy } from "../kernel/diff/compare-rules.ts";
import { type StoredCase, openLibrary } from "../baseline/baseline-library.ts";
import { checkAll } from "../check-all/check-all.ts";
import { type AdapterMode, type TestMode, responsePlan } from "../check/run/adapter-mode.ts";
import type { TrialPlan } from "../check/check-trials.ts";
import type { Case, Check, CheckContext } from "../check/check.ts";
import type { Budget } from "../check/run/costs.ts";
import { caseOfStored } from "../check/find-case.ts";
import { CHECK_RULES, type CheckRules, withCheckRules } from "../redact/check-rules.ts";
import type { WorkflowStepOptions } from "../kernel/step/whole-run.ts";
import type { BaseAdapters } from "../kernel/step/context.ts";
import {
  noBaselinesResult,
  matcherResultOf,
  checkOptionsOf,
  checkAndExplain,
  stageUpdates,
} from "./check-in-session.ts";
import { modeOf, needsLiveMode, sourceText } from "./matcher-mode.ts";
import type { MatcherCall } from "./baseline-matcher.ts";
import type { MatcherResult } from "./matcher-context.ts";
import { CASE_FILTER, type CaseFilter, filterCases } from "./filter-cases.ts";
import { loadFailureEntry } from "./lazy/load-failure-entry.ts";
import { isStep } from "../kernel/step/define-step.ts";
import { wrongReceived } from "./received.ts";
import { rerunCommand } from "../explain/rerun-command.ts";

/** Options for `toRecomputeClean`. */
export interface RecomputeCleanOptions<Adapters extends BaseAdapters = BaseAdapters>
  extends CaseFilter,
    CheckRules,
    WorkflowStepOptions {
  /** Adapters to call if `mode` is live, or with `-u` for a case with an unrecorded request. */
  readonly adapters?: Adapters;
  /**
   * Source of adapter responses: one mode, or one for each adapter (`{ llm: "replay", tools: "live" }`). `scripted`
   * replays the responses in order and ignores the requests. Default: `replay`. With `-u`, a case with an unrecorded
   * request runs live.
   */
  readonly mode?: TestMode;
  /** Validate inputs and outputs with the step's schemas. Default: true. */
  readonly validate?: boolean;
  /** Require all output fields of a `partial` step. Has no effect on a workflow. Default: false. */
  readonly strictOutput?: boolean;
  /**
   * Number of baselines to recompute at the same time. Default: 1, because the order of adapter calls is then fixed.
   */
  readonly concurrency?: number;
  /** Tolerated differences of the output, by dot path, instead of the step's own rules. */
  readonly compare?: CompareBy;
  /**
   * Limits of one run. The number of model calls is always checked. Tokens, time and cost are only checked in live
   * runs.
   */
  readonly budget?: Budget;
  /** Calls to compare: reads and writes, only writes, or none. Default: the step's own setting, or all. */
  readonly calls?: CallScope;
  /** Fail a live check that sends an unrecorded request, even with the same result. Default: the project's setting. */
  readonly strictRequests?: boolean;
  /** Set to `"run"` to execute writes in live runs. By default, veritest skips writes and uses the recorded results. */
  readonly effects?: "run";
  /** Number of live runs per baseline. Default: 1. A replay runs once. */
  readonly trials?: number;
  /** Number of trials that must be clean. Default: all of them. */
  readonly min?: number;
}

/**
 * Runs the step for each of its baselines next to this test file, and fails if a result differs.
 *
 * @example
 * await expect(extractReceipt).toRecomputeClean(); // replay: did the code change anything?
 * await expect(extractReceipt).toRecomputeClean({ adapters, mode: "live" }); // did prompt or model change anything?
 * await expect(extractReceipt).toRecomputeClean({ adapters, mode: "live", trials: 10, min: 9 });
 * await expect(extractReceipt).toRecomputeClean({ adapters, mode: "live", budget: { maxTokens: 2_000 } });
 */
export async function toRecomputeClean(call: MatcherCall<RecomputeCleanOptions>): Promise<MatcherResult> {
  refuseUnknownOptions("toRecomputeClean", call.options ?? {}, Object.keys(OPTIONS));
  return withCheckRules(call.options ?? {}, async () => recomputeAll(call));
}

const OPTIONS: Readonly<Record<keyof RecomputeCleanOptions, true>> = {
  ...CASE_FILTER,
  ...CHECK_RULES,
  start: true,
  resolve: true,
  runsBy: true,
  adapters: true,
  mode: true,
  validate: true,
  strictOutput: true,
  concurrency: true,
  compare: true,
  budget: true,
  calls: true,
  strictRequests: true,
  effects: true,
  trials: true,
  min: true,
};

async function recomputeAll(call: MatcherCall<RecomputeCleanOptions>): Promise<MatcherResult> {
  const { received, options = {}, session, utils } = call;
  if (!isStep(received)) throw wrongReceived("toRecomputeClean", "a step or a workflow", received);
  const { root, mode } = session;
  const { adapters, concurrency = 1 } = options;
  const demands = checkOptionsOf("toRecomputeClean", options);
  const chosen = modeOf(options, session);
  const adapterMode = chosen.mode;
  const plan = readPlan(options, adapterMode);
  const library = openLibrary(root, session.staged);
  const cases = filterCases(library.each(received.name), options);
  const context = { root, responses: responsePlan(adapterMode, adapters, chosen.perAdapter), ...demands };
  const checkOne = async (stored: StoredCase): Promise<Check> => {
    const request = caseOfStored(received, stored);
    return plan === undefined
      ? checkAndExplain(session, request, context)
      : tryOften(session, request, { context, plan });
  };
  const checks: Check[] = [];
  for await (const check of checkAll(cases, checkOne, { concurrency })) checks.push(check);
  if (checks.length === 0) return noBaselinesResult(session, { step: received.name, options });
  const written = new Set(checks.map(({ path }) => path).filter((path) => session.staged.has(path)));
  const rerunName = adapters === undefined || needsLiveMode(chosen) ? undefined : call.context.currentTestName;
  const applied = await stageUpdates(checks, session, rerunName);
  const sources = new Set(checks.map(({ findings }) => findings.source));
  const how = `recompute with ${sourceText(sources.size === 1 ? checks[0]?.findings.source : undefined, chosen)}`;
  const { testFile, testName } = session;
  const rerun = (): string => rerunCommand(call.context, { testFile, testName, needsLiveMode: needsLiveMode(chosen) });
  return matcherResultOf({
    subject: received.name,
    how,
    checks: applied,
    mode,
    updatable: true,
    session,
    utils,
    rerun,
    given: adapters !== undefined,
    written,
  });
}

async function tryOften(
  session: TestSession,
  request: Case,
  { context, plan }: { readonly context: CheckContext; readonly plan: TrialPlan },
): Promise<Check> {
  const { checkTrials } = await loadFailureEntry();
  return session.traceCheck(request.step.name, () => checkTrials(request, context, plan));
}

/** Trials beyond this are a mistake in a number, not a test. */
const MAX_TRIALS = 1000;

/**
 * Reads the trials of a matcher call; undefined if there are none, and if recorded responses are replayed, which would
 * come out the same each time. Throws a TypeError for invalid numbers, and for trials without live adapters.
 */
function readPlan(
  options: { readonly trials?: number; readonly min?: number; readonly adapters?: object; readonly mode?: TestMode },
  mode: AdapterMode,
): TrialPlan | undefined {
  const { trials, adapters } = options;
  if (trials === undefined) {
    if (options.min !== undefined)
      throw new TypeError(
        "toRecomputeClean: min is the number of trials that must pass, so it needs " +
          "trials. Pass both: { trials: 10, min: 9 }.",
      );
    return undefined;
  }
  if (!isCount(trials) || trials > MAX_TRIALS)
    throw new TypeError(`toRecomputeClean: trials must be an integer from 1 to ${MAX_TRIALS}, got ${String(trials)}.`);
  const { min = trials } = options;
  if (!isCount(min) || min > trials)
    throw new TypeError(`toRecomputeClean: min must be an integer from 1 to trials (${trials}), got ${String(min)}.`);
  if (adapters === undefined)
    throw new TypeError(
      "toRecomputeClean: trials need live adapters, because recorded responses are the same each time. " +
        'Pass { adapters, mode: "live", trials }.',
    );
  if (options.mode !== undefined && options.mode !== "live")
    throw new TypeError(
      `toRecomputeClean: trials need live adapters, but mode is ${JSON.stringify(options.mode)}. Set mode ` +
        `to "live", or remove trials.`,
    );
  return mode === "live" ? { trials, min } : undefined;
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}
