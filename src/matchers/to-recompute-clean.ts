import type { TestSession } from "./test-session.ts";
import type { CallScope } from "../kernel/call-role.ts";
import type { CompareBy } from "../kernel/diff/compare-rules.ts";
import { type StoredCase, openLibrary } from "../baseline/baseline-library.ts";
import { checkAll } from "../check-all/check-all.ts";
import { type AdapterMode, type TestMode, responseSource } from "../check/adapter-mode.ts";
import type { TrialPlan } from "../check/check-trials.ts";
import type { Case, Check, CheckContext } from "../check/check.ts";
import type { Budget } from "../check/costs.ts";
import { storedCase } from "../check/find-case.ts";
import { type CheckRules, withCheckRules } from "../redact/check-rules.ts";
import type { WorkflowStepOptions } from "../kernel/step/whole-run.ts";
import type { BaseAdapters } from "../kernel/step/context.ts";
import {
  noBaselinesResult,
  matcherResultOf,
  checkOptionsOf,
  checkAndExplain,
  modeOf,
  stageUpdates,
  sourceText,
} from "./check-in-session.ts";
import type { MatcherCall } from "./baseline-matcher.ts";
import type { MatcherResult } from "./matcher-context.ts";
import { type CaseFilter, filterCases } from "./filter-cases.ts";
import { loadFailureEntry } from "./lazy/load-failure-entry.ts";
import { isStep } from "../kernel/step/define-step.ts";
import { wrongReceived } from "./received.ts";
import { rerunCommand } from "../explain/rerun-command.ts";

/** Options of `toRecomputeClean`. */
export interface RecomputeCleanOptions<Adapters extends BaseAdapters = BaseAdapters>
  extends CaseFilter,
    CheckRules,
    WorkflowStepOptions {
  /** Today's adapters. Without them every recorded call is served from its baseline, and nothing outside is touched. */
  readonly adapters?: Adapters;
  /**
   * Whether the adapters are called or recorded answers served, for all or each: `{ llm: "recorded", tools: "live" }`;
   * `scripted` serves them in their order, whatever is asked. Default: called, but in CI served.
   */
  readonly mode?: TestMode;
  /** Parse inputs and observe outputs with the step's schemas. Default true. */
  readonly validate?: boolean;
  /** Check the output of a `partial` step against the whole schema. Default false. */
  readonly strictOutput?: boolean;
  /** How many baselines are recomputed at a time. Default 1, so that adapters with state see one order. */
  readonly concurrency?: number;
  /** What is tolerated of the output, by dot path, instead of the step's own rules. */
  readonly compare?: CompareBy;
  /** What the model calls of one run may cost together; tokens and time count where live adapters are called. */
  readonly within?: Budget;
  /** Which calls count: reads and writes, writes alone, or none. Default: what the step says, else all. */
  readonly calls?: CallScope;
  /** Fails a live check that asks what no answer is recorded for, also with the same result. Default: the project's. */
  readonly strictRequests?: boolean;
  /** Lets writes run where live adapters are called: else they are held, and answered in their place. */
  readonly effects?: "run";
  /** How often each baseline is run, with live adapters only. Default 1. Where recorded answers are served, once. */
  readonly trials?: number;
  /** How many of the trials must be clean. Default: all of them. */
  readonly min?: number;
}

/**
 * Recomputes every stored baseline of the step beside this test file and fails when one comes out differently.
 *
 * @example
 * await expect(extractReceipt).toRecomputeClean();             // recorded answers: did the code change anything?
 * await expect(extractReceipt).toRecomputeClean({ adapters }); // live: did prompt or model change anything?
 * await expect(extractReceipt).toRecomputeClean({ adapters, trials: 10, min: 9 });
 * await expect(extractReceipt).toRecomputeClean({ adapters, within: { maxTokens: 2_000 } });
 */
export async function toRecomputeClean(call: MatcherCall<RecomputeCleanOptions>): Promise<MatcherResult> {
  return withCheckRules(call.options ?? {}, async () => sweep(call));
}

async function sweep(call: MatcherCall<RecomputeCleanOptions>): Promise<MatcherResult> {
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
  const world = { root, responses: responseSource(adapterMode, adapters, chosen.each), ...demands };
  const checkOne = async (stored: StoredCase): Promise<Check> => {
    const one = storedCase(received, stored);
    return plan === undefined ? checkAndExplain(session, one, world) : tryOften(session, one, { world, plan });
  };
  const checks: Check[] = [];
  for await (const check of checkAll(cases, checkOne, { concurrency })) checks.push(check);
  if (checks.length === 0) return noBaselinesResult({ step: received.name, root, mode, options });
  const written = new Set(session.staged.keys());
  const settled = await stageUpdates(checks, session);
  const sources = new Set(checks.map(({ source }) => source));
  const how = `recompute with ${sourceText(sources.size === 1 ? checks[0]?.source : undefined, chosen)}`;
  const rerun = (): string => rerunCommand(call.context, session);
  return matcherResultOf({
    subject: received.name,
    how,
    settled,
    mode,
    updatable: true,
    utils,
    rerun,
    given: adapters !== undefined,
    written,
  });
}

async function tryOften(
  session: TestSession,
  request: Case,
  { world: context, plan }: { readonly world: CheckContext; readonly plan: TrialPlan },
): Promise<Check> {
  const { checkTrials } = await loadFailureEntry();
  return session.traceCheck(request.step.name, () => checkTrials(request, context, plan));
}

/** Trials beyond this are a mistake in a number, not a test. */
const MAX_TRIALS = 1000;

/**
 * Reads the trials of a matcher call; undefined for none, and where recorded answers are served, which would come out
 * the same each time. Throws a TypeError for numbers that make no plan, and for trials without live adapters.
 */
function readPlan(
  options: { readonly trials?: number; readonly min?: number; readonly adapters?: object; readonly mode?: TestMode },
  mode: AdapterMode,
): TrialPlan | undefined {
  const { trials, adapters } = options;
  if (trials === undefined) {
    if (options.min !== undefined)
      throw new TypeError("toRecomputeClean: min counts trials: give both, { trials: 10, min: 9 }.");
    return undefined;
  }
  if (!isCount(trials) || trials > MAX_TRIALS)
    throw new TypeError(
      `toRecomputeClean: trials must be a whole number from 1 to ${MAX_TRIALS}, got ${String(trials)}.`,
    );
  const { min = trials } = options;
  if (!isCount(min) || min > trials)
    throw new TypeError(
      `toRecomputeClean: min must be a whole number from 1 to trials (${trials}), got ${String(min)}.`,
    );
  if (adapters === undefined)
    throw new TypeError(
      "toRecomputeClean: trials need live adapters, for recorded answers are the same each time: " +
        "give { adapters, trials }.",
    );
  if (options.mode !== undefined && options.mode !== "live")
    throw new TypeError(
      `toRecomputeClean: trials need live adapters, and mode is ${JSON.stringify(options.mode)}. ` +
        "Leave one of them out.",
    );
  return mode === "live" ? { trials, min } : undefined;
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}
