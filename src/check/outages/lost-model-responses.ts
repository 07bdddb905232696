import type { CallRole } from "../../kernel/call-role.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { type StepError, kernelError } from "../../kernel/step/fail.ts";
import { memberOf } from "../../kernel/json/plain-data.ts";
import { type AdapterCall, isMethodCall, isStreamResponse } from "../../record/adapter-call.ts";
import { httpRequestOf } from "../../record/model-call.ts";
import { succeededLater } from "../../record/recorded-retries.ts";
import type { ServiceFailure } from "../cause/cause.ts";
import { modelFailureOf } from "./failure-of-call.ts";
import type { ExecutedCase } from "../run/execute-case.ts";
import { loadCalls, roleRulesOf } from "../step-call-rules.ts";

/** Code of a live run whose step handled an outage of a model, so that it has fewer responses than the recording. */
export const MODEL_FAILED = "model_failed";

/**
 * Describes the outages and refused keys of a run: `2 requests to a model failed (401)`. Undefined if there are none,
 * apart from requests that a model responded to when they were sent again.
 */
export async function modelOutageText(calls: readonly AdapterCall[], step: AnyStep): Promise<string | undefined> {
  const outages = unanswered(withoutAborted(modelOutcomes(calls, await roleResolver(step))));
  return outages.length === 0 ? undefined : outageText(outages);
}

/**
 * Returns the error of a live run that would replace recorded responses of models by an outage: an SDK or a step may
 * handle the error, and return an empty or a partial text.
 */
export async function modelFailedError({ source, baseline, stepCase }: ExecutedCase): Promise<StepError | undefined> {
  if (baseline === undefined || source.kind === "recorded") return undefined;
  const outage = newOutageText(source.calls(), baseline.calls, { roleOf: await roleResolver(stepCase.step) });
  if (outage === undefined) return undefined;
  return kernelError(
    MODEL_FAILED,
    `${outage}, and the step handled the error. Its result isn't stored, because the recording has a ` +
      "response. Run the test again when the model responds, or with recorded responses: VERITEST_MODE=replay",
  );
}

/**
 * Describes the outages of a run that has fewer responses of models than a recording. Undefined if the recording has
 * the same outages, and if another model took over: the run has as many responses, and the last of them is its end.
 */
export function newOutageText(
  calls: readonly AdapterCall[],
  recording: readonly AdapterCall[],
  { roleOf, isOtherInput = false }: { readonly roleOf: RoleResolver; readonly isOtherInput?: boolean },
): string | undefined {
  const outcomes = modelOutcomes(calls, roleOf);
  const outages = unanswered(outcomes);
  if (outages.length === 0) return undefined;
  const recorded = modelOutcomes(recording, roleOf);
  const known = Map.groupBy(unanswered(recorded), targetOf);
  const isNew = [...Map.groupBy(outages, targetOf)].some(
    ([target, of]) => of.length > (known.get(target)?.length ?? 0),
  );
  const last = withoutAborted(outcomes).at(-1);
  const endsInOutage = last?.failure !== undefined && withoutAborted(recorded).at(-1)?.failure === undefined;
  // The recording may have an outage of this model, but before its end.
  const hadResponse =
    endsInOutage && recorded.some((outcome) => outcome.failure === undefined && targetOf(outcome) === targetOf(last));
  const responses = responsesIn(recorded);
  // Another input may need fewer responses. Then responses of models that aren't in the recording make up for outages.
  const isTakenOver = isOtherInput && newResponsesIn(outcomes, recorded) >= outages.length;
  const costsNone = responses === 0 || (!endsInOutage && (responsesIn(outcomes) >= responses || isTakenOver));
  return costsNone || !(isNew || hadResponse) ? undefined : outageText(outages);
}

type RoleResolver = (call: AdapterCall) => CallRole;

async function roleResolver(step: AnyStep): Promise<RoleResolver> {
  const { createRoleResolver } = await loadCalls();
  return createRoleResolver(...roleRulesOf(step));
}

/** A request to a model. */
interface ModelOutcome {
  readonly call: AdapterCall;
  /** Why it failed; undefined for one that a model responded to. */
  readonly failure: ServiceFailure | undefined;
  /** Index among all calls of methods. */
  readonly index: number;
}

/** Models whose response isn't what a step returns: it may do without one, and still ask another model. */
const AUXILIARY = new RegExp(
  "(?:^|[/:.])(?:(?:do)?embed(?:dings?|many|contents?|query|documents?)?|batchEmbedContents|moderations?|rerank|" +
    String.raw`count_?tokens)(?:\.create)?(?:\?|$)`,
  "i",
);

/** Returns the requests to models; those to embeddings, moderations and the like only if there are no others. */
function modelOutcomes(calls: readonly AdapterCall[], roleOf: RoleResolver): readonly ModelOutcome[] {
  const requests = calls
    .filter(isMethodCall)
    .map((call, index) => ({ call, index }))
    .filter(({ call }) => !isUnread(call) && roleOf(call) === "model");
  const main = requests.filter(({ call }) => !AUXILIARY.test(httpRequestOf(call)?.path ?? call.adapter));
  return (main.length === 0 ? requests : main).map((each) => ({ ...each, failure: modelFailureOf(each.call) }));
}

/**
 * Returns the outcomes without requests that were aborted while a model responded to another one. The step may not have
 * needed their responses, or its client has a time limit: a run with fewer responses is an outage.
 */
function withoutAborted(outcomes: readonly ModelOutcome[]): readonly ModelOutcome[] {
  if (responsesIn(outcomes) === 0) return outcomes;
  const isParallel = (at: number): boolean =>
    [at, at + 1].some((index) => outcomes[index]?.call.parallel !== undefined);
  return outcomes.filter(({ failure }, at) => failure?.kind !== "aborted" || !isParallel(at));
}

/** Returns the failed requests without those that were sent again, and then succeeded. */
function unanswered(outcomes: readonly ModelOutcome[]): readonly ModelOutcome[] {
  const hasFailed = ({ failure }: ModelOutcome): boolean => failure !== undefined;
  const failed = outcomes.filter(hasFailed);
  if (failed.length === 0) return [];
  const repeated = new Set(succeededLater(outcomes, hasFailed));
  return failed.filter((outcome) => !repeated.has(outcome));
}

function outageText(outages: readonly ModelOutcome[]): string {
  const status = outages.find(({ failure }) => failure?.status !== undefined)?.failure?.status;
  const requests = outages.length === 1 ? "1 request" : `${outages.length} requests`;
  return `${requests} to a model failed${status === undefined ? "" : ` (${status})`}`;
}

/** Returns the service and the model of a request, as JSON. */
function targetOf({ call }: ModelOutcome): string {
  const http = httpRequestOf(call);
  const options = http === undefined ? memberOf(call.request, 0) : http.body;
  return JSON.stringify([call.adapter, http?.origin, http?.path, memberOf(options, "model")]);
}

function responsesIn(outcomes: readonly ModelOutcome[]): number {
  return outcomes.filter(({ failure }) => failure === undefined).length;
}

/** Number of responses of models that the recording doesn't have a response of. */
function newResponsesIn(outcomes: readonly ModelOutcome[], recorded: readonly ModelOutcome[]): number {
  const known = new Set(recorded.filter(({ failure }) => failure === undefined).map(targetOf));
  return responsesIn(outcomes.filter((outcome) => !known.has(targetOf(outcome))));
}

/** Returns true for a call without a response: the call that reads its stream or promise has it, or the error. */
function isUnread({ response, open, ...call }: AdapterCall): boolean {
  if (Object.hasOwn(call, "error")) return false;
  return open === true || (isStreamResponse(response) && response.chunks.length === 0);
}
