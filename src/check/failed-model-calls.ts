import { isPlainObject } from "../kernel/json/plain-data.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { decode } from "../record/encode/decode.ts";
import { isModelCall } from "../record/model-call.ts";
import { requestIdentity } from "../record/request-keys.ts";
import { type ServiceFailure, failureOfStatus, failureOfThrown } from "./cause/service-failure.ts";
import type { ExecutedCase } from "./run/execute-case.ts";

/** Code of a live run whose step handled an outage of a model that has a recorded response. */
export const MODEL_FAILED = "model_failed";

/**
 * Returns the outages and refused keys of a run's requests to models. A request that succeeded when the client sent it
 * again isn't one, nor is one that the model refused for its content.
 */
export function failedModelCalls(calls: readonly AdapterCall[]): readonly ServiceFailure[] {
  const failed = calls.filter((call) => failureOf(call) !== undefined);
  if (failed.length === 0) return [];
  const answered = new Set(calls.filter((call) => !failed.includes(call)).map(identityOf));
  return failed.filter((call) => !answered.has(identityOf(call))).flatMap((call) => failureOf(call) ?? []);
}

/**
 * Returns the error of a live run that would replace the recorded responses of models by an outage: an SDK or a step
 * may handle the error, and return an empty text. Undefined if the recording contains an outage, too.
 */
export function modelFailedError({ source, baseline }: ExecutedCase): StepError | undefined {
  if (baseline === undefined || source.kind === "recorded") return undefined;
  const failures = failedModelCalls(source.calls());
  const [first] = failures;
  if (first === undefined || baseline.calls.some((call) => failureOf(call) !== undefined)) return undefined;
  return kernelError(
    MODEL_FAILED,
    `${failedRequestsText(failures)}, and the step handled the error. Its result isn't stored, because the recording ` +
      "has a response. Run the test again when the model responds. To store this result, first delete the baseline.",
  );
}

/** Describes failed requests to models: `2 requests to a model failed (401)`. */
export function failedRequestsText(failures: readonly ServiceFailure[]): string {
  const status = failures.find((failure) => failure.status !== undefined)?.status;
  const requests = failures.length === 1 ? "1 request" : `${failures.length} requests`;
  return `${requests} to a model failed${status === undefined ? "" : ` (${status})`}`;
}

function failureOf(call: AdapterCall): ServiceFailure | undefined {
  if (!isModelCall(call)) return undefined;
  const failure = Object.hasOwn(call, "error") ? failureOfThrown(decode(call.error)) : failureOfResponse(call.response);
  return failure?.kind === "refused" ? undefined : failure;
}

function failureOfResponse(response: unknown): ServiceFailure | undefined {
  return isPlainObject(response) ? failureOfStatus(response["status"]) : undefined;
}

function identityOf({ adapter, request }: AdapterCall): string {
  return requestIdentity(adapter, request);
}
