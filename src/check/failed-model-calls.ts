import { isArray, isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import { type AdapterCall, FETCH, isMethodCall, isStreamResponse } from "../record/adapter-call.ts";
import { decode } from "../record/encode/decode.ts";
import { type ServiceFailure, failureOfStatus, failureOfThrown, isAborted } from "./cause/service-failure.ts";
import type { ExecutedCase } from "./run/execute-case.ts";
import { loadCalls, roleRulesOf } from "./step-call-rules.ts";

/** Code of a live run in which no model responded, and whose step handled that. */
export const MODEL_FAILED = "model_failed";

/**
 * Describes the outages and refused keys of a run in which no model responded: `2 requests to a model failed (401)`.
 * Undefined if one did, as after a retry or from another model, or if a model refused a request for its content.
 */
export async function modelOutageText(calls: readonly AdapterCall[], step: AnyStep): Promise<string | undefined> {
  const outcomes = await modelOutcomes(calls, step);
  const failures = outcomes.filter((failure) => failure !== undefined);
  if (failures.length === 0 || failures.length < outcomes.length) return undefined;
  const status = failures.find((failure) => failure.status !== undefined)?.status;
  const requests = failures.length === 1 ? "1 request" : `${failures.length} requests`;
  return `${requests} to a model failed${status === undefined ? "" : ` (${status})`}`;
}

/**
 * Returns the error of a live run that would replace recorded responses of models by an outage: an SDK or a step may
 * handle the error, and return an empty text. Undefined if no model responded in the recording either.
 */
export async function modelFailedError({ source, baseline, stepCase }: ExecutedCase): Promise<StepError | undefined> {
  if (baseline === undefined || source.kind === "recorded") return undefined;
  const outage = await modelOutageText(source.calls(), stepCase.step);
  if (outage === undefined) return undefined;
  const recorded = await modelOutcomes(baseline.calls, stepCase.step);
  if (!recorded.includes(undefined)) return undefined;
  return kernelError(
    MODEL_FAILED,
    `${outage}, and the step handled the error. Its result isn't stored, because the recording has a response. ` +
      "Run the test again when the model responds. To store this result, first delete the baseline.",
  );
}

/** Returns the failure of each request to a model; undefined for one that a model responded to. */
async function modelOutcomes(
  calls: readonly AdapterCall[],
  step: AnyStep,
): Promise<readonly (ServiceFailure | undefined)[]> {
  const { createRoleResolver } = await loadCalls();
  const roleOf = createRoleResolver(...roleRulesOf(step));
  return calls.filter((call) => isMethodCall(call) && !isUnread(call) && roleOf(call) === "model").map(failureOf);
}

/** Returns true for a stream without a chunk: a helper of the client, such as `finalText()`, has the response. */
function isUnread({ response, error }: AdapterCall): boolean {
  return isStreamResponse(response) && response.chunks.length === 0 && error === undefined;
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
