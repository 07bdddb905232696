import type { CompareBy } from "../base/compare-rules.ts";
import { type StoredCase, openLibrary } from "../baseline/library.ts";
import type { AdapterMode } from "../check/adapter-mode.ts";
import { type Budget, checkBudget } from "../check/costs.ts";
import type { Check } from "../check/check.ts";
import { recomputeCase } from "../check/recompute-case.ts";
import type { RecomputeQuestion } from "../check/recompute-once.ts";
import { type CheckRules, underRules } from "../redact/check-rules.ts";
import type { BaseAdapters } from "../step/context.ts";
import type { AnyStep } from "../step/define-step.ts";
import { answerNone, answerOf } from "./answer-of.ts";
import { checkAll } from "./check-all.ts";
import type { MatcherCall } from "./baseline-matcher.ts";
import type { MatcherAnswer } from "./context.ts";
import { explained } from "./explained.ts";
import { type CaseFilter, filterCases } from "./filter-cases.ts";
import { loadFailurePath } from "./load-failure-path.ts";
import { modeOf, sourceWords } from "./mode-of.ts";
import { isStep, wrongReceived } from "./received.ts";
import { rerunCommand } from "./rerun-command.ts";
import { settleChecks } from "./settle-check.ts";
import { type TrialPlan, readPlan } from "./trial-plan.ts";

/** Options of `toRecomputeClean`. */
export interface RecomputeCleanOptions extends CaseFilter, CheckRules {
  /** Today's adapters. Without them every recorded call is served from its baseline, and nothing outside is touched. */
  readonly adapters?: BaseAdapters;
  /** Whether the adapters are called or recorded answers served. Default: called, but in CI served. */
  readonly mode?: AdapterMode;
  /** Parse inputs and observe outputs with the step's schemas. Default true. */
  readonly validate?: boolean;
  /** Check outputs against the whole output schema instead of the partial one. Default false. */
  readonly strictOutput?: boolean;
  /** How many baselines are recomputed at a time. Default 1, so that adapters with state see one order. */
  readonly concurrency?: number;
  /** What is tolerated of the output, by dot path, instead of the step's own rules. */
  readonly compare?: CompareBy;
  /** What the model calls of one run may cost together; tokens and time count where live adapters are called. */
  readonly within?: Budget;
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
export async function toRecomputeClean(call: MatcherCall<RecomputeCleanOptions>): Promise<MatcherAnswer> {
  return underRules(call.options ?? {}, async () => sweep(call));
}

async function sweep(call: MatcherCall<RecomputeCleanOptions>): Promise<MatcherAnswer> {
  const { received, options = {}, session, utils } = call;
  if (!isStep(received)) throw wrongReceived("toRecomputeClean", "a step made by defineStep", received);
  const { root, mode } = session;
  const { adapters, validate, strictOutput, compare, within, concurrency = 1 } = options;
  if (within !== undefined) checkBudget(within, "toRecomputeClean: within");
  const adapterMode = modeOf(options, session).mode;
  const plan = readPlan(options, adapterMode);
  const library = openLibrary(root, session.staged);
  const cases = filterCases(library.each(received.name), options);
  const question = { root, adapters, mode: adapterMode, validate, strictOutput, compare, within };
  const checks = await checkAll(cases, concurrency, (stored) => checkCase(received, stored, { question, plan }));
  if (checks.length === 0) return answerNone({ step: received.name, root, mode, options });
  const written = new Set(session.staged.keys());
  const settled = await settleChecks(checks, session);
  const sources = new Set(checks.map(({ source }) => source));
  const how = `recompute with ${sourceWords(sources.size === 1 ? checks[0]?.source : undefined, adapterMode)}`;
  const rerun = (): string => rerunCommand(call.context, session);
  return answerOf({
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

async function checkCase(
  step: AnyStep,
  stored: StoredCase,
  { question, plan }: { readonly question: RecomputeQuestion; readonly plan: TrialPlan | undefined },
): Promise<Check> {
  if (plan === undefined) return explained(async () => recomputeCase(step, stored, question));
  const { checkTrials } = await loadFailurePath();
  const started = performance.now();
  return { ...(await checkTrials(step, stored, { ...question, ...plan })), ms: performance.now() - started };
}
