import { isPlainObject } from "../kernel/json/plain-data.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import { type AdapterCall, FETCH, isMethodCall } from "../record/adapter-call.ts";
import { decode } from "../record/encode/decode.ts";
import { isModelCall } from "../record/model-call.ts";
import { type ServiceFailure, failureOfStatus, failureOfThrown } from "./cause/service-failure.ts";
import type { ExecutedCase } from "./run/execute-case.ts";

/** Code of a live run in which no model responded, and whose step handled that. */
export const MODEL_FAILED = "model_failed";

/**
 * Describes the outages and refused keys of a run in which no model responded: `2 requests to a model failed (401)`.
 * Undefined if one did, as after a retry or from another model, or if a model refused a request for its content.
 */
export function modelOutageText(calls: readonly AdapterCall[]): string | undefined {
  const failures: ServiceFailure[] = [];
  for (const call of calls.filter((each) => isMethodCall(each) && isModelCall(each))) {
    const failure = failureOf(call);
    if (failure === undefined) return undefined;
    failures.push(failure);
  }
  if (failures.length === 0) return undefined;
  const status = failures.find((failure) => failure.status !== undefined)?.status;
  const requests = failures.length === 1 ? "1 request" : `${failures.length} requests`;
  return `${requests} to a model failed${status === undefined ? "" : ` (${status})`}`;
}

/**
 * Returns the error of a live run that would replace recorded responses of models by an outage: an SDK or a step may
 * handle the error, and return an empty text. Undefined if no model responded in the recording either.
 */
export function modelFailedError({ source, baseline }: ExecutedCase): StepError | undefined {
  if (baseline === undefined || source.kind === "recorded") return undefined;
  const outage = modelOutageText(source.calls());
  if (outage === undefined || !baseline.calls.some(isModelCall) || modelOutageText(baseline.calls) !== undefined)
    return undefined;
  return kernelError(
    MODEL_FAILED,
    `${outage}, and the step handled the error. Its result isn't stored, because the recording has a response. ` +
      "Run the test again when the model responds. To store this result, first delete the baseline.",
  );
}

function failureOf(call: AdapterCall): ServiceFailure | undefined {
  const failure = Object.hasOwn(call, "error") ? failureOfThrown(decoded(call.error)) : failureOfResponse(call);
  return failure?.kind === "refused" ? undefined : failure;
}

function decoded(error: unknown): unknown {
  try {
    return decode(error);
  } catch {
    // A codec of the user's may throw for a field of it.
    return undefined;
  }
}

/** A field `status` of another adapter's response may be data. */
function failureOfResponse({ adapter, response }: AdapterCall): ServiceFailure | undefined {
  return adapter === FETCH && isPlainObject(response) ? failureOfStatus(response["status"]) : undefined;
}
