import { isArray, isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import { type AdapterCall, FETCH, isMethodCall, isStreamResponse } from "../record/adapter-call.ts";
import { decode } from "../record/encode/decode.ts";
import { httpRequestOf } from "../record/model-call.ts";
import { requestIdentity } from "../record/request-keys.ts";
import { type ServiceFailure, failureOfStatus, failureOfThrown, isAborted } from "./cause/service-failure.ts";
import type { ExecutedCase } from "./run/execute-case.ts";
import { loadCalls, roleRulesOf } from "./step-call-rules.ts";

/** Code of a live run whose step handled an outage of a model, so that it has fewer responses than the recording. */
export const MODEL_FAILED = "model_failed";

/**
 * Describes the outages and refused keys of a run: `2 requests to a model failed (401)`. Undefined if there are none,
 * apart from requests that a model responded to when they were sent again.
 */
export async function modelOutageText(calls: readonly AdapterCall[], step: AnyStep): Promise<string | undefined> {
  return outageText(await modelOutcomes(calls, step));
}

/**
 * Returns the error of a live run that would replace recorded responses of models by an outage: an SDK or a step may
 * handle the error, and return an empty or a partial text. Undefined if another model took over: the run has as many
 * responses, and the last of them is its end. So has one whose recording ends in an outage, too.
 */
export async function modelFailedError({ source, baseline, stepCase }: ExecutedCase): Promise<StepError | undefined> {
  if (baseline === undefined || source.kind === "recorded") return undefined;
  const outcomes = await modelOutcomes(source.calls(), stepCase.step);
  const outage = outageText(outcomes);
  if (outage === undefined) return undefined;
  const recorded = await modelOutcomes(baseline.calls, stepCase.step);
  const endsInOutage = outcomes.at(-1)?.failure !== undefined && recorded.at(-1)?.failure === undefined;
  const responses = responsesIn(recorded);
  if (responses === 0 || (!endsInOutage && responsesIn(outcomes) >= responses)) return undefined;
  return kernelError(
    MODEL_FAILED,
    `${outage}, and the step handled the error. Its result isn't stored, because the recording has a response. ` +
      "Run the test again when the model responds. To store this result, first delete the baseline.",
  );
}

/** A request to a model. */
interface ModelOutcome {
  /** Why it failed; undefined for one that a model responded to. */
  readonly failure: ServiceFailure | undefined;
  readonly call: AdapterCall;
}

/** Models whose response isn't what a step returns: it may do without one, and still ask another model. */
const AUXILIARY = /embed|moderation|rerank|classif|count_?tokens/i;

/** Returns the requests to models; those to embeddings, moderations and the like only if there are no others. */
async function modelOutcomes(calls: readonly AdapterCall[], step: AnyStep): Promise<readonly ModelOutcome[]> {
  const { createRoleResolver } = await loadCalls();
  const roleOf = createRoleResolver(...roleRulesOf(step));
  const requests = calls.filter((call) => isMethodCall(call) && !isUnread(call) && roleOf(call) === "model");
  const main = requests.filter((call) => !AUXILIARY.test(httpRequestOf(call)?.path ?? call.adapter));
  return (main.length === 0 ? requests : main).map((call) => ({ failure: failureOf(call), call }));
}

function outageText(outcomes: readonly ModelOutcome[]): string | undefined {
  if (outcomes.every(({ failure }) => failure === undefined)) return undefined;
  const responded = new Set(outcomes.filter(({ failure }) => failure === undefined).map(identityOf));
  const failures = outcomes.flatMap((outcome) =>
    outcome.failure === undefined || responded.has(identityOf(outcome)) ? [] : [outcome.failure],
  );
  if (failures.length === 0) return undefined;
  const status = failures.find((failure) => failure.status !== undefined)?.status;
  const requests = failures.length === 1 ? "1 request" : `${failures.length} requests`;
  return `${requests} to a model failed${status === undefined ? "" : ` (${status})`}`;
}

function identityOf({ call: { adapter, request } }: ModelOutcome): string {
  return requestIdentity(adapter, request);
}

function responsesIn(outcomes: readonly ModelOutcome[]): number {
  return outcomes.filter(({ failure }) => failure === undefined).length;
}

/** Returns true for a call without a response: the call that reads its stream or promise has it, or the error. */
function isUnread({ response, open, ...call }: AdapterCall): boolean {
  if (Object.hasOwn(call, "error")) return false;
  return open === true || (isStreamResponse(response) && response.chunks.length === 0);
}

function failureOf(call: AdapterCall): ServiceFailure | undefined {
  const failure = Object.hasOwn(call, "error") ? failureOfError(call) : failureOfResponse(call);
  return failure?.kind === "refused" ? undefined : failure;
}

const UNAVAILABLE: ServiceFailure = { kind: "unavailable", status: undefined };

/** The SDKs of OpenAI and Anthropic throw it at their own timeout. The class isn't recorded. */
const TIMED_OUT = "Request timed out.";

function failureOfError({ error, response, aborted }: AdapterCall): ServiceFailure | undefined {
  const thrown = decoded(error);
  const failure = failureOfThrown(thrown) ?? reportedFailure(thrown);
  if (failure !== undefined) return failure;
  // A step may abort a stream when it has what it needs.
  if (isStreamResponse(response) && response.chunks.length > 0) return undefined;
  return fieldOf(thrown, "message") === TIMED_OUT || aborted === true || isAborted(thrown) ? UNAVAILABLE : undefined;
}

function decoded(error: unknown): unknown {
  try {
    return decode(error);
  } catch {
    // A codec of the user's may throw for a field of it.
    return undefined;
  }
}

function failureOfResponse({ adapter, response }: AdapterCall): ServiceFailure | undefined {
  if (isStreamResponse(response)) return firstFailure(response.chunks);
  // A field `status` of another adapter's response may be data.
  if (adapter !== FETCH || !isPlainObject(response)) return undefined;
  return failureOfStatus(response["status"]) ?? failureOfBody(response["body"]);
}

/** Returns the failure of a body that its server sent with status 200. */
function failureOfBody(body: unknown): ServiceFailure | undefined {
  if (!isPlainObject(body)) return undefined;
  const { text, json = parsedJson(String(text)), chunks, error, aborted } = body;
  if (!isArray(chunks)) return firstFailure(isArray(json) ? json : [json]);
  // As above, a step may abort what it has read a part of, but a timeout isn't its choice.
  if (error !== undefined && (aborted !== true || chunks.length === 0)) return UNAVAILABLE;
  return firstFailure(chunks.map(eventData)) ?? failureOfThrown(decoded(error));
}

/** Returns the JSON of a server-sent event; undefined for other chunks. */
function eventData(chunk: unknown): unknown {
  return parsedJson(String(chunk).replaceAll(/^(?!data:).*$|^data:/gm, ""));
}

function firstFailure(events: readonly unknown[]): ServiceFailure | undefined {
  return events.map(reportedFailure).find((failure) => failure !== undefined);
}

/** Types and codes of errors by which OpenAI and Anthropic report in a response with status 200 that they failed. */
const OUTAGES = /^(?:(?:overloaded|api|rate_limit|timeout|server)_error|rate_limit_exceeded|insufficient_quota)$/;

/**
 * Returns the failure that an event or an error of a client reports: OpenAI's `{ error: { type } }`, and `{ code }` or
 * `{ response: { error: { code } } }` of its Responses API, Anthropic's `{ error: { type } }`, Gemini's
 * `{ error: { code: 503 } }`, and a status code in events of the AI SDK.
 */
function reportedFailure(event: unknown): ServiceFailure | undefined {
  const error = fieldOf(event, "error");
  for (const each of [event, error, fieldOf(error, "error"), fieldOf(fieldOf(event, "response"), "error")]) {
    const names = ["code", "statusCode", "type"].map((name) => fieldOf(each, name));
    if (names.some((name) => OUTAGES.test(String(name)))) return UNAVAILABLE;
    const failure = names.map(failureOfStatus).find((status) => status !== undefined);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  const field: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  return field;
}
